// Learning tags and chunk labels together, by search; decoding by the same.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <utility>
#include <vector>

#include "inference/search/engine.hpp"
#include "inference/spaces/joint.hpp"
#include "learning/chain_perceptron.hpp"
#include "learning/search_learner.hpp"
#include "learning/truncate.hpp"
#include "models/confidences.hpp"

namespace riata {

// Throws unless weights and instances were made with this index; size: of the long vector.
void check_fit(const FeatureIndex& index, const JointLayout& layout, const JointKinds& kinds, const JointRows& rows, std::size_t size,
               const Instances& instances);

template <class Real>
class JointSearch {
 public:
  JointSearch(const FeatureIndex& index, JointTemplates templates, const JointWeights<Real>& initial, const QueueSpec& queue,
              const LearnerSpec& learner, const Limits& limits);

  // One pass over the sentences in the given order; the index may have grown since the last. sentence_weights [S] may be empty.
  // The labels of the instances are codes.
  EpochResult epoch(const FeatureIndex& index, const Instances& instances, std::span<const std::int64_t> order,
                    std::span<const double> sentence_weights, const Poll& poll);

  JointWeights<Real> averaged() { return model(weights_.average()); }
  // The same in the memory of other weights.
  void average_into(JointWeights<Real>& mean) {
    mean.kinds = kinds_;
    mean.rows = rows_;
    weights_.average_into(mean.flat);
    dropped_ = truncate(mean.flat, truncate_);
  }
  JointWeights<Real> last() { return model(weights_.last()); }
  // Learning ends with it.
  JointWeights<Real> untruncated() { return {kinds_, rows_, weights_.take_last()}; }
  LeastMargins recorded_margins() const noexcept { return learner_.recorded_margins(); }
  std::int64_t dropped() const noexcept { return dropped_; }
  const SearchStats& stats() const noexcept { return learner_.stats(); }
  double norm() const noexcept { return weights_.norm(); }
  const JointKinds& kinds() const noexcept { return kinds_; }

 private:
  void grow(const FeatureIndex& index);
  JointWeights<Real> model(Numbers<Real> flat) {
    dropped_ = truncate(flat, truncate_);
    return {kinds_, rows_, std::move(flat)};
  }

  JointTemplates templates_;
  JointKinds kinds_;
  JointLayout layout_;
  Linear<Real> weights_;
  JointRows rows_;
  QueueSpec queue_spec_;
  std::unique_ptr<Queue> queue_;
  SearchLearner<Real> learner_;
  Limits limits_;
  double truncate_;
  std::int64_t dropped_ = 0;  // weights that truncation left out of the model made last
};

// The outputs that a search finds: [N] codes.
template <class Real>
std::vector<std::int32_t> decode_joint(const FeatureIndex& index, const JointTemplates& templates, const JointWeights<Real>& weights,
                                       const Instances& instances, const QueueSpec& queue, const Limits& limits, const Poll& poll);

// The same, with how sure the search is of every tag and of every chunk, at every temperature. chunks: of chunk labels.
template <class Real>
Confidences joint_confidences(const FeatureIndex& index, const JointTemplates& templates, const JointWeights<Real>& weights,
                              const Instances& instances, const QueueSpec& queue, const Limits& limits, const ChunkFlags& chunks,
                              std::span<const double> temperatures, const Poll& poll);

// The score of given outputs, sentence by sentence: [S].
template <class Real>
std::vector<double> joint_scores(const FeatureIndex& index, const JointTemplates& templates, const JointWeights<Real>& weights,
                                 const Instances& instances, std::span<const std::int32_t> codes);

// The places of the features of given outputs in the long vector, sentence by sentence; counts: how many of each. Features that the weights
// do not know yet are added to them, with weight zero.
struct JointPlaces {
  std::vector<std::int32_t> counts;
  std::vector<std::int64_t> places;
};
template <class Real>
JointPlaces joint_places(const FeatureIndex& index, const JointTemplates& templates, JointWeights<Real>& weights,
                         const Instances& instances, std::span<const std::int32_t> codes);

// The regret of the states along given outputs, from the initial one to the goal, sentence by sentence. The labels of the instances are the
// truth.
template <class Real>
std::vector<std::int32_t> joint_regrets(const FeatureIndex& index, const JointTemplates& templates, const JointWeights<Real>& weights,
                                        const Instances& instances, std::span<const std::int32_t> codes);

}  // namespace riata
