// Exact probabilities of labels and chunks under a chain, over all labellings.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "core/poll.hpp"
#include "inference/structures/chain_model.hpp"

namespace riata {

struct ChainProbabilities {
  std::vector<double> log_z;        // [S] log Z of the scores divided by the temperature
  std::vector<double> labels;       // [N][labels] the probability of each label at each token
  std::vector<double> confidences;  // [N] the probability of the unit (units.hpp) that contains the token; empty if `found` is empty
};

// A labelling has the probability exp(score / temperature) / Z. found: labels, [N], whose chunks get a probability; or empty. Throws Error
// if exact search is not possible (check_exact).
template <class Real>
ChainProbabilities chain_probabilities(const ChainModel<Real>& model, const Corpus& corpus, std::span<const std::int32_t> found,
                                       const ChunkFlags& chunks, double temperature, const Poll& poll);

}  // namespace riata
