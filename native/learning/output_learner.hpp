// What learners that compare whole outputs have in common: weights with their average, and which outputs are allowed.
#pragma once

#include <cstdint>
#include <utility>

#include "inference/constraint.hpp"
#include "learning/averaged.hpp"

namespace riata {

struct EpochResult {
  std::int64_t sentences = 0;     // seen
  std::int64_t updates = 0;       // sentences whose best labels were wrong
  std::int64_t tokens = 0;        // seen
  std::int64_t wrong_tokens = 0;  // of those, labelled wrongly before the update
};

template <class Real>
class OutputLearner {
 public:
  OutputLearner(Weights<Real> initial, Constraint<Real> constraint) : weights_(std::move(initial)), constraint_(std::move(constraint)) {}

  Weights<Real> averaged() const { return weights_.average(); }
  void average_into(Weights<Real>& mean) const { weights_.average_into(mean); }
  Weights<Real> finish() { return weights_.finish(); }  // the average, and the learner forgets all
  const Weights<Real>& last() const noexcept { return weights_.current; }
  Averaged<Real>& weights() noexcept { return weights_; }
  const Constraint<Real>& constraint() const noexcept { return constraint_; }

 protected:
  Averaged<Real> weights_;
  Constraint<Real> constraint_;
};

}  // namespace riata
