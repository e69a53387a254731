// A linear chain model: scores of the parts of one sentence, and decoding of a corpus.
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "features/index.hpp"
#include "features/instances.hpp"
#include "inference/constraint.hpp"
#include "inference/exact/viterbi.hpp"
#include "models/weights.hpp"

namespace riata {

// Called now and then from long loops with the number of sentences done; returns false to stop.
using Poll = std::function<bool(std::int64_t)>;

// Says when to poll: after a fixed amount of work, however long the sentences and however many the labels.
class PollClock {
 public:
  explicit PollClock(std::int32_t labels) noexcept : per_token_(std::int64_t{labels} * labels + 500) {}
  bool due(std::int64_t tokens) noexcept {
    left_ -= tokens * per_token_;
    if (left_ > 0) return false;
    left_ = work;
    return true;
  }

 private:
  static constexpr std::int64_t work = 2'000'000;  // about a millisecond
  std::int64_t per_token_;
  std::int64_t left_ = 0;  // the first question is always due
};

// Throws Error unless the instances were made with this index and fit these weights.
template <class Real>
void check_fit(const FeatureIndex& index, const Weights<Real>& weights, const Instances& instances);

// Fills `chain` with the scores of sentence s, constraints included, and what is known of its labels.
template <class Real>
void score_sentence(const FeatureIndex& index, const Weights<Real>& weights, const Constraint<Real>& constraint, const Instances& instances,
                    std::int64_t s, ChainScores<Real>& chain);

// The best labels of every sentence: [N]. Stops early, leaving -1, when poll says so.
template <class Real>
std::vector<std::int32_t> decode(const FeatureIndex& index, const Weights<Real>& weights, const Constraint<Real>& constraint,
                                 const Instances& instances, const Poll& poll);

// The score of given labels [N], sentence by sentence: [S]; minus infinity where they are not allowed.
template <class Real>
std::vector<double> scores_of(const FeatureIndex& index, const Weights<Real>& weights, const Constraint<Real>& constraint,
                              const Instances& instances, std::span<const std::int32_t> labels);

}  // namespace riata
