// Sums over all dependency trees in logarithms, for scores of any size.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <vector>

#include "inference/exact/arc_scores.hpp"

namespace riata {

// What SpanningTreeSums computes by factors, in the same order. Slow, but nothing underflows or overflows.
class SpanningTreeLogarithms {
 public:
  // Returns log Z; minus infinity if no tree is allowed. `shares` becomes the probabilities of arcs. No token but the first may be one that
  // only the root can head.
  double operator()(const ArcScores<double>& arcs, ArcScores<double>& shares) {
    n_ = arcs.length();
    weights_ = arcs;
    const double log_z = eliminate();
    if (!std::isfinite(log_z)) return none;
    differentiate();
    for (std::int32_t c = 1; c <= n_; ++c) {
      for (std::int32_t h = 0; h <= n_; ++h)
        shares(h, c) = h == c || std::isinf(arcs(h, c)) ? 0 : std::clamp(std::exp(slopes_(h, c) + arcs(h, c)), 0.0, 1.0);
    }
    return log_z;
  }

 private:
  static constexpr double none = -std::numeric_limits<double>::infinity();

  // log(e^a + e^b)
  static double added(double a, double b) noexcept {
    const double high = std::max(a, b), low = std::min(a, b);
    return std::isinf(low) ? high : high + std::log1p(std::exp(low - high));
  }

  double eliminate() {
    totals_.assign(static_cast<std::size_t>(n_) + 1, none);
    double log_sum = 0;
    for (std::int32_t v = n_; v > 1; --v) {
      double total = none;
      for (std::int32_t h = 1; h < v; ++h) total = added(total, weights_(h, v));
      if (std::isinf(total)) return none;
      totals_[static_cast<std::size_t>(v)] = total;
      log_sum += total;
      for (std::int32_t c = 1; c < v; ++c) {
        const double share = weights_(v, c) - total;
        if (std::isinf(share)) continue;
        for (std::int32_t h = 0; h < v; ++h) {
          if (h != c) weights_(h, c) = added(weights_(h, c), weights_(h, v) + share);
        }
      }
    }
    return log_sum + weights_(0, 1);
  }

  // slopes_: logarithms of the derivatives of log Z by each weight.
  void differentiate() {
    slopes_.open(n_);
    slopes_(0, 1) = -weights_(0, 1);
    std::vector<double> through(static_cast<std::size_t>(n_) + 1);  // of the weight of an arc to v, by way of arcs from v
    for (std::int32_t v = 2; v <= n_; ++v) {
      const double total = totals_[static_cast<std::size_t>(v)];
      double rest = 1;
      for (std::int32_t h = 0; h < v; ++h) {
        double& sum = through[static_cast<std::size_t>(h)] = none;
        for (std::int32_t c = 1; c < v; ++c) {
          if (c == h) continue;
          sum = added(sum, slopes_(h, c) + weights_(v, c));
          slopes_(v, c) = added(slopes_(v, c), slopes_(h, c) + weights_(h, v) - total);
        }
        rest -= std::exp(sum + weights_(h, v) - total);
      }
      for (std::int32_t h = 0; h < v; ++h) slopes_(h, v) = with_rest(through[static_cast<std::size_t>(h)], h == 0 ? 0 : rest) - total;
    }
  }
  // log(e^a + rest); the rest may be below 0, but the sum is not.
  static double with_rest(double a, double rest) noexcept {
    constexpr double high = 40;  // of which e^a leaves nothing of the rest
    if (rest == 0 || a > high) return a;
    const double sum = std::exp(a) + rest;
    return sum > 0 ? std::log(sum) : none;
  }

  std::int32_t n_ = 0;
  ArcScores<double> weights_, slopes_;  // logarithms
  std::vector<double> totals_;
};

}  // namespace riata
