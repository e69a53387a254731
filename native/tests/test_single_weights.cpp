// Structures whose weights can be learnt one at a time, compared with the list of all their outputs: features, ranges, where features may
// occur, probabilities, and totals that are kept up to date.
#include <algorithm>
#include <cmath>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "inference/offered.hpp"
#include "tests/check.hpp"
#include "tests/enumerated.hpp"

using namespace riata;
using namespace riata::test;

namespace {

bool near(double a, double b) { return std::abs(a - b) <= 1e-9 * (1 + std::abs(b)); }

using Counts = std::map<std::int64_t, double>;

// All outputs of all sentences, whether a constraint allows them or not: how often they have every feature, by its place.
struct AllOutputs {
  explicit AllOutputs(const Enumerated& in) : outputs(static_cast<std::size_t>(in.instances.sentences())), truths(outputs.size()) {
    Vector<double> weights = Vector<double>::of(in.model->flat());
    const auto structure = std::as_const(*in.model).over(in.corpus(), weights);
    in.each([&](std::int64_t s, const Output& output) {
      Difference found;
      structure->open(s);
      structure->features(output, found);
      Counts counts;
      for (const auto& [place, value] : found) counts[place] += value;
      outputs[static_cast<std::size_t>(s)].push_back(counts);
      if (std::ranges::equal(in.corpus().gold_of(s), output)) truths[static_cast<std::size_t>(s)] = counts;
    });
  }

  static double of(const Counts& counts, std::int64_t place) { return counts.contains(place) ? counts.at(place) : 0; }

  std::vector<std::vector<Counts>> outputs;
  std::vector<Counts> truths;
};

double score(const Counts& counts, const Numbers<double>& weights) {
  double sum = 0;
  for (const auto& [place, value] : counts) sum += value * weights[static_cast<std::size_t>(place)];
  return sum;
}

void check_features(const AllOutputs& all, const SingleWeights& found) {
  std::set<std::int64_t> places;
  for (const Counts& truth : all.truths) {
    for (const auto& [place, value] : truth) places.insert(place);
  }
  CHECK(found.size() == static_cast<std::int64_t>(places.size()));
  for (std::int64_t k = 0; k < found.size(); ++k) {
    const std::int64_t place = found.place(k);
    CHECK(places.contains(place) && (k == 0 || place > found.place(k - 1)));
    FeatureRange range;
    std::vector<std::int32_t> where, expected;
    for (std::size_t s = 0; s < all.outputs.size(); ++s) {
      bool may = false;
      for (const Counts& output : all.outputs[s]) {
        const double more = all.of(output, place) - all.of(all.truths[s], place);
        range = {std::min(range.low, more), std::max(range.high, more)};
        may = may || all.of(output, place) != 0;
      }
      if (may) expected.push_back(static_cast<std::int32_t>(s));
    }
    CHECK(near(found.range(k).low, range.low) && near(found.range(k).high, range.high));
    const std::int32_t bundle = found.bundle(k);
    CHECK(found.bundles()[static_cast<std::size_t>(bundle)] <= k && k < found.bundles()[static_cast<std::size_t>(bundle) + 1]);
    found.sentences(bundle, where);
    CHECK(where == expected);
  }
}

// -log P of the truth, and expected features minus those of the truth.
double expect(const AllOutputs& all, std::size_t s, const Numbers<double>& weights, Counts& difference) {
  double z = 0;
  for (const Counts& output : all.outputs[s]) z += std::exp(score(output, weights));
  for (const Counts& output : all.outputs[s]) {
    const double p = std::exp(score(output, weights)) / z;
    for (const auto& [place, value] : output) difference[place] += p * value;
  }
  for (const auto& [place, value] : all.truths[s]) difference[place] -= value;
  return all.outputs[s].empty() ? 0 : std::log(z) - score(all.truths[s], weights);
}

void check_totals(const AllOutputs& all, const SingleWeights& of, const Numbers<double>& weights, std::span<const SentenceShare> shares,
                  const SentenceTotals& totals) {
  Counts gradient;
  for (std::size_t s = 0; s < shares.size(); ++s) {
    Counts difference;
    expect(all, s, weights, difference);
    for (const auto& [place, value] : difference) gradient[place] += shares[s].times * value;
  }
  for (std::int64_t k = 0; k < of.size(); ++k) CHECK(near(totals.gradient[static_cast<std::size_t>(k)], all.of(gradient, of.place(k))));
  for (std::size_t b = 0; b + 1 < of.bundles().size(); ++b) {
    std::vector<std::int32_t> where;
    of.sentences(static_cast<std::int32_t>(b), where);
    double mass = 0;
    for (const std::int32_t s : where) mass += shares[static_cast<std::size_t>(s)].mass;
    CHECK(near(totals.mass[b], mass));
  }
}

void check(const Enumerated& in, Rng& rng) {
  const AllOutputs all(in);
  Numbers<double> flat = in.model->flat();
  Vector<double> weights = Vector<double>::of(in.model->flat());
  const auto structure = std::as_const(*in.model).over(in.corpus(), weights);
  const auto single = structure->single_weights({});
  check_features(all, *single);
  const auto evaluator = single->evaluator();
  std::vector<SentenceShare> shares(all.outputs.size());
  const auto same = [&](std::size_t s) {
    Counts ignored;
    CHECK(near(evaluator->open(static_cast<std::int64_t>(s)), expect(all, s, flat, ignored)));
    return SentenceShare{double(1 + rng.below(100)) / 50, double(1 + rng.below(100)) / 50};
  };
  for (std::size_t s = 0; s < shares.size(); ++s) {
    shares[s] = same(s);
    evaluator->keep();
  }
  SentenceTotals kept, made;
  single->gather(shares, kept, 2);
  check_totals(all, *single, flat, shares, kept);
  BundleSet touched(single->bundles().size() - 1);
  for (int change = 0; change < 40; ++change) {
    const auto k = static_cast<std::int64_t>(rng.below(static_cast<std::uint64_t>(single->size())));
    // Some scores are so large that factors underflow.
    const double by = (change % 10 == 9 ? 2000 : 1) * random_number(rng);
    single->change(k, by);
    flat[static_cast<std::size_t>(single->place(k))] += by;
    if (change % 10 == 9) {
      for (const double back : {0.0, -by}) {
        if (back != 0) single->change(k, back);
        std::vector<std::int32_t> where;
        single->sentences(single->bundle(k), where);
        for (const std::int32_t s : where) CHECK(back != 0 || std::isfinite(evaluator->open(s)));
      }
      flat[static_cast<std::size_t>(single->place(k))] -= by;
      continue;
    }
    std::vector<std::int32_t> where;
    single->sentences(single->bundle(k), where);
    for (const std::int32_t s : where) {
      const SentenceShare after = same(static_cast<std::size_t>(s));
      evaluator->replace(shares[static_cast<std::size_t>(s)], after, kept, touched);
      shares[static_cast<std::size_t>(s)] = after;
    }
    check_totals(all, *single, flat, shares, kept);
  }
  single->gather(shares, made, 3);
  check_totals(all, *single, flat, shares, made);
}

}  // namespace

int main() {
  Rng rng(11);
  int checked = 0;
  for (int seed = 0; seed < 10; ++seed) {
    for (const Case& in : enumerated(rng)) {
      try {
        check(*in, rng);
        CHECK(structure_operations().at(in->structure).contains("single weights"));
        ++checked;
      } catch (const Error& error) {
        CHECK(error.kind() == "UnsupportedError");
      }
    }
  }
  CHECK(checked >= 10);
  return 0;
}
