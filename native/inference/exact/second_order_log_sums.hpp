// Sums over all labellings of a chain that reads two labels back, in logarithms: slower than with factors, but for scores of any size.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <limits>
#include <vector>

#include "core/log_sum.hpp"

namespace riata {

class SecondOrderLogSums {
 public:
  // node(t, j), triple(t, h, i, j): scores, minus infinity if not allowed; at token 1, h is always 0. triple is called token by token,
  // first forward, then backward. Returns log Z.
  template <class Node, class Triple>
  double operator()(std::size_t length, std::size_t labels, Node node, Triple triple) {
    labels_ = labels;
    alpha_.assign(length * labels * labels, never);
    beta_.assign(length * labels * labels, 0);
    for (std::size_t j = 0; j < labels; ++j) alpha_[place(0, 0, j)] = node(0, j);
    for (std::size_t t = 1; t < length; ++t) {
      for (std::size_t i = 0; i < labels; ++i) {
        for (std::size_t j = 0; j < labels; ++j) {
          terms_.clear();
          for (std::size_t h = 0; h < height(t); ++h) terms_.push_back(alpha_[place(t - 1, h, i)] + triple(t, h, i, j));
          alpha_[place(t, i, j)] = log_sum(terms_) + node(t, j);
        }
      }
    }
    for (std::size_t t = length - 1; t > 0; --t) {
      for (std::size_t i = 0; i < labels; ++i) {
        for (std::size_t h = 0; h < height(t); ++h) {
          terms_.clear();
          for (std::size_t j = 0; j < labels; ++j) terms_.push_back(triple(t, h, i, j) + node(t, j) + beta_[place(t, i, j)]);
          beta_[place(t - 1, h, i)] = log_sum(terms_);
        }
      }
    }
    terms_.assign(alpha_.end() - static_cast<std::ptrdiff_t>(labels * labels), alpha_.end());
    return log_z_ = log_sum(terms_);
  }

  double posterior(std::size_t t, std::size_t j) const noexcept {
    double total = 0;
    for (std::size_t i = 0; i < (t == 0 ? 1 : labels_); ++i) total += std::exp(alpha_[place(t, i, j)] + beta_[place(t, i, j)] - log_z_);
    return total;
  }

  // The probability of labels h, i and j at tokens t - 2 to t. score: the score of the triple plus that of j at token t.
  double posterior(std::size_t t, std::size_t h, std::size_t i, std::size_t j, double score) const noexcept {
    return std::exp(alpha_[place(t - 1, h, i)] + score + beta_[place(t, i, j)] - log_z_);
  }

 private:
  static constexpr double never = -std::numeric_limits<double>::infinity();

  std::size_t height(std::size_t t) const noexcept { return t == 1 ? 1 : labels_; }
  std::size_t place(std::size_t t, std::size_t i, std::size_t j) const noexcept { return (t * labels_ + i) * labels_ + j; }

  std::size_t labels_ = 0;
  double log_z_ = 0;
  // [length][label before][label]; of token 0, only the first row is used. terms_: working memory.
  std::vector<double> alpha_, beta_, terms_;
};

}  // namespace riata
