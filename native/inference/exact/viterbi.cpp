#include "inference/exact/viterbi.hpp"

#include <algorithm>

#include "core/kernels.hpp"

namespace riata {
template <class Real>
Real Viterbi<Real>::operator()(const ChainScores<Real>& chain, std::int32_t* labels) {
  const std::int32_t T = chain.length, L = chain.labels, stride = chain.stride;
  alpha_.resize(std::size_t(T) * stride);
  reach_.resize(std::size_t(T) * stride);
  edges_.resize(static_cast<std::size_t>(L));
  const auto at = [stride](std::vector<Real>& rows, std::int32_t t) { return rows.data() + std::size_t(t) * stride; };

  std::copy_n(chain.node.data(), stride, at(alpha_, 0));
  for (std::int32_t t = 1; t < T; ++t) {
    if (t == 1 || chain.edge_per_token) {
      for (std::int32_t i = 0; i < L; ++i) edges_[i] = chain.edge_into(t) + std::size_t(i) * stride;
    }
    max_plus(at(alpha_, t - 1), edges_.data(), L, stride, at(reach_, t));
    const Real* node = chain.node.data() + std::size_t(t) * stride;
    for (std::int32_t j = 0; j < stride; ++j) at(alpha_, t)[j] = at(reach_, t)[j] + node[j];
  }

  const Real* last = at(alpha_, T - 1);
  std::int32_t best = 0;
  for (std::int32_t j = 1; j < L; ++j) best = last[j] > last[best] ? j : best;
  const Real score = last[best];
  labels[T - 1] = best;
  for (std::int32_t t = T - 1; t > 0; --t) {  // the predecessor is the label that gave the maximum, found again
    const Real* from = at(alpha_, t - 1);
    const Real* edge = chain.edge_into(t) + labels[t];
    const Real target = at(reach_, t)[labels[t]];
    std::int32_t i = 0;
    while (i + 1 < L && from[i] + edge[std::size_t(i) * stride] != target) ++i;
    labels[t - 1] = i;
  }
  return score;
}

template class Viterbi<float>;
template class Viterbi<double>;

}  // namespace riata
