// A chain scored by a kernel function, compared with the list of all its outputs. Its products are not sums over entries of the vector.
#include <algorithm>
#include <cmath>
#include <limits>
#include <set>

#include "inference/structures/kernel_model.hpp"
#include "tests/cases/chain.hpp"
#include "tests/check.hpp"

using namespace riata;
using namespace riata::test;

namespace {

bool near(double a, double b) { return std::abs(a - b) <= 1e-9 * (1 + std::abs(b)); }

void check_sentence(Structure<double>& real, const Vector<double>& weights, const Corpus& corpus, std::int64_t s, Rng& rng) {
  const auto length = static_cast<std::size_t>(corpus.length(s));
  const std::vector<Output> outputs = labellings(3, static_cast<std::int32_t>(length));
  real.open(s);
  // The score of an output is the product of the vector and its features.
  double best = -std::numeric_limits<double>::infinity(), augmented = best;
  for (const Output& output : outputs) {
    Difference features;
    real.features(output, features);
    sum_up(features);
    const double score = real.score(output);
    if (!std::isinf(score)) CHECK(near(score, weights.dot(features)));
    best = std::max(best, score);
    augmented = std::max(augmented, score + 0.8 * real.loss(output));
  }
  Output found(length);
  CHECK(near(real.best(found), best) && near(real.score(found), best));
  real.open(s);
  real.augment(0.8);
  CHECK(near(real.best(found), augmented));
  real.open(s);
  real.open_list(5);
  double before = best;
  std::set<Output> seen;
  for (int n = 0; n < 5; ++n) {
    const std::optional<double> next = real.next(found);
    if (!next) break;
    CHECK(*next <= before + 1e-9 && near(*next, real.score(found)) && seen.insert(found).second);
    before = *next;
  }
  for (int drawn = 0; drawn < 3; ++drawn) {
    const Output &a = outputs[rng.below(outputs.size())], &b = outputs[rng.below(outputs.size())];
    if (std::isinf(real.score(a)) || std::isinf(real.score(b))) continue;
    Difference delta;
    real.difference(a, b, false, delta);
    sum_up(delta);
    CHECK(near(weights.dot(delta), real.score(a) - real.score(b)));
    CHECK(a == b ? delta.empty() : weights.squared(delta) > 0);
  }
}

}  // namespace

int main() {
  Rng rng(7);
  const Case in = enumerated_chain(rng, {}, true);
  for (const char* name : {"linear", "poly", "rbf"}) {
    for (const std::int64_t threads : {1, 3}) {
      KernelModel<double> model(3, dynamic_cast<ChainModel<double>&>(*in->model).constraint, kernel_function({name, 3, 0.5, 1.0}));
      model.threads = threads;
      Vector<double> weights(std::exchange(model.flat(), {}));
      model.grow(in->corpus(), weights);
      {
        // Steps from random outputs give the support tokens random coefficients.
        const auto learning = model.over(in->corpus(), weights, true);
        for (const std::int64_t s : in->order()) {
          if (in->instances.length(s) == 0) continue;
          Difference delta;
          const std::vector<Output> outputs = labellings(3, static_cast<std::int32_t>(in->instances.length(s)));
          learning->open(s);
          learning->difference(in->corpus().gold_of(s), outputs[rng.below(outputs.size())], false, delta);
          sum_up(delta);
          weights.add(delta, random_number(rng));
          learning->settle();
          CHECK(near(weights.norm() * weights.norm(), weights.squared_length()));
        }
        for (const std::int64_t s : in->order()) {
          if (in->instances.length(s) > 0) check_sentence(*learning, weights, in->corpus(), s, rng);
        }
      }
      model.flat() = weights.last();
      const KernelModel<double> compact = model.compact();
      Vector<double> fixed = Vector<double>::of(compact.coefficients);
      const auto reading = static_cast<const Model<double>&>(compact).over(in->corpus(), fixed);
      for (const std::int64_t s : in->order()) {
        if (in->instances.length(s) > 0) check_sentence(*reading, fixed, in->corpus(), s, rng);
      }
      CHECK(near(fixed.squared_length(), weights.squared_length()));
    }
  }
  return 0;
}
