// The logarithm of a sum of exponentials, without overflow or underflow.
#pragma once

#include <algorithm>
#include <cmath>
#include <limits>
#include <span>

namespace riata {

// Minus infinity if all terms are, or if there are none.
inline double log_sum(std::span<const double> terms) noexcept {
  constexpr double never = -std::numeric_limits<double>::infinity();
  const double most = terms.empty() ? never : *std::max_element(terms.begin(), terms.end());
  if (most == never) return never;
  double total = 0;
  for (const double term : terms) total += std::exp(term - most);
  return most + std::log(total);
}

}  // namespace riata
