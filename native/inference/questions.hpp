// Questions to a model about a corpus, for any structure: outputs, lists of the best, scores, and confidences of a search.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "core/poll.hpp"
#include "inference/best_outputs.hpp"
#include "inference/model.hpp"
#include "inference/search/engine.hpp"

namespace riata {

// The outputs that exact search or a queue finds, [N]. If the poll stops it, the remaining outputs are -1.
template <class Real>
std::vector<std::int32_t> decode(const Model<Real>& model, const Corpus& corpus, const QueueSpec& queue, const Limits& limits,
                                 const Poll& poll);

// The n best outputs of every sentence, or fewer. A sentence without tokens has one output, the empty one, with score 0. If the poll stops
// it, there are fewer counts.
template <class Real>
BestOutputs nbest(const Model<Real>& model, const Corpus& corpus, std::int64_t n, const Poll& poll);

// The n best of the outputs that a search by levels ends with, as nbest returns them. The first is that of decode.
template <class Real>
BestOutputs nbest_of_search(const Model<Real>& model, const Corpus& corpus, const QueueSpec& queue, const Limits& limits, std::int64_t n,
                            const Poll& poll);

// The n outputs of every sentence whose score plus `cost` times their loss is highest, with these sums as scores, as nbest returns them.
// The corpus must contain the truth. class_weights: [labels], or empty.
template <class Real>
BestOutputs loss_augmented(const Model<Real>& model, const Corpus& corpus, double cost, std::span<const double> class_weights,
                           std::int64_t n, const Poll& poll);

// The losses of outputs, [N]: one per sentence, [S].
template <class Real>
std::vector<double> losses_of(const Model<Real>& model, const Corpus& corpus, std::span<const double> class_weights, Codes outputs);

// The scores of outputs, [N]: one per sentence, [S]; see Structure::score.
template <class Real>
std::vector<double> scores_of(const Model<Real>& model, const Corpus& corpus, Codes outputs);

// The places of the features of outputs, [N], in the weight vector, and their values, sentence by sentence; counts: number of features per
// sentence. Features that the model does not have are added to it, with weight 0.
struct FeaturePlaces {
  std::vector<std::int64_t> counts;
  std::vector<std::int64_t> places;
  std::vector<double> values;
};
template <class Real>
FeaturePlaces features_of(Model<Real>& model, const Corpus& corpus, Codes outputs);

// The regrets of the states on the paths to outputs, [N], from the initial state to the goal, sentence by sentence. The corpus must contain
// the truth.
template <class Real>
std::vector<double> regrets_of(const Model<Real>& model, const Corpus& corpus, Codes outputs);

// Sums over all outputs, each with the probability exp(sharpness * score) / Z: log Z, [S], and the expected features, sentence by sentence.
// Features that the model does not have are left out.
template <class Real>
std::vector<double> sums_of(const Model<Real>& model, const Corpus& corpus, double sharpness, FeaturePlaces& expected);

// The outputs of least expected loss, [N], and what each is expected to have right, [S]. If the poll stops it, the remaining outputs are
// -1.
struct LeastRisk {
  std::vector<std::int32_t> codes;
  std::vector<ExpectedRight> expected;
};
template <class Real>
LeastRisk least_risk(const Model<Real>& model, const Corpus& corpus, const Risk& risk, const Poll& poll);

// Outputs, and for each part the probability mass of the kept paths of a search by levels that agree with it.
struct Confidences {
  std::vector<std::int32_t> outputs;  // [N] as decoding returns them
  std::vector<double> values;         // [temperatures x tracks x N] from 0 to 1; tracks are the parts of a token's output
};
// asked: outputs, [N], whose confidences are wanted instead of those that the search finds; or empty. The search must keep them. chunks:
// see CorpusSpace::units.
template <class Real>
Confidences confidences(const Model<Real>& model, const Corpus& corpus, const QueueSpec& queue, const Limits& limits,
                        const ChunkFlags& chunks, std::span<const double> temperatures, Codes asked, const Poll& poll);

// The sum of several models over one feature index, each divided by its norm, and multiplied by their average norm divided by their number.
template <class Real>
std::unique_ptr<Model<Real>> normalised_sum(std::span<const Model<Real>* const> parts);

}  // namespace riata
