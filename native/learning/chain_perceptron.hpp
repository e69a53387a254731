// The structured perceptron on chains, with exact search.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "learning/averaged.hpp"
#include "models/chain.hpp"

namespace riata {

struct EpochResult {
  std::int64_t sentences = 0;     // seen
  std::int64_t updates = 0;       // sentences whose best labels were wrong
  std::int64_t tokens = 0;        // seen
  std::int64_t wrong_tokens = 0;  // of those, labelled wrongly before the update
};

// Collins 2002, Fig. 1, with the averaging of Daumé's thesis ch. 2, Fig. 2.3.
// Differs: examples and classes may be weighted. An update is scaled by the weight of the sentence, and what it
// changes at a token (the edge into it included) by the weight of the token's gold label.
template <class Real>
class ChainPerceptron {
 public:
  ChainPerceptron(Weights<Real> initial, Constraint<Real> constraint)
      : weights_(std::move(initial)), constraint_(std::move(constraint)) {}

  // One pass over the sentences in the given order. sentence_weights [S] and class_weights [labels] may be empty.
  EpochResult epoch(const FeatureIndex& index, const Instances& instances, std::span<const std::int64_t> order,
                    std::span<const double> sentence_weights, std::span<const double> class_weights, const Poll& poll);

  Weights<Real> averaged() const { return weights_.average(); }
  void average_into(Weights<Real>& mean) const { weights_.average_into(mean); }
  Weights<Real> finish() { return weights_.finish(); }  // the average, and the learner forgets all
  const Weights<Real>& last() const noexcept { return weights_.current; }
  Averaged<Real>& weights() noexcept { return weights_; }
  const Constraint<Real>& constraint() const noexcept { return constraint_; }

 private:
  void update(const FeatureIndex& index, const Instances& instances, std::int64_t s, const std::int32_t* found,
              double sentence_weight, std::span<const double> class_weights);

  Averaged<Real> weights_;
  Constraint<Real> constraint_;
};

}  // namespace riata
