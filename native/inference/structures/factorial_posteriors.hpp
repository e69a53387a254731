// The probabilities of the combinations of labels of every token.
#pragma once

#include <cstdint>
#include <vector>

#include "core/poll.hpp"
#include "inference/corpus.hpp"
#include "inference/structures/factorial_model.hpp"

namespace riata {

struct FactorialProbabilities {
  std::vector<double> log_z;   // [S]
  std::vector<double> labels;  // [N][combinations]
};

// Over all outputs that the constraints of the model allow, exactly. Scores are divided by the temperature.
template <class Real>
FactorialProbabilities factorial_probabilities(const FactorialModel<Real>& model, const Corpus& corpus, double temperature,
                                               const Poll& poll);

}  // namespace riata
