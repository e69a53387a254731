// The step of one weight that minimises a bound of the exponential loss (Altun, Johnson & Hofmann 2003, Algorithm 2, lines 4 to 7).
#pragma once

#include <algorithm>
#include <cmath>

#include "inference/single_weights.hpp"

namespace riata {

// exp(x) - 1 - x, without the loss of digits near 0.
inline double beyond_linear(double x) noexcept {
  if (std::abs(x) > 0.3) return std::expm1(x) - x;
  double term = x * x / 2, sum = 0;
  for (int n = 3; n < 16; ++n) {
    sum += term;
    term *= x / n;
  }
  return sum;
}

struct BoundStep {
  double by = 0;    // change of the weight
  double gain = 0;  // 1 - bound: the part of the mass that certainly goes away
};

// The exponential loss is a sum of masses over outputs. If a weight changes by d, that of an output is multiplied by exp(d u), where u says
// how much more of the feature the output has than the truth. exp is convex and u lies in the range, so the sum over all outputs is
// multiplied by at most r exp(d low) + (1 - r) exp(d high), where r = (high - mean) / (high - low). mean: the mean of u over the outputs,
// by their masses. Returns the d between -cap and cap for which this bound is least: the paper's d,
//     log(-r low / ((1 - r) high)) / (high - low),
// unless it is beyond the cap. It is infinite if low or high is 0.
inline BoundStep best_step(FeatureRange u, double mean, double cap) noexcept {
  const double width = u.high - u.low;
  if (!(width > 0)) return {};
  mean = std::clamp(mean, u.low, u.high);
  const double up = u.low < 0 ? std::log1p(-mean / u.low) : mean > 0 ? HUGE_VAL : 0;      // log of (1 - r) / (-low / width)
  const double down = u.high > 0 ? std::log1p(-mean / u.high) : mean < 0 ? HUGE_VAL : 0;  // log of r / (high / width)
  if (up == down || std::isnan(down - up)) return {};
  const double by = std::clamp((down - up) / width, -cap, cap);
  const double low = beyond_linear(by * u.low), high = beyond_linear(by * u.high);
  return {by, -(by * mean + (u.high * low - u.low * high + mean * (high - low)) / width)};
}

// At least the gain of the best step, and at most about twice as much unless the cap matters: by chi squared, which is nowhere below the
// relative entropy that the gain follows from, and by exp(x) >= 1 + x.
inline double most_gain(FeatureRange u, double mean, double cap) noexcept {
  mean = std::clamp(mean, u.low, u.high);
  const double product = (u.high - mean) * (mean - u.low);
  const double linear = std::min(1.0, cap * std::abs(mean));
  return mean * mean < linear * product ? mean * mean / product : linear;
}

}  // namespace riata
