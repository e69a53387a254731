// Sums over all labellings of a first-order chain, in logarithms: slower than with factors, but for scores of any size.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <limits>
#include <vector>

#include "core/log_sum.hpp"

namespace riata {

class ChainLogSums {
 public:
  // node(t, j), pair(t, i, j): scores, minus infinity if not allowed. Returns log Z.
  template <class Node, class Pair>
  double operator()(std::size_t length, std::size_t labels, Node node, Pair pair) {
    labels_ = labels;
    alpha_.assign(length * labels, never);
    beta_.assign(length * labels, 0);
    terms_.resize(labels);
    for (std::size_t t = 0; t < length; ++t) {
      for (std::size_t j = 0; j < labels; ++j) {
        for (std::size_t i = 0; t > 0 && i < labels; ++i) terms_[i] = alpha_[(t - 1) * labels + i] + pair(t, i, j);
        alpha_[t * labels + j] = (t > 0 ? log_sum(terms_) : 0) + node(t, j);
      }
    }
    for (std::size_t t = length - 1; t > 0; --t) {
      for (std::size_t i = 0; i < labels; ++i) {
        for (std::size_t j = 0; j < labels; ++j) terms_[j] = pair(t, i, j) + node(t, j) + beta_[t * labels + j];
        beta_[(t - 1) * labels + i] = log_sum(terms_);
      }
    }
    std::copy_n(alpha_.end() - static_cast<std::ptrdiff_t>(labels), labels, terms_.begin());
    return log_z_ = log_sum(terms_);
  }

  double posterior(std::size_t t, std::size_t j) const noexcept { return std::exp(log_posterior(t, j)); }
  double log_posterior(std::size_t t, std::size_t j) const noexcept { return alpha_[t * labels_ + j] + beta_[t * labels_ + j] - log_z_; }

  // The probability of labels i and j at tokens t - 1 and t. score: the score of the pair plus that of j at token t.
  double posterior(std::size_t t, std::size_t i, std::size_t j, double score) const noexcept {
    return std::exp(alpha_[(t - 1) * labels_ + i] + score + beta_[t * labels_ + j] - log_z_);
  }

  // The probability of label j at token t if label i is at t - 1; 0 if i cannot be there.
  double after(std::size_t t, std::size_t i, std::size_t j, double score) const noexcept {
    const double given = beta_[(t - 1) * labels_ + i];
    return given == never ? 0 : std::exp(score + beta_[t * labels_ + j] - given);
  }

  // The probability of label i at token t - 1 if label j is at t; 0 if j cannot be there.
  double before(std::size_t t, std::size_t i, std::size_t j, double score) const noexcept {
    const double given = alpha_[t * labels_ + j];
    return given == never ? 0 : std::exp(alpha_[(t - 1) * labels_ + i] + score - given);
  }

 private:
  static constexpr double never = -std::numeric_limits<double>::infinity();

  std::size_t labels_ = 0;
  double log_z_ = 0;
  std::vector<double> alpha_, beta_, terms_;
};

}  // namespace riata
