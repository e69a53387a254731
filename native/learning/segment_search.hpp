// Learning on labelled segments, by search or from the exact best; decoding by either.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <utility>
#include <vector>

#include "inference/exact/closest_segments.hpp"
#include "inference/exact/semi_markov.hpp"
#include "inference/exact/semi_markov_kbest.hpp"
#include "inference/exact/semi_markov_sums.hpp"
#include "inference/search/engine.hpp"
#include "inference/spaces/segments.hpp"
#include "learning/chain_perceptron.hpp"
#include "learning/search_learner.hpp"
#include "learning/segment_lattice.hpp"
#include "learning/truncate.hpp"
#include "models/confidences.hpp"

namespace riata {

template <class Real>
class SegmentSearch {
 public:
  // With the queue `exact`, the best segmentation is found first; where it is wrong, one step away from it, or from all of them
  // (`lattice`; Daumé & Marcu 2005, Sec. 4.1).
  SegmentSearch(SegmentTemplates templates, const SegmentWeights<Real>& initial, const QueueSpec& queue, const LearnerSpec& learner,
                const Limits& limits);

  // One pass over the sentences in the given order. sentence_weights [S] may be empty.
  // gold: [N] the code of the segment that starts at each token, -1 where none does.
  EpochResult epoch(const FeatureIndex& index, const Instances& instances, std::span<const std::int32_t> gold,
                    std::span<const std::int64_t> order, std::span<const double> sentence_weights, const Poll& poll);

  SegmentWeights<Real> averaged() { return model(weights_.average()); }
  // The same in the memory of other weights.
  void average_into(SegmentWeights<Real>& mean) {
    mean.kinds = kinds_;
    mean.grown = grown_;
    weights_.average_into(mean.flat);
    dropped_ = truncate(mean.flat, truncate_);
  }
  SegmentWeights<Real> last() { return model(weights_.last()); }
  // The last weights, whatever the model leaves out: those that training and its theory know.
  // Learning ends with it.
  SegmentWeights<Real> untruncated() { return {kinds_, grown_, weights_.take_last()}; }
  LeastMargins recorded_margins() const noexcept { return learner_.recorded_margins(); }
  std::int64_t dropped() const noexcept { return dropped_; }
  const SearchStats& stats() const noexcept { return learner_.stats(); }
  double norm() const noexcept { return weights_.norm(); }
  const SegmentKinds& kinds() const noexcept { return kinds_; }

 private:
  void learn_exactly(SegmentSpace<Real>& space, std::span<const std::int32_t> gold);
  // gold: the truth, or what is learnt in its place.
  bool find_rival(SegmentSteps<Real>& steps, std::span<std::int32_t> gold, std::vector<std::int32_t>& found);
  bool find_closest(SegmentSteps<Real>& steps, std::span<std::int32_t> gold, std::vector<std::int32_t>& found);
  void add_features(SegmentSpace<Real>& space, std::span<const std::int32_t> codes, double sign, Difference& delta);
  Difference from_lattice(SegmentSteps<Real>& steps, Difference delta, double pace);
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
  ClosestSegments<Real> closest_;
  SemiMarkovKBest<Real> two_best_;
  SemiMarkovSums<Real> sums_;
  SegmentLattice<Real> lattice_;
  SegmentLoss loss_;
  Limits limits_;
  double truncate_;
  std::int64_t dropped_ = 0;  // weights that truncation left out of the model made last
};

// Refuses weights, or sentences, of another feature index.
template <class Real>
void check_fit(const FeatureIndex& index, const SegmentTemplates& templates, const SegmentWeights<Real>& weights,
               const Instances& instances);

// The best segments, exactly or as a search finds them: [N] codes, -1 where none starts.
template <class Real>
std::vector<std::int32_t> decode_segments(const FeatureIndex& index, const SegmentTemplates& templates, const SegmentWeights<Real>& weights,
                                          const Instances& instances, const QueueSpec& queue, const Limits& limits, const Poll& poll);

// The same by a queue of levels, with how sure the search is of every segment, at every temperature; each token has that of its segment.
// given: segments that the search keeps, of which to say it instead; none: those that it finds.
template <class Real>
Confidences segment_confidences(const FeatureIndex& index, const SegmentTemplates& templates, const SegmentWeights<Real>& weights,
                                const Instances& instances, const QueueSpec& queue, const Limits& limits,
                                std::span<const double> temperatures, std::span<const std::int32_t> given, const Poll& poll);

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
SegmentRows segment_rows(const FeatureIndex& index, const SegmentTemplates& templates, SegmentWeights<Real>& weights,
                         const Instances& instances, std::span<const std::int32_t> codes);

// Sums over all segmentations, each with the probability exp(sharpness * score) / Z: log Z [S], and the expected features, one sentence
// after the other; counts [S]: how many numbers of each. Only of features that the weights know.
struct SegmentSums {
  std::vector<double> log_z;
  std::vector<std::int64_t> counts;
  Difference expected;
};
template <class Real>
SegmentSums segment_sums(const FeatureIndex& index, const SegmentTemplates& templates, const SegmentWeights<Real>& weights,
                         const Instances& instances, double sharpness);

// The k best segmentations of every sentence: [S] how many, at most k; their codes one after the other, best first; their scores.
struct BestSegments {
  std::vector<std::int64_t> counts;
  std::vector<std::int32_t> codes;
  std::vector<double> scores;
};
template <class Real>
BestSegments best_segments(const FeatureIndex& index, const SegmentTemplates& templates, const SegmentWeights<Real>& weights,
                           const Instances& instances, std::int64_t k, const Poll& poll);

// The regret of the states along given segments, [N] at the tokens where they start, -1 elsewhere; what has no gold is no matter.
std::vector<std::int32_t> segment_regrets(const SegmentKinds& kinds, std::span<const std::int64_t> starts,
                                          std::span<const std::int32_t> gold, std::span<const std::int32_t> codes);

}  // namespace riata
