// Learning on labelled segments, by search or from the exact best; decoding by either.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <utility>
#include <vector>

#include "inference/exact/semi_markov.hpp"
#include "inference/search/engine.hpp"
#include "inference/spaces/segments.hpp"
#include "learning/chain_perceptron.hpp"
#include "learning/search_learner.hpp"
#include "learning/truncate.hpp"

namespace riata {

template <class Real>
class SegmentSearch {
 public:
  // With the queue `exact`, the best segmentation is found first; where it is wrong, one step of the perceptron (Collins 2002).
  SegmentSearch(SegmentTemplates templates, const SegmentWeights<Real>& initial, const QueueSpec& queue,
                const LearnerSpec& learner, const Limits& limits);

  // One pass over the sentences in the given order. sentence_weights [S] may be empty.
  // gold: [N] the code of the segment that starts at each token, -1 where none does.
  EpochResult epoch(const FeatureIndex& index, const Instances& instances, std::span<const std::int32_t> gold, std::span<const std::int64_t> order,
                    std::span<const double> sentence_weights, const Poll& poll);

  SegmentWeights<Real> averaged() { return model(weights_.average()); }
  // The same in the memory of other weights.
  void average_into(SegmentWeights<Real>& mean) {
    mean.kinds = kinds_;
    mean.grown = grown_;
    weights_.average_into(mean.flat);
    dropped_ = truncate(mean.flat, truncate_);
  }
  SegmentWeights<Real> last() { return model(weights_.last()); }
  std::int64_t dropped() const noexcept { return dropped_; }
  const SearchStats& stats() const noexcept { return learner_.stats(); }
  double norm() const noexcept { return weights_.norm(); }
  const SegmentKinds& kinds() const noexcept { return kinds_; }

 private:
  bool learn_exactly(SegmentSpace<Real>& space, std::span<const std::int32_t> gold, double weight);
  SegmentWeights<Real> model(Numbers<Real> flat) {
    dropped_ = truncate(flat, truncate_);
    return {kinds_, grown_, std::move(flat)};
  }

  SegmentTemplates templates_;
  SegmentKinds kinds_;
  Linear<Real> weights_;
  GrownRows grown_;
  QueueSpec queue_spec_;
  std::unique_ptr<Queue> queue_;  // none: exact
  SearchLearner<Real> learner_;
  SemiMarkov<Real> exact_;
  Limits limits_;
  double truncate_;
  std::int64_t dropped_ = 0;  // weights that truncation left out of the model made last
};

// The best segments, exactly or as a search finds them: [N] codes, -1 where none starts.
template <class Real>
std::vector<std::int32_t> decode_segments(const FeatureIndex& index, const SegmentTemplates& templates, const SegmentWeights<Real>& weights,
                                          const Instances& instances, const QueueSpec& queue, const Limits& limits, const Poll& poll);

// The score of given segments, sentence by sentence: [S].
template <class Real>
std::vector<double> segment_scores(const FeatureIndex& index, const SegmentTemplates& templates, const SegmentWeights<Real>& weights,
                                   const Instances& instances, std::span<const std::int32_t> codes);

// The rows of the features of given segments, one segment after the other; counts: how many of each. Features that the weights do not
// know yet are added to them, with weight zero.
struct SegmentRows {
  std::vector<std::int32_t> counts;
  std::vector<std::int64_t> rows;
};
template <class Real>
SegmentRows segment_rows(const FeatureIndex& index, const SegmentTemplates& templates, SegmentWeights<Real>& weights, const Instances& instances,
                         std::span<const std::int32_t> codes);

// The regret of the states along given segments, [N] at the tokens where they start, -1 elsewhere; what has no gold is no matter.
std::vector<std::int32_t> segment_regrets(const SegmentKinds& kinds, std::span<const std::int64_t> starts, std::span<const std::int32_t> gold,
                                          std::span<const std::int32_t> codes);

}  // namespace riata
