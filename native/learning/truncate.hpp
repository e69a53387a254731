// Removes the smallest weights of a model.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <vector>

#include "core/numbers.hpp"

namespace riata {

// Sets weights to zero that are smaller than this fraction of the largest |weight|. Returns how many were set to zero.
template <class Real>
std::int64_t truncate(Numbers<Real>& weights, double fraction) {
  if (fraction <= 0) return 0;
  double largest = 0;
  for (const Real weight : weights) largest = std::max(largest, std::abs(double(weight)));
  std::int64_t dropped = 0;
  for (Real& weight : weights) {
    if (weight == 0 || std::abs(double(weight)) >= fraction * largest) continue;
    weight = 0;
    ++dropped;
  }
  return dropped;
}

}  // namespace riata
