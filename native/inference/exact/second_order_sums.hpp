// Sums over all labellings of a chain that reads two labels back: log Z and posteriors.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <vector>

#include "core/kernels.hpp"

namespace riata {

// Scores of three neighbouring labels as factors, exp(score - highest); 0 if not allowed.
template <class Real>
struct TripleFactors {
  // [label before][label two before][stride]; at token 1 there is no label two before, and the size of the middle dimension is 1.
  const Real* factors;
  double highest;  // subtracted from all scores
};

// Turns scores [rows][stride] into factors, in place; the padding must contain minus infinity. Returns the highest score. highest: [rows]
// the highest score of each row, written.
template <class Real>
double make_factors(Real* scores, std::int64_t rows, std::int32_t stride, std::vector<Real>& highest) {
  highest.resize(static_cast<std::size_t>(rows));
  exp_rows(scores, rows, stride, highest.data());  // scales every row to its own highest score
  Real most = *std::max_element(highest.begin(), highest.end());
  if (most == -std::numeric_limits<Real>::infinity()) most = 0;
  for (std::int64_t r = 0; r < rows; ++r) {
    const Real scale = std::exp(highest[static_cast<std::size_t>(r)] - most);
    for (std::int32_t j = 0; j < stride; ++j) scores[r * stride + j] *= scale;
  }
  return double(most);
}

// Factors that multiply those of label pairs: a row [stride] for each label before; rows are `step` apart; 0: all labels before share one
// row.
template <class Real>
struct PairFactors {
  const Real* rows;
  std::int32_t step;
  double highest;  // subtracted from the scores of the pairs
};

// Forward-backward over pairs of labels, with every position scaled to a sum of 1 in both directions, as ChainSums does for single labels.
// It gives up if a step is so improbable that factors underflow; then the caller must use logarithms.
//
// Tables are [label before][stride] per token; at token 0, only the first row is used. from(t): sums over prefixes that end in a pair;
// into(t)[i][j]: sums over suffixes after the labels i and j, times the factors of j. The posterior of h, i and j at tokens t - 2 to t is
// from(t - 1)[h][i] * factor(i, h, j) * into(t)[i][j]; at token 1, h is 0.
template <class Real>
class SecondOrderSums {
 public:
  explicit SecondOrderSums(std::int32_t labels) : labels_(labels), stride_(padded(labels)) {
    for (auto* rows : {&back_, &next_, &work_}) rows->assign(static_cast<std::size_t>(square()), Real{0});
  }

  // node: [length][stride] scores, minus infinity if a label is not allowed; overwritten by factors. cube(t): TripleFactors of the step
  // into token t > 0; own(t): its PairFactors, which include the factors of the label itself. Both are called for one token after the
  // other, first forward, then backward, and their results are used until the next call. from, into: [length][labels][stride], written;
  // into(0) is undefined. posterior: [length][stride], written. pairs(t, back, share) is called for every token t > 0; the posterior of a
  // pair of labels is from(t) * back * share. Returns log Z, or NaN if it gave up.
  template <class Cube, class Own, class Visit>
  double operator()(std::int32_t length, Real* node, Cube cube, Own own, Real* from, Real* into, Real* posterior, Visit pairs) {
    scale_.resize(static_cast<std::size_t>(length));
    highest_.resize(static_cast<std::size_t>(length));
    exp_rows(node, length, stride_, highest_.data());
    const double log_z = forward(length, node, cube, own, from);
    if (std::isnan(log_z) || !backward(length, cube, own, from, into, posterior, pairs)) return given_up;
    return log_z;
  }

 private:
  static constexpr double given_up = std::numeric_limits<double>::quiet_NaN();
  static constexpr Real least = sizeof(Real) == 4 ? Real(1e-30) : Real(1e-280);

  std::int32_t height(std::int32_t t) const noexcept { return t == 1 ? 1 : labels_; }
  std::int64_t square() const noexcept { return std::int64_t{labels_} * stride_; }

  template <class Cube, class Own>
  double forward(std::int32_t length, const Real* node, Cube& cube, Own& own, Real* from) {
    Real sum = 0;
    for (std::int32_t j = 0; j < labels_; ++j) sum += node[j];
    if (!(sum >= least)) return given_up;
    for (std::int32_t j = 0; j < stride_; ++j) from[j] = node[j] / sum;
    double log_z = double(highest_[0]) + std::log(double(sum));
    for (std::int32_t t = 1; t < length; ++t) {
      const TripleFactors<Real> step = cube(t);
      const PairFactors<Real> factors = own(t);
      Real* to = from + t * square();
      sum = pair_steps(to - square(), step.factors, labels_, height(t), factors.rows, factors.step, stride_, to);
      if (!(sum >= least)) return given_up;
      const Real share = 1 / sum;
      for (std::int64_t k = 0; k < square(); ++k) to[k] *= share;
      scale_[static_cast<std::size_t>(t)] = share;
      log_z += double(highest_[static_cast<std::size_t>(t)]) + step.highest + factors.highest + std::log(double(sum));
    }
    return log_z;
  }

  // Returns false if it gave up. back_[i][j]: sums over suffixes after the labels i and j; if there is no label before, i is 0.
  template <class Cube, class Own, class Visit>
  bool backward(std::int32_t length, Cube& cube, Own& own, const Real* from, Real* into, Real* posterior, Visit& pairs) {
    for (std::int32_t i = 0; i < (length == 1 ? 1 : labels_); ++i) std::fill_n(back_.begin() + std::int64_t{i} * stride_, labels_, Real{1});
    for (std::int32_t t = length - 1; t >= 0; --t) {
      Real* row = posterior + std::int64_t{t} * stride_;
      const Real all = pair_products(from + t * square(), back_.data(), t == 0 ? 1 : labels_, stride_, row);
      if (!(all >= least)) return false;
      const Real share = 1 / all;
      for (std::int32_t j = 0; j < stride_; ++j) row[j] *= share;
      if (t == 0) return true;
      const Real scale = scale_[static_cast<std::size_t>(t)] * share;
      if (!std::isfinite(scale)) return false;
      pairs(t, back_.data(), share);
      const TripleFactors<Real> step = cube(t);
      const PairFactors<Real> factors = own(t);
      const Real sum = pair_steps_back(back_.data(), step.factors, labels_, height(t), factors.rows, factors.step, stride_, scale,
                                       into + t * square(), next_.data(), work_.data());
      if (!(sum >= least)) return false;
      const Real weight = 1 / sum;
      for (std::int64_t k = 0; k < std::int64_t{height(t)} * stride_; ++k) next_[static_cast<std::size_t>(k)] *= weight;
      std::swap(back_, next_);
    }
    return true;
  }

  std::int32_t labels_, stride_;
  std::vector<Real> back_, next_, work_;  // [labels][stride]; the padding of the first two stays 0
  std::vector<Real> scale_, highest_;     // [length]
};

}  // namespace riata
