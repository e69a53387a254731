// Sums over all labellings of a chain that looks two labels back: log-partition and posteriors.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <vector>

#include "core/kernels.hpp"

namespace riata {

// Scores of three neighbouring labels as factors: exp(score - highest); 0 where not allowed.
template <class Real>
struct TripleFactors {
  const Real* factors;  // [labels: the one before][the one before that][stride: the label]; at token 1, no label is before that, and the middle is 1
  double highest;       // taken off all scores
};

// Makes factors of scores [rows][stride], in place; the padding holds minus infinity. Returns the highest score. highest: of each row, to write.
template <class Real>
double make_factors(Real* scores, std::int64_t rows, std::int32_t stride, std::vector<Real>& highest) {
  highest.resize(static_cast<std::size_t>(rows));
  exp_rows(scores, rows, stride, highest.data());  // which scales every row to its own highest
  Real most = *std::max_element(highest.begin(), highest.end());
  if (most == -std::numeric_limits<Real>::infinity()) most = 0;
  for (std::int64_t r = 0; r < rows; ++r) {
    const Real scale = std::exp(highest[static_cast<std::size_t>(r)] - most);
    for (std::int32_t j = 0; j < stride; ++j) scores[r * stride + j] *= scale;
  }
  return double(most);
}

// Forward-backward over pairs of labels, with every position scaled to a sum of 1 in both directions, as ChainSums does it on one label.
// It gives up where a step is so improbable that its factors vanish; then logarithms must do it.
//
// A pair is a label and the one before it. Both tables hold a row [stride] per token for each of its labels, which are `plane` numbers apart:
// from(t)[j][i]: prefixes that end in i, j; into(t)[i][j]: what follows i, with the label j. The posterior of h, i and j at
// tokens t - 2 to t is from(t - 1)[i][h] * factor(i, h, j) * into(t)[i][j]; at token 1, h is 0.
template <class Real>
class SecondOrderSums {
 public:
  SecondOrderSums(std::int32_t labels, std::int32_t stride) : labels_(labels), stride_(stride) {
    for (auto* rows : {&pairs_, &back_, &next_}) rows->assign(static_cast<std::size_t>(labels) * static_cast<std::size_t>(stride), Real{0});
  }

  // node: [length][stride] scores, where minus infinity is not allowed; left as factors. cube(t): TripleFactors of the step into token t > 0, asked for in
  // turn, up and down again, and read until the next is asked for. from, into: [labels][plane] to write, where the padding of rows must be 0; into(0)
  // means nothing. posterior: [length][stride] to write. Returns log Z, or NaN where it gave up.
  template <class Cube>
  double operator()(std::int32_t length, Real* node, Cube cube, Real* from, Real* into, std::int64_t plane, Real* posterior) {
    scale_.resize(static_cast<std::size_t>(length));
    highest_.resize(static_cast<std::size_t>(length));
    exp_rows(node, length, stride_, highest_.data());
    const double log_z = forward(length, node, cube, from, plane);
    if (std::isnan(log_z) || !backward(length, node, cube, from, into, plane, posterior)) return given_up;
    return log_z;
  }

 private:
  static constexpr double given_up = std::numeric_limits<double>::quiet_NaN();
  static constexpr Real least = sizeof(Real) == 4 ? Real(1e-30) : Real(1e-280);

  std::int32_t height(std::int32_t t) const noexcept { return t == 1 ? 1 : labels_; }

  template <class Cube>
  double forward(std::int32_t length, const Real* node, Cube& cube, Real* from, std::int64_t plane) {
    Real sum = 0;
    for (std::int32_t j = 0; j < labels_; ++j) sum += node[j];
    if (!(sum >= least)) return given_up;
    for (std::int32_t j = 0; j < labels_; ++j) from[j * plane] = node[j] / sum;
    double log_z = double(highest_[0]) + std::log(double(sum));
    for (std::int32_t t = 1; t < length; ++t) {
      const TripleFactors<Real> step = cube(t);
      const std::int64_t at = std::int64_t{t} * stride_, slab = std::int64_t{height(t)} * stride_;
      sum = 0;
      for (std::int32_t i = 0; i < labels_; ++i) {
        sum += weigh_rows(from + i * plane + at - stride_, step.factors + i * slab, height(t), node + at, stride_, pairs_.data() + std::int64_t{i} * stride_);
      }
      if (!(sum >= least)) return given_up;
      const Real share = 1 / sum;
      for (std::int32_t j = 0; j < labels_; ++j) {
        Real* row = from + j * plane + at;
        for (std::int32_t i = 0; i < labels_; ++i) row[i] = pairs_[static_cast<std::size_t>(i) * static_cast<std::size_t>(stride_) + static_cast<std::size_t>(j)] * share;
      }
      scale_[static_cast<std::size_t>(t)] = share;
      log_z += double(highest_[static_cast<std::size_t>(t)]) + step.highest + std::log(double(sum));
    }
    return log_z;
  }

  // False where it gave up. back_[j][i]: suffixes after i, j; where there is no label before, i is 0.
  template <class Cube>
  bool backward(std::int32_t length, const Real* node, Cube& cube, const Real* from, Real* into, std::int64_t plane, Real* posterior) {
    for (std::int32_t j = 0; j < labels_; ++j) std::fill_n(back_.begin() + std::int64_t{j} * stride_, length == 1 ? 1 : labels_, Real{1});
    for (std::int32_t t = length - 1; t >= 0; --t) {
      const std::int64_t at = std::int64_t{t} * stride_;
      Real all = 0;
      std::fill_n(posterior + at, stride_, Real{0});
      for (std::int32_t j = 0; j < labels_; ++j) {
        const Real *row = from + j * plane + at, *after = back_.data() + std::int64_t{j} * stride_;
        if (t == 0) posterior[j] = row[0] * after[0];
        else multiply_rows(row, after, 1, stride_, posterior + at + j);
        all += posterior[at + j];
      }
      if (!(all >= least)) return false;
      for (std::int32_t j = 0; j < labels_; ++j) posterior[at + j] /= all;
      if (t == 0) return true;
      const TripleFactors<Real> step = cube(t);
      const std::int64_t slab = std::int64_t{height(t)} * stride_;
      const Real weight = scale_[static_cast<std::size_t>(t)] / all;
      // All rows first: one that is read while it is written waits.
      for (std::int32_t i = 0; i < labels_; ++i) {
        Real* row = into + i * plane + at;
        for (std::int32_t j = 0; j < labels_; ++j) row[j] = node[at + j] * back_[static_cast<std::size_t>(j) * static_cast<std::size_t>(stride_) + static_cast<std::size_t>(i)];
      }
      Real sum = 0;
      for (std::int32_t i = 0; i < labels_; ++i) {
        Real *row = into + i * plane + at, *before = next_.data() + std::int64_t{i} * stride_;
        multiply_rows(step.factors + i * slab, row, height(t), stride_, before);
        for (std::int32_t h = 0; h < height(t); ++h) sum += before[h];
        for (std::int32_t j = 0; j < labels_; ++j) row[j] *= weight;
      }
      if (!(sum >= least)) return false;
      const Real share = 1 / sum;
      for (std::int32_t i = 0; i < labels_; ++i) {
        for (std::int32_t h = 0; h < height(t); ++h) next_[static_cast<std::size_t>(i) * static_cast<std::size_t>(stride_) + static_cast<std::size_t>(h)] *= share;
      }
      std::swap(back_, next_);
    }
    return true;
  }

  std::int32_t labels_, stride_;
  std::vector<Real> pairs_, back_, next_;  // [labels][stride]; their padding stays 0
  std::vector<Real> scale_, highest_;      // [length]
};

}  // namespace riata
