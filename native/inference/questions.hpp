// What is asked of a model about a corpus, whatever its structure: outputs, lists of them, scores, and how sure a search is.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "core/poll.hpp"
#include "inference/model.hpp"
#include "inference/search/engine.hpp"

namespace riata {

// The outputs that exact search or a queue finds: [N]. Stops early, leaving -1, when poll says so.
template <class Real>
std::vector<std::int32_t> decode(const Model<Real>& model, const Corpus& corpus, const QueueSpec& queue, const Limits& limits,
                                 const Poll& poll);

// The n best outputs of every sentence: [S] how many, at most n; the outputs one after the other, best first; their scores. A sentence
// without tokens has one output, the empty one, of score 0. Stops early, with fewer counts, when poll says so.
struct BestOutputs {
  std::vector<std::int64_t> counts;
  std::vector<std::int32_t> codes;
  std::vector<double> scores;
};
template <class Real>
BestOutputs nbest(const Model<Real>& model, const Corpus& corpus, std::int64_t n, const Poll& poll);

// The n outputs of every sentence whose score plus `cost` times their loss is highest, and these sums, as nbest gives them. The corpus
// knows the truth. class_weights: of labels, or empty.
template <class Real>
BestOutputs loss_augmented(const Model<Real>& model, const Corpus& corpus, double cost, std::span<const double> class_weights,
                           std::int64_t n, const Poll& poll);

// The loss of outputs [N], sentence by sentence: [S].
template <class Real>
std::vector<double> losses_of(const Model<Real>& model, const Corpus& corpus, std::span<const double> class_weights, Codes outputs);

// The score of outputs [N], sentence by sentence: [S]; minus infinity where they are not allowed.
template <class Real>
std::vector<double> scores_of(const Model<Real>& model, const Corpus& corpus, Codes outputs);

// The places of the features of outputs [N] in the weight vector, and their values, sentence by sentence; counts: how many of each.
// Features that the model does not know yet are added to it, with weight zero.
struct FeaturePlaces {
  std::vector<std::int64_t> counts;
  std::vector<std::int64_t> places;
  std::vector<double> values;
};
template <class Real>
FeaturePlaces features_of(Model<Real>& model, const Corpus& corpus, Codes outputs);

// The regret of the states along the paths to outputs [N], from the initial one to the goal, sentence by sentence. The corpus knows the
// truth.
template <class Real>
std::vector<double> regrets_of(const Model<Real>& model, const Corpus& corpus, Codes outputs);

// Sums over all outputs, each with the probability exp(sharpness * score) / Z: log Z [S], and the expected features, sentence by sentence.
// Only of features that the model knows.
template <class Real>
std::vector<double> sums_of(const Model<Real>& model, const Corpus& corpus, double sharpness, FeaturePlaces& expected);

// Outputs with how sure a search by levels is of their parts: what it found, and what share of what it kept says the same.
struct Confidences {
  std::vector<std::int32_t> outputs;  // [N] as decoding gives them
  std::vector<double> values;         // [temperatures x tracks x N] from 0 to 1; tracks are the parts of a token
};
// asked: outputs [N] whose confidences are wanted instead of those of the outputs that the search finds; or empty. The search must keep
// them. chunks: as CorpusSpace::units takes them.
template <class Real>
Confidences confidences(const Model<Real>& model, const Corpus& corpus, const QueueSpec& queue, const Limits& limits,
                        const ChunkFlags& chunks, std::span<const double> temperatures, Codes asked, const Poll& poll);

// One model that is the sum of several over one feature index, each divided by its norm, at their scale.
template <class Real>
std::unique_ptr<Model<Real>> normalised_sum(std::span<const Model<Real>* const> parts);

}  // namespace riata
