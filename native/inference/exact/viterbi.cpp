#include "inference/exact/viterbi.hpp"

#include <algorithm>
#include <limits>

#include "core/kernels.hpp"

namespace riata {

template <class Real>
void ForwardScores<Real>::fill(const ChainScores<Real>& chain) {
  const std::int32_t T = chain.length, L = chain.labels, stride = chain.stride;
  chain_ = &chain;
  alpha.resize(std::size_t(T) * stride);
  reach.resize(std::size_t(T) * stride);
  edges_.resize(static_cast<std::size_t>(L));
  std::copy_n(chain.node.data(), stride, alpha.data());
  for (std::int32_t t = 1; t < T; ++t) {
    if (t == 1 || chain.edge_per_token) {
      for (std::int32_t i = 0; i < L; ++i) edges_[i] = chain.edge_into(t) + std::size_t(i) * stride;
    }
    Real* here = alpha.data() + std::size_t(t) * stride;
    Real* before_node = reach.data() + std::size_t(t) * stride;
    if (chain.limited)
      max_plus_of_some(here - stride, before_node);
    else
      max_plus(here - stride, edges_.data(), L, stride, before_node);
    const Real* node = chain.node.data() + std::size_t(t) * stride;
    for (std::int32_t j = 0; j < stride; ++j) here[j] = before_node[j] + node[j];
  }
}

// Like max_plus, without labels in which no prefix ends.
template <class Real>
void ForwardScores<Real>::max_plus_of_some(const Real* from, Real* out) {
  used_.clear();
  from_.clear();
  for (std::size_t i = 0; i < edges_.size(); ++i) {
    if (from[i] == -std::numeric_limits<Real>::infinity()) continue;
    used_.push_back(edges_[i]);
    from_.push_back(from[i]);
  }
  max_plus(from_.data(), used_.data(), static_cast<std::int64_t>(used_.size()), chain_->stride, out);
}

template <class Real>
Real Viterbi<Real>::operator()(const ChainScores<Real>& chain, std::int32_t* labels) {
  const std::int32_t T = chain.length, L = chain.labels, stride = chain.stride;
  forward_.fill(chain);
  const auto at = [stride](const std::vector<Real>& rows, std::int32_t t) { return rows.data() + std::size_t(t) * stride; };

  const Real* last = at(forward_.alpha, T - 1);
  std::int32_t best = 0;
  for (std::int32_t j = 1; j < L; ++j) best = last[j] > last[best] ? j : best;
  const Real score = last[best];
  labels[T - 1] = best;
  for (std::int32_t t = T - 1; t > 0; --t) {  // the predecessor is the first label that gives the maximum
    const Real* from = at(forward_.alpha, t - 1);
    const Real* edge = chain.edge_into(t) + labels[t];
    const Real target = at(forward_.reach, t)[labels[t]];
    std::int32_t i = 0;
    while (i + 1 < L && from[i] + edge[std::size_t(i) * stride] != target) ++i;
    labels[t - 1] = i;
  }
  return score;
}

template struct ForwardScores<float>;
template struct ForwardScores<double>;
template class Viterbi<float>;
template class Viterbi<double>;

}  // namespace riata
