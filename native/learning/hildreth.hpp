// The multipliers of a few linear constraints, by Hildreth's algorithm.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <vector>

namespace riata {

// Maximises b.a - a'Ga/2 over 0 <= a <= cap, one multiplier after the other, in several passes. This gives the smallest change of the
// weights that satisfies all constraints, where b is by how much each is violated and G, [n][n], contains the dot products of their
// differences. Every diagonal entry of G must be above zero.
inline std::vector<double> hildreth(const std::vector<double>& b, const std::vector<double>& g, double cap) {
  constexpr int most_passes = 1000;
  constexpr double precise = 1e-9;  // relative to the largest violation
  const std::size_t n = b.size();
  std::vector<double> a(n, 0.0), left = b;  // left: by how much each constraint is still violated
  double largest = 0;
  for (const double violated : b) largest = std::max(largest, std::abs(violated));
  for (int pass = 0; pass < most_passes; ++pass) {
    double moved = 0;
    for (std::size_t i = 0; i < n; ++i) {
      const double now = std::clamp(a[i] + left[i] / g[i * n + i], 0.0, cap);
      const double change = now - a[i];
      if (change == 0) continue;
      a[i] = now;
      for (std::size_t j = 0; j < n; ++j) left[j] -= change * g[i * n + j];
      moved = std::max(moved, std::abs(change) * g[i * n + i]);
    }
    if (moved <= precise * largest) break;
  }
  return a;
}

}  // namespace riata
