// Index, weights, Viterbi and the sparse form together: a model decodes the same after packing and unpacking.
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

FeatureIndex empty_index() {
  // word[0], word[-1] word[0], word[0] word[1], and an edge template on word[0]
  return FeatureIndex({{-1, 0, 0}, {0, 0, 1}}, {{0, 0, false}, {1, -1, false}, {1, 0, false}, {0, 0, true}}, 1, true);
}

}  // namespace

int main() {
  Rng rng(7);
  const RandomSentences sentences(rng, words, [](const std::vector<std::int32_t>& drawn) {
    return (drawn.back() + (drawn.size() > 1 ? drawn[drawn.size() - 2] : 0)) % labels;
  });
  const std::vector<std::int32_t>& values = sentences.values;
  FeatureIndex index = empty_index();
  const Instances instances = sentences.entered(index);

  const std::vector<std::uint8_t> yes(labels, 1), yes_pairs(labels * labels, 1);
  const ChainModel<float> zero(Weights<float>(labels), Constraint<float>(labels, padded(labels), yes, yes, yes_pairs));
  OnlineTrainer<float> trainer(zero, OnlineLearners<float>::make("perceptron", {}), 0);
  const Poll poll = [](std::int64_t) { return true; };
  const Corpus corpus{index, instances, instances.labels};
  for (std::uint64_t epoch = 1; epoch <= 5; ++epoch) {
    const auto order = shuffled(instances.sentences(), 1, epoch);
    const EpochResult result = trainer.epoch(corpus, order, {}, {}, poll);
    CHECK(result.sentences == 40 && result.updates <= 40);
  }
  const QueueSpec exact{"exact"};
  const std::unique_ptr<Model<float>> trained = trainer.averaged();
  const auto before = decode(*trained, corpus, exact, {}, poll);

  const SparseChain sparse = pack(index, dynamic_cast<const ChainModel<float>&>(*trained).weights);
  FeatureIndex again = empty_index();
  const ChainModel<float> loaded(unpack(view(sparse), labels, {static_cast<std::int32_t>(sparse.kept_values[0].size())}, 0, again),
                                 zero.constraint);
  std::vector<std::int32_t> renumbered(values.size(), -1);
  for (std::size_t t = 0; t < values.size(); ++t) {
    for (std::size_t k = 0; k < sparse.kept_values[0].size(); ++k) {
      if (sparse.kept_values[0][k] == values[t]) renumbered[t] = static_cast<std::int32_t>(k);
    }
  }
  const Instances reread = look_up(again, {{renumbered}, sentences.starts});
  CHECK(decode<float>(loaded, {again, reread, {}}, exact, {}, poll) == before);

  SparseChain hostile = sparse;
  hostile.families[0].node.columns.front() = labels;
  bool refused = false;
  try {
    FeatureIndex target = empty_index();
    unpack(view(hostile), labels, {words}, 0, target);
  } catch (const Error& error) {
    refused = error.kind() == "ModelFileError";
  }
  CHECK(refused);
  return 0;
}
