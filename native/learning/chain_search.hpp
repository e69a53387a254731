// Learning by search on chains: one epoch over a corpus; and decoding by search.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "inference/search/engine.hpp"
#include "inference/spaces/chain.hpp"
#include "learning/output_learner.hpp"
#include "learning/search_learner.hpp"
#include "learning/truncate.hpp"
#include "models/chain.hpp"
#include "models/confidences.hpp"

namespace riata {

template <class Real>
class ChainSearch {
 public:
  ChainSearch(const FeatureIndex& index, const Weights<Real>& initial, Constraint<Real> constraint, std::int32_t given_size,
              const QueueSpec& queue, const LearnerSpec& learner, const Limits& limits)
      : layout_(index, initial.labels, given_size),
        weights_(layout_.flat(initial), learner.p),
        history_(initial.history),
        constraint_(std::move(constraint)),
        queue_spec_(queue),
        queue_(make_queue(queue)),
        learner_(learner, weights_),
        limits_(limits),
        given_size_(given_size),
        truncate_(learner.truncate) {}

  // One pass over the sentences in the given order; the index may have grown since the last. sentence_weights [S] may be empty.
  EpochResult epoch(const FeatureIndex& index, const Instances& instances, std::span<const std::int64_t> order,
                    std::span<const double> sentence_weights, const Poll& poll);

  Weights<Real> averaged(const FeatureIndex& index) { return model(weights_.average(), index); }
  Weights<Real> last(const FeatureIndex& index) { return model(weights_.last(), index); }
  // The last weights, whatever the model leaves out: those that training and its theory know.
  Weights<Real> untruncated(const FeatureIndex& index) const { return layout_.blocks(weights_.last(), index, history_, given_size_); }
  std::int64_t dropped() const noexcept { return dropped_; }
  const SearchStats& stats() const noexcept { return learner_.stats(); }
  double norm() const noexcept { return weights_.norm(); }
  LeastMargins recorded_margins() const noexcept { return learner_.recorded_margins(); }
  std::int32_t labels() const noexcept { return layout_.labels; }

 private:
  void grow(const FeatureIndex& index, const Instances& instances);
  Weights<Real> model(Numbers<Real> flat, const FeatureIndex& index) {
    dropped_ = truncate(flat, truncate_);
    return layout_.blocks(flat, index, history_, given_size_);
  }

  Layout layout_;
  Linear<Real> weights_;
  HistoryIndex history_;
  Constraint<Real> constraint_;
  QueueSpec queue_spec_;
  std::unique_ptr<Queue> queue_;
  SearchLearner<Real> learner_;
  Limits limits_;
  std::int32_t given_size_;
  double truncate_;
  std::int64_t dropped_ = 0;  // weights that truncation left out of the model made last
};

// Decoding by search: the weights are laid out once, for any number of searches, also at the same time.
template <class Real>
class ChainDecoder {
 public:
  // Both must outlive it.
  ChainDecoder(const FeatureIndex& index, const Weights<Real>& weights)
      : index_(index), weights_(weights), layout_(index, weights), flat_(layout_.flat(weights), 2, false), history_(weights.history) {}

  // The labels that a search finds: [N].
  std::vector<std::int32_t> decode(const Constraint<Real>& constraint, const Instances& instances, const QueueSpec& queue,
                                   const Limits& limits, const Poll& poll) const;

  // The same, with how sure the search is of every chunk or label, at every temperature. chunks: of its labels.
  // given: labels that the search keeps, of which to say it instead; none: those that it finds.
  Confidences confidences(const Constraint<Real>& constraint, const Instances& instances, const QueueSpec& queue, const Limits& limits,
                          const ChunkFlags& chunks, std::span<const double> temperatures, std::span<const std::int32_t> given,
                          const Poll& poll) const;

  const Weights<Real>& weights() const noexcept { return weights_; }

 private:
  const FeatureIndex& index_;
  const Weights<Real>& weights_;
  Layout layout_;
  mutable Linear<Real> flat_;     // a space can learn, so it asks for what it might change;
  mutable HistoryIndex history_;  // told not to grow, it changes neither
};

}  // namespace riata
