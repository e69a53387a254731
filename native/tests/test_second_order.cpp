// Learning and exact search two labels back: the best output is the first of the list, lists are in descending order, and scores are sums
// of features.
#include <cmath>
#include <vector>

#include "core/error.hpp"
#include "core/rng.hpp"
#include "inference/questions.hpp"
#include "inference/structures/chain_model.hpp"
#include "learning/online/trainer.hpp"
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
void check_lists(const Model<Real>& model, const Corpus& corpus) {
  const Instances& instances = corpus.instances;
  const std::vector<std::int32_t> best = decode(model, corpus, {"exact"}, {}, go_on);
  const BestOutputs lists = nbest(model, corpus, 4, go_on);
  std::size_t at = 0, number = 0;
  for (std::int64_t s = 0; s < instances.sentences(); ++s) {
    const auto length = static_cast<std::size_t>(instances.length(s));
    for (std::int64_t n = 0; n < lists.counts[s]; ++n, at += length, ++number) {
      CHECK(n == 0 || lists.scores[number] <= lists.scores[number - 1]);
      std::vector<std::int32_t> all = best;
      for (std::size_t t = 0; t < length; ++t) {
        CHECK(n > 0 || lists.codes[at + t] == best[instances.starts[s] + t]);
        all[instances.starts[s] + t] = lists.codes[at + t];
      }
      const double score = scores_of(model, corpus, all)[s];
      CHECK(std::abs(score - lists.scores[number]) <= 1e-4 * (1 + std::abs(score)));
    }
  }
}

template <class Real>
void check_learner(const std::string& name, const Settings& settings, const ChainModel<Real>& zero, const Corpus& corpus) {
  OnlineTrainer<Real> trainer(zero, OnlineLearners<Real>::make(name, settings), 0);
  std::vector<std::int64_t> order;
  for (std::int64_t s = 0; s < corpus.sentences(); ++s) order.push_back(s);
  std::int64_t updates = 0;
  for (int epoch = 0; epoch < 4; ++epoch) updates += trainer.epoch(corpus, order, {}, {}, go_on).updates;
  CHECK(updates > 0);
  const std::unique_ptr<Model<Real>> averaged = trainer.averaged(), last = trainer.last();
  const Weights<Real>& weights = dynamic_cast<const ChainModel<Real>&>(*averaged).weights;
  CHECK(weights.history.rows() > 20);
  CHECK(weights.flat.size() == weights.room());
  check_lists(*last, corpus);
  check_lists(*averaged, corpus);
  pack(corpus.index, weights);
}

template <class Real>
void check_precision(const Corpus& corpus) {
  std::vector<std::uint8_t> follow(labels * labels, 1);
  follow[1] = 0;  // label 1 may not follow label 0
  const ChainModel<Real> zero(Weights<Real>(labels), Constraint<Real>(labels, padded(labels), {1, 1, 0}, {1, 0, 1}, follow));
  check_learner("perceptron", {}, zero, corpus);
  for (const std::int64_t k : {1, 3}) {
    Settings settings;
    settings.set("C", 0.5);
    settings.set("cost", 1.0);
    settings.set("k", k);
    check_learner("mira", settings, zero, corpus);
  }
}

}  // namespace

int main() {
  Rng rng(7);
  const RandomSentences sentences(rng, words, [&](const auto&) { return static_cast<std::int32_t>(rng.below(labels)); });
  FeatureIndex index = empty_index();
  const Instances instances = sentences.entered(index);
  const Corpus corpus{index, instances, instances.labels};
  check_precision<float>(corpus);
  check_precision<double>(corpus);
  return 0;
}
