// Sums over several labels per token compared with the list of all outputs: exact ones must be equal, approximate ones near; the batch
// objective, its gradient by finite differences, and single sentences.
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <memory>
#include <vector>

#include "inference/structures/factorial_gradient.hpp"
#include "inference/structures/factorial_potentials.hpp"
#include "learning/batch/objective.hpp"
#include "tests/cases/factorial.hpp"
#include "tests/check.hpp"

using namespace riata;
using namespace riata::test;

namespace {

const Poll go_on = [](std::int64_t) { return true; };

std::vector<double> random_point(Rng& rng, std::int64_t size, double scale) {
  std::vector<double> at(static_cast<std::size_t>(size));
  for (double& x : at) x = scale * random_number(rng);
  return at;
}

struct Found {
  double value;
  std::vector<double> gradient;
};
Found evaluated(Potentials& potentials, const std::vector<double>& weights, const std::vector<double>& at, std::int64_t threads = 1) {
  BatchObjective objective(potentials, weights, output_loss("log"));
  Found out{0, std::vector<double>(at.size())};
  out.value = objective(at, out.gradient, threads, go_on).value;
  return out;
}

template <class Real>
std::unique_ptr<FactorialPotentials<Real>> made(const Enumerated& in, SumsBy how, FeatureLabels which = FeatureLabels::all) {
  const auto& like = dynamic_cast<const FactorialModel<double>&>(*in.model);
  return std::make_unique<FactorialPotentials<Real>>(in.index, like.templates, like.weights.coding, in.instances, in.gold, which, how);
}

// Minus log P of the truth, from all outputs.
double listed_value(const Enumerated& in, const FactorialPotentials<double>& potentials, const std::vector<double>& at) {
  FactorialModel<double> model(potentials.templates(), potentials.points().model<double>(at));
  Vector<double> weights = Vector<double>::of(model.flat());
  const Model<double>& read = model;
  const auto structure = read.over(in.corpus(), weights);
  double sum = 0;
  for (std::int64_t s = 0; s < in.instances.sentences(); ++s) {
    if (in.instances.length(s) == 0) continue;
    structure->open(s);
    std::vector<double> scores;
    for (const ListedOutput& output : in.listing[static_cast<std::size_t>(s)]) scores.push_back(structure->score(output.codes));
    const double most = *std::ranges::max_element(scores);
    double total = 0;
    for (const double score : scores) total += std::exp(score - most);
    sum += most + std::log(total) - structure->score(in.corpus().gold_of(s));
  }
  return sum;
}

void check_objective(const Enumerated& in, Rng& rng) {
  const auto potentials = made<double>(in, SumsBy::exact);
  for (const double scale : {0.5, 3.0, 900.0}) {  // the last one needs logarithms
    const std::vector<double> at = random_point(rng, potentials->size(), scale);
    const Found found = evaluated(*potentials, {}, at), threaded = evaluated(*potentials, {}, at, 3);
    CHECK(found.value == threaded.value && found.gradient == threaded.gradient);
    const double expected = listed_value(in, *potentials, at);
    CHECK(std::abs(found.value - expected) <= 1e-9 * (1 + expected));
    CHECK(potentials->points().point(potentials->points().model<double>(at)) == at);
    const auto single = made<float>(in, SumsBy::exact);
    const Found rough = evaluated(*single, {}, at);
    CHECK(std::abs(rough.value - expected) <= 1e-4 * (10 + expected));
    if (scale > 3) continue;
    for (std::size_t i = 0; i < at.size(); i += 3) {
      std::vector<double> up = at, down = at;
      up[i] += 1e-5;
      down[i] -= 1e-5;
      const double rise = evaluated(*potentials, {}, up).value - evaluated(*potentials, {}, down).value;
      CHECK(std::abs(rise / 2e-5 - found.gradient[i]) < 1e-6 * (1 + std::abs(found.value)));
      CHECK(std::abs(found.gradient[i] - rough.gradient[i]) < 1e-3);
    }
  }
}

void check_sentences(const Enumerated& in, Rng& rng) {
  const auto potentials = made<double>(in, SumsBy::exact, FeatureLabels::seen);
  const std::vector<double> at = random_point(rng, potentials->size(), 1);
  const auto gradient = potentials->gradient();
  const RowWeights& there = gradient->there();
  std::vector<double> weights(static_cast<std::size_t>(there.room()));
  there.each([&](std::int32_t i, std::int64_t place) { weights[static_cast<std::size_t>(place)] = at[static_cast<std::size_t>(i)] / 4; });
  for (std::int64_t s = 0; s < gradient->sentences(); ++s) {
    if (gradient->length(s) == 0) continue;
    std::vector<double> only(static_cast<std::size_t>(potentials->sentences()), 0), moved(weights.size());
    only[static_cast<std::size_t>(s)] = 1;
    const Found expected = evaluated(*potentials, only, at);
    CHECK(std::abs(-gradient->open(s, weights.data(), 4) - expected.value) < 1e-9);
    gradient->move(2, RowMoves<double>(there, moved.data(), nullptr, 0));
    there.each([&](std::int32_t i, std::int64_t place) {
      CHECK(std::abs(moved[static_cast<std::size_t>(place)] - 2 * expected.gradient[static_cast<std::size_t>(i)]) < 1e-9);
    });
  }
}

// Scores that are drawn at random, from -scale to scale.
FactorialScores<double> random_scores(Rng& rng, const FactorialShape& shape, std::int32_t length, double scale) {
  FactorialScores<double> out;
  out.open(shape, length, std::vector<std::uint8_t>(static_cast<std::size_t>(shape.factors()), 1));
  for (auto* tables : {&out.node, &out.pair}) {
    for (Numbers<double>& table : *tables) {
      for (double& x : table) x = scale * random_number(rng);
    }
  }
  return out;
}

struct Distance {
  double log_z, label;  // of log Z; the largest of all labels of a token
  bool converged;
};
Distance distance(const FactorialScores<double>& scores, SumsBy how) {
  FactorialInference<double> exact(*scores.shape, SumsBy::exact), other(*scores.shape, how);
  Distance out{std::abs(exact.open(scores) - other.open(scores)), 0, other.converged()};
  OwnedTables<double> right, near;
  exact.add(right.open(scores), 1);
  other.add(near.open(scores), 1);
  each_column(*scores.shape, [&](ColumnId c) {
    for (std::int32_t t = 0; t < scores.length; ++t) {
      for (std::int32_t j = 0; j < scores.shape->labels(c); ++j)
        out.label =
            std::max(out.label, std::abs(right.tables().nodes(*scores.shape, c, t)[j] - near.tables().nodes(*scores.shape, c, t)[j]));
    }
  });
  return out;
}

void check_approximations() {
  Rng rng(21);
  const FactorialShape one({4, 3}, {{0, 1}}), apart({4, 3}), single({4, 1}, {{0, 1}}), three({3, 2, 3}, {{0, 1}, {1, 2}, {0, 2}});
  const FactorialShape path({3, 2, 3}, {{0, 1}, {1, 2}});
  for (const SumsBy how : {SumsBy::loopy, SumsBy::trp}) {
    for (int drawn = 0; drawn < 10; ++drawn) {  // trees: one token; no factors between columns; a column with one label
      const Distance trees[] = {distance(random_scores(rng, one, 1, 3), how), distance(random_scores(rng, apart, 6, 3), how),
                                distance(random_scores(rng, single, 6, 3), how), distance(random_scores(rng, path, 1, 3), how)};
      for (const Distance& tree : trees) CHECK(tree.converged && tree.log_z < 1e-8 && tree.label < 1e-8);
      for (const FactorialShape* shape : {&one, &three}) {  // weak factors: near; docs/joint.md has a table
        const Distance weak = distance(random_scores(rng, *shape, 6, 0.5), how);
        CHECK(weak.converged && weak.log_z < 0.05 && weak.label < 0.02);
        const Distance strong = distance(random_scores(rng, *shape, 6, 2), how);
        CHECK(!strong.converged || (strong.log_z < 2 && strong.label < 0.6));
      }
    }
  }
}

// Where messages converge, the gradient of the approximate objective is what finite differences say.
void check_approximate_gradient(const Enumerated& in, Rng& rng) {
  for (const SumsBy how : {SumsBy::loopy, SumsBy::trp}) {
    const auto potentials = made<double>(in, how);
    const std::vector<double> at = random_point(rng, potentials->size(), 0.3);
    const Found found = evaluated(*potentials, {}, at);
    CHECK(potentials->unsettled() == 0);
    for (std::size_t i = 0; i < at.size(); i += 5) {
      std::vector<double> up = at, down = at;
      up[i] += 1e-4;
      down[i] -= 1e-4;
      const double rise = evaluated(*potentials, {}, up).value - evaluated(*potentials, {}, down).value;
      CHECK(std::abs(rise / 2e-4 - found.gradient[i]) < 1e-4 * (1 + std::abs(found.value)));
    }
  }
}

}  // namespace

int main() {
  Rng rng(12);
  for (const bool per_token : {false, true}) {
    for (const FactorialCoding& coding : {two_columns(), wide_first(), three_columns()}) {
      const Case in = enumerated_factorial(rng, coding, per_token, 3);
      check_objective(*in, rng);
      check_sentences(*in, rng);
    }
    check_approximate_gradient(*enumerated_factorial(rng, two_columns(), per_token, 3), rng);
  }
  check_approximations();
  return 0;
}
