// Hamming loss: the number of wrong labels. It is a sum over tokens, so it can be added to the scores of labels.
#pragma once

#include <cstdint>

#include "inference/exact/viterbi.hpp"

namespace riata {

// Adds cost_of(t) to the score of every label of token t except the true label.
template <class Real, class CostOf>
void add_hamming_by_token(ChainScores<Real>& chain, const std::int32_t* gold, CostOf cost_of) noexcept {
  for (std::int32_t t = 0; t < chain.length; ++t) {
    Real* row = chain.node.data() + std::size_t(t) * chain.stride;
    const auto cost = static_cast<Real>(cost_of(t));
    for (std::int32_t j = 0; j < chain.labels; ++j) row[j] += j == gold[t] ? Real{0} : cost;
  }
}

// Adds `cost` to the score of every label except the true label: Viterbi then finds the loss-augmented argmax.
template <class Real>
void add_hamming(ChainScores<Real>& chain, const std::int32_t* gold, Real cost) noexcept {
  add_hamming_by_token(chain, gold, [cost](std::int32_t) { return cost; });
}

}  // namespace riata
