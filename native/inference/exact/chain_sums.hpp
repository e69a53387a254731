// Sums over all labellings of a first-order chain: log Z and posteriors.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <vector>

#include "core/kernels.hpp"

namespace riata {

// Scores of pairs of neighbouring labels as factors, exp(score - highest), and the same matrix transposed. Pairs that are not allowed have
// the factor 0.
template <class Real>
struct EdgeFactors {
  const Real* forward;   // [label before][stride]
  const Real* backward;  // [label][stride: label before]
  double highest;        // subtracted from all scores
};

// Computes edge factors from scores [labels][stride], which are minus infinity if a pair is not allowed; the padding may contain anything.
// Returns the highest score. forward, backward: [labels][stride], written.
template <class Real>
double make_edge_factors(const Real* scores, std::int32_t labels, Real* forward, Real* backward) {
  constexpr Real never = -std::numeric_limits<Real>::infinity();
  const std::int32_t stride = padded(labels);
  Real highest = never;
  for (std::int32_t i = 0; i < labels; ++i)
    highest = std::max(highest, *std::max_element(scores + std::int64_t{i} * stride, scores + std::int64_t{i} * stride + labels));
  if (highest == never) highest = 0;
  for (std::int32_t i = 0; i < labels; ++i) {
    Real* row = forward + std::int64_t{i} * stride;
    Real most = 0;
    for (std::int32_t j = 0; j < stride; ++j) row[j] = j < labels ? scores[std::int64_t{i} * stride + j] - highest : never;
    exp_rows(row, 1, stride, &most);  // scales the row to its own highest score
    const Real scale = std::exp(most);
    for (std::int32_t j = 0; j < stride; ++j) row[j] *= scale;
    for (std::int32_t j = 0; j < labels; ++j) backward[std::int64_t{j} * stride + i] = row[j];
  }
  return double(highest);
}

// Forward-backward with every position scaled to a sum of 1 (Rabiner 1989), in both directions: it needs no logarithms and works for any
// length. It gives up if a step is so improbable that factors underflow; then the caller must use logarithms.
//
// Posteriors of label pairs of the sentence are alpha(t - 1)[i] * factor(i, j) * into(t)[j].
template <class Real>
class ChainSums {
 public:
  // limited: whether tokens have so few of the labels that it pays to leave out the others.
  explicit ChainSums(std::int32_t labels, bool limited = false)
      : labels_(labels), stride_(padded(labels)), which_(limited ? static_cast<std::size_t>(labels) : 0) {}

  // node: [length][stride] scores, minus infinity if a label is not allowed; overwritten by factors. edge(t): EdgeFactors of the step into
  // token t > 0. alpha, into, posterior: [length][stride], written; into(0) is undefined. Returns log Z, or NaN if it gave up.
  template <class Edge>
  double operator()(std::int32_t length, Real* node, Edge edge, Real* alpha, Real* into, Real* posterior) {
    highest_.resize(static_cast<std::size_t>(length));
    scale_.resize(static_cast<std::size_t>(length));
    exp_rows(node, length, stride_, highest_.data());
    const auto row = [&](auto* rows, std::int32_t t) { return rows + std::int64_t{t} * stride_; };
    Real sum = 0;
    for (std::int32_t j = 0; j < stride_; ++j) sum += node[j];
    if (!(sum >= least)) return given_up;
    for (std::int32_t j = 0; j < stride_; ++j) alpha[j] = node[j] / sum;
    std::fill_n(row(posterior, length - 1), stride_, Real{1});
    scale_[0] = 0;
    double log_z = double(highest_[0]), product = double(sum);
    // Forward from the first token and backward from the last token at the same time: the two do not depend on each other.
    for (std::int32_t t = 1; t < length; ++t) {
      const std::int32_t back = length - 1 - t;
      const EdgeFactors<Real> factors = edge(t);
      const auto step = [&](auto kernel, auto... working) {
        return kernel(row(alpha, t - 1), factors.forward, row(node, t), row(alpha, t), row(node, back + 1), row(posterior, back + 1),
                      edge(back + 1).backward, row(into, back + 1), row(posterior, back), labels_, stride_, working...);
      };
      const StepSums<Real> sums = which_.empty() ? step([](auto... parts) { return chain_steps(parts...); })
                                                 : step([](auto... parts) { return chain_steps_of_some(parts...); }, which_.data());
      if (!(sums.ahead >= least && sums.back >= least)) return given_up;
      scale_[static_cast<std::size_t>(t)] = 1 / sums.ahead;
      log_z += double(highest_[static_cast<std::size_t>(t)]) + factors.highest;
      product *= double(sums.ahead);
      if (product < 1e-200) {
        log_z += std::log(product);
        product = 1;
      }
    }
    if (!(chain_posteriors(alpha, scale_.data(), length, stride_, posterior, into) >= least)) return given_up;
    return log_z + std::log(product);
  }

 private:
  static constexpr double given_up = std::numeric_limits<double>::quiet_NaN();
  static constexpr Real least = sizeof(Real) == 4 ? Real(1e-30) : Real(1e-280);

  std::int32_t labels_, stride_;
  std::vector<Real> highest_, scale_;  // [length]
  std::vector<std::int32_t> which_;    // [labels] working memory; empty: all labels are summed over
};

}  // namespace riata
