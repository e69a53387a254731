#include "inference/exact/viterbi.hpp"

#include <algorithm>
#include <limits>

namespace riata {
namespace {

// reach[j] = max over i of from[i] + edge[i][j]
template <class Real>
void max_plus(const Real* from, const Real* edge, std::int32_t labels, std::int32_t stride, Real* reach) noexcept {
  std::fill(reach, reach + stride, -std::numeric_limits<Real>::infinity());
  for (std::int32_t i = 0; i < labels; ++i) {
    const Real score = from[i];
    const Real* row = edge + std::size_t(i) * stride;
    for (std::int32_t j = 0; j < stride; ++j) {
      const Real candidate = score + row[j];
      reach[j] = candidate > reach[j] ? candidate : reach[j];
    }
  }
}

}  // namespace

template <class Real>
Real Viterbi<Real>::operator()(const ChainScores<Real>& chain, std::int32_t* labels) {
  const std::int32_t T = chain.length, L = chain.labels, stride = chain.stride;
  alpha_.resize(std::size_t(T) * stride);
  reach_.resize(std::size_t(T) * stride);
  const auto at = [stride](std::vector<Real>& rows, std::int32_t t) { return rows.data() + std::size_t(t) * stride; };

  std::copy_n(chain.node.data(), stride, at(alpha_, 0));
  for (std::int32_t t = 1; t < T; ++t) {
    max_plus(at(alpha_, t - 1), chain.edge_into(t), L, stride, at(reach_, t));
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
