// Conditional random fields of dependency trees: values against the list of all trees, gradients against differences of values, and one
// sentence after another against the batch.
#include <cmath>
#include <cstdint>
#include <vector>

#include "inference/structures/arc_potentials.hpp"
#include "learning/batch/objective.hpp"
#include "losses/output_loss.hpp"
#include "tests/cases/arcs.hpp"
#include "tests/check.hpp"

using namespace riata;
using namespace riata::test;

namespace {

const Poll go_on = [](std::int64_t) { return true; };

bool near(double a, double b, double by = 1e-9) { return std::abs(a - b) <= by * (1 + std::abs(b)); }

template <class Trees>
struct Problem {
  Case in;
  ArcModel<double, Trees>& like;
  ArcPotentials<double, Trees> potentials;

  Problem(Rng& rng, FeatureLabels which, const std::vector<ArcGroup>& groups, bool rooted = false, std::int32_t relations = 2)
      : in(enumerated_trees<Trees>(rng, relations, relations > 2 ? 2 : 4, groups, rooted)),
        like(dynamic_cast<ArcModel<double, Trees>&>(*in->model)),
        potentials(like, in->instances, in->gold, which) {}

  double value(const std::vector<double>& at, std::vector<double>& gradient, std::int64_t threads = 1) {
    BatchObjective objective(potentials, std::vector<double>{}, output_loss("log"));
    gradient.assign(at.size(), 0);
    return objective(at, gradient, threads, go_on).value;
  }
};

// Minus log P of all truths, by enumeration.
template <class Trees>
double listed_value(const Problem<Trees>& problem, const std::vector<double>& at) {
  const ArcWeights<double> weights = problem.potentials.template model<double>(at);
  const Vector<double> vector = Vector<double>::of(weights.flat);
  double sum = 0;
  for (const std::int64_t s : problem.in->order()) {
    const Codes gold = problem.in->corpus().gold_of(s);
    double all = 0, truth = 0;
    for (const ListedOutput& output : problem.in->listing[static_cast<std::size_t>(s)]) {
      const double score = vector.dot(output.features);
      all += std::exp(score);
      if (std::ranges::equal(output.codes, gold)) truth = score;
    }
    if (!gold.empty()) sum += std::log(all) - truth;
  }
  return sum;
}

template <class Trees>
void check_objective(Rng& rng, FeatureLabels which, const std::vector<ArcGroup>& groups, bool rooted = false, std::int32_t relations = 2) {
  Problem<Trees> problem(rng, which, groups, rooted, relations);
  std::vector<double> at = problem.potentials.point(problem.like.weights);
  for (double& x : at) x += 0.3 * random_number(rng);
  std::vector<double> gradient, other;
  const double value = problem.value(at, gradient);
  CHECK(near(value, listed_value(problem, at)));
  CHECK(problem.value(at, other, 3) == value && other == gradient);
  BatchObjective alone(problem.potentials, std::vector<double>{}, output_loss("log"));
  CHECK(alone.value(at, 1, go_on).value == value);
  for (int drawn = 0; drawn < 40; ++drawn) {
    const auto i = static_cast<std::size_t>(rng.below(at.size()));
    std::vector<double> more = at, less = at;
    more[i] += 1e-5;
    less[i] -= 1e-5;
    CHECK(near(gradient[i], (problem.value(more, other) - problem.value(less, other)) / 2e-5, 1e-6));
  }
}

// The changes that single sentences make are the gradient of all.
template <class Trees>
void check_sentences(Rng& rng, const std::vector<ArcGroup>& groups, std::int32_t relations = 2) {
  Problem<Trees> problem(rng, FeatureLabels::seen, groups, false, relations);
  const std::vector<double> at = problem.potentials.point(problem.like.weights);
  std::vector<double> gradient;
  const double value = problem.value(at, gradient);
  const auto one_by_one = problem.potentials.gradient();
  const RowWeights& there = one_by_one->there();
  std::vector<double> weights(static_cast<std::size_t>(there.room()), 0), moved = weights;
  there.each([&](std::int32_t i, std::int64_t place) { weights[static_cast<std::size_t>(place)] = at[static_cast<std::size_t>(i)]; });
  double sum = 0;
  for (std::int64_t s = 0; s < one_by_one->sentences(); ++s) {
    if (one_by_one->length(s) == 0) continue;
    sum -= one_by_one->open(s, weights.data(), 1);
    one_by_one->move(1, RowMoves<double>(there, moved.data(), nullptr, 0));
  }
  CHECK(near(sum, value));
  there.each([&](std::int32_t i, std::int64_t place) {
    CHECK(near(moved[static_cast<std::size_t>(place)], gradient[static_cast<std::size_t>(i)]));
  });
}

// Scores that differ by thousands: sums stay finite, and probabilities add up to 1.
template <class Trees>
void check_extremes(Rng& rng, bool with_siblings) {
  typename Trees::Sums sums;
  for (const double scale : {1.0, 50.0, 2000.0}) {
    ArcScores<double> arcs, shares;
    SiblingScores<double> siblings, pairs;
    if (with_siblings) {
      siblings.open(12, 0.0);
      for (std::int32_t c = 1; c <= 12; ++c) {
        for (std::int32_t h = 0; h <= 12; ++h) {
          if (h == c) continue;
          siblings.first(h, c) = scale * random_number(rng);
          for (std::size_t k = 0; h > 0 && k < SiblingScores<double>::count(h, c); ++k) siblings.row(h, c)[k] = scale * random_number(rng);
        }
      }
    }
    arcs.open(12);
    for (std::int32_t c = 1; c <= 12; ++c) {
      for (std::int32_t h = 0; h <= 12; ++h) {
        if (h != c) arcs(h, c) = scale * random_number(rng);
      }
    }
    typename Trees::template Best<double> best;
    std::vector<std::int32_t> heads(12);
    const double highest = best.best(arcs, siblings, heads), log_z = sums(arcs, siblings, shares, pairs);
    CHECK(std::isfinite(log_z) && log_z >= highest - 1e-6 && log_z <= highest + 12 * std::log(13.0) + 1e-6);
    for (std::int32_t c = 1; c <= 12; ++c) {
      double sum = 0;
      for (std::int32_t h = 0; h <= 12; ++h) sum += h == c ? 0 : shares(h, c);
      CHECK(near(sum, 1, 1e-6));
      for (std::int32_t h = 1; with_siblings && h <= 12; ++h) {
        double of_pairs = h == c ? 0 : pairs.first(h, c);
        for (std::size_t k = 0; h != c && k < SiblingScores<double>::count(h, c); ++k) of_pairs += pairs.row(h, c)[k];
        CHECK(near(of_pairs, h == c ? 0 : shares(h, c), 1e-6));
      }
    }
  }
}

template <class Trees>
void check_all(Rng& rng, const std::vector<ArcGroup>& groups, bool with_siblings) {
  check_objective<Trees>(rng, FeatureLabels::seen, groups);
  check_objective<Trees>(rng, FeatureLabels::all, groups);
  check_sentences<Trees>(rng, groups);
  check_extremes<Trees>(rng, with_siblings);
}

// The same for trees whose arcs may cross; some arcs are forbidden.
void check_tree_logarithms(Rng& rng) {
  for (int drawn = 0; drawn < 50; ++drawn) {
    const auto n = static_cast<std::int32_t>(1 + rng.below(7));
    ArcScores<double> arcs, one, other;
    SiblingScores<double> siblings, pairs;
    arcs.open(n);
    for (std::int32_t c = 1; c <= n; ++c) {
      for (std::int32_t h = 0; h <= n; ++h) {
        if (h != c && (h == 1 || c == 1 || rng.below(4) > 0)) arcs(h, c) = 5 * random_number(rng);
      }
    }
    SpanningTreeSums sums;
    SpanningTreeLogarithms slow;
    const double log_z = sums(arcs, siblings, one, pairs);
    other.open(n, 0.0);
    CHECK(near(slow(arcs, other), log_z));
    for (std::int32_t c = 1; c <= n; ++c) {
      for (std::int32_t h = 0; h <= n; ++h) CHECK(std::abs(one(h, c) - other(h, c)) < 1e-9);
    }
  }
}

}  // namespace

int main() {
  Rng rng(9);
  check_all<ProjectiveTrees>(rng, arc_groups(), false);
  check_all<ProjectiveTrees>(rng, sibling_groups(), true);
  check_all<AllTrees>(rng, arc_groups(), false);
  check_objective<ProjectiveTrees>(rng, FeatureLabels::seen, sibling_groups(), true);
  check_objective<AllTrees>(rng, FeatureLabels::seen, arc_groups(), true);
  check_objective<ProjectiveTrees>(rng, FeatureLabels::seen, arc_groups(), false, 7);  // more relations than a packed row holds together
  check_objective<ProjectiveTrees>(rng, FeatureLabels::all, arc_groups(), false, 7);
  check_sentences<ProjectiveTrees>(rng, arc_groups(), 7);
  check_tree_logarithms(rng);
  for (int drawn = 0; drawn < 30; ++drawn) check_extremes<AllTrees>(rng, false);
  return 0;
}
