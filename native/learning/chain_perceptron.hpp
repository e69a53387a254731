// The structured perceptron on chains, with exact search.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "learning/output_learner.hpp"
#include "models/chain.hpp"

namespace riata {

// Collins 2002, Fig. 1, with the averaging of Daumé's thesis ch. 2, Fig. 2.3.
// Differs: examples and classes may be weighted. An update is scaled by the weight of the sentence, and what it
// changes at a token (the edge into it included) by the weight of the token's gold label.
template <class Real>
class ChainPerceptron : public OutputLearner<Real> {
 public:
  using OutputLearner<Real>::OutputLearner;

  // One pass over the sentences in the given order. sentence_weights [S] and class_weights [labels] may be empty.
  EpochResult epoch(const FeatureIndex& index, const Instances& instances, std::span<const std::int64_t> order,
                    std::span<const double> sentence_weights, std::span<const double> class_weights, const Poll& poll);

 private:
  void update(const FeatureIndex& index, const Instances& instances, std::int64_t s, const std::int32_t* found, double sentence_weight,
              std::span<const double> class_weights);

  using OutputLearner<Real>::weights_;
  using OutputLearner<Real>::constraint_;
};

}  // namespace riata
