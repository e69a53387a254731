// Learning and exact search two labels back: the best is the first of the list, lists go down, and scores are those of the features.
#include <cmath>
#include <vector>

#include "core/error.hpp"
#include "core/rng.hpp"
#include "learning/chain_mira.hpp"
#include "learning/chain_perceptron.hpp"
#include "models/chain_nbest.hpp"
#include "models/sparse.hpp"
#include "tests/check.hpp"
#include "tests/sentences.hpp"

using namespace riata;

namespace {

constexpr std::int32_t labels = 3, words = 5;
const Poll go_on = [](std::int64_t) { return true; };

// word[0], label[-1], label[-2], label[-2] label[-1], label[-2] label[-1] word[0], label[-1] word[-1], and edges
FeatureIndex empty_index() {
  return FeatureIndex({{-1, 0, 0}}, {{0, 0, false}}, 1, true, {{-1, 0, {1}}, {-1, 0, {2}}, {-1, 0, {1, 2}}, {0, 0, {1, 2}}, {0, -1, {1}}});
}

template <class Real>
void check_lists(const FeatureIndex& index, const Weights<Real>& weights, const Constraint<Real>& constraint, const Instances& instances) {
  const std::vector<std::int32_t> best = decode(index, weights, constraint, instances, go_on);
  const NBestLabels lists = nbest(index, weights, constraint, instances, 4, go_on);
  std::size_t at = 0, number = 0;
  for (std::int64_t s = 0; s < instances.sentences(); ++s) {
    const auto length = static_cast<std::size_t>(instances.length(s));
    for (std::int64_t n = 0; n < lists.counts[s]; ++n, at += length, ++number) {
      CHECK(n == 0 || lists.scores[number] <= lists.scores[number - 1]);
      std::vector<std::int32_t> all = best;
      for (std::size_t t = 0; t < length; ++t) {
        CHECK(n > 0 || lists.labels[at + t] == best[instances.starts[s] + t]);
        all[instances.starts[s] + t] = lists.labels[at + t];
      }
      const double score = scores_of(index, weights, constraint, instances, all)[s];
      CHECK(std::abs(score - lists.scores[number]) <= 1e-4 * (1 + std::abs(score)));
    }
  }
}

template <class Trainer, class Real>
void check_learner(Trainer trainer, FeatureIndex& index, const Constraint<Real>& constraint, const Instances& instances) {
  std::vector<std::int64_t> order;
  for (std::int64_t s = 0; s < instances.sentences(); ++s) order.push_back(s);
  std::int64_t updates = 0;
  for (int epoch = 0; epoch < 4; ++epoch) updates += trainer.epoch(index, instances, order, {}, {}, go_on).updates;
  CHECK(updates > 0);
  const Weights<Real> averaged = trainer.averaged();
  CHECK(averaged.history.rows() > 20);
  CHECK(averaged.history_rows.size() == std::size_t(averaged.history.rows()) * averaged.stride);
  check_lists(index, trainer.last(), constraint, instances);
  check_lists(index, averaged, constraint, instances);
  pack(index, averaged);
}

template <class Real>
void check_precision(FeatureIndex& index, const Instances& instances) {
  const Weights<Real> zero(labels);
  std::vector<std::uint8_t> follow(labels * labels, 1);
  follow[1] = 0;  // label 1 does not follow label 0
  const Constraint<Real> constraint(labels, zero.stride, {1, 1, 0}, {1, 0, 1}, follow);
  check_learner(ChainPerceptron<Real>(zero, constraint), index, constraint, instances);
  for (const std::int64_t k : {1, 3}) check_learner(ChainMira<Real>(zero, constraint, {0.5, 1, k}), index, constraint, instances);
}

}  // namespace

int main() {
  Rng rng(7);
  const RandomSentences sentences(rng, words, [&](const auto&) { return static_cast<std::int32_t>(rng.below(labels)); });
  FeatureIndex index = empty_index();
  const Instances instances = sentences.entered(index);
  check_precision<float>(index, instances);
  check_precision<double>(index, instances);
  return 0;
}
