// The multipliers of planes that share one cap, by coordinate ascent on pairs.
#pragma once

#include <algorithm>
#include <cstddef>
#include <limits>
#include <span>
#include <vector>

namespace riata {

// Maximises b.a - a'Ga/2 over a >= 0 with a sum of at most `cap`, from the present a, which must be feasible. Every step moves weight
// between the two multipliers that gain most; what is left of the cap is a multiplier of its own, of a plane that is 0. Ends if no pair
// gains more than `precise` per unit. b: [n]; g: [n][n]; a: [n].
inline void ascend_in_simplex(std::span<const double> b, std::span<const double> g, double cap, double precise, std::span<double> a) {
  const std::size_t n = b.size(), most_steps = 10'000 + 100 * n;
  std::vector<double> slopes(b.begin(), b.end());
  double left = cap;  // of the cap
  for (std::size_t k = 0; k < n; ++k) {
    left -= a[k];
    for (std::size_t j = 0; j < n && a[k] != 0; ++j) slopes[j] -= a[k] * g[k * n + j];
  }
  const auto product = [&](std::size_t i, std::size_t j) { return i == n || j == n ? 0 : g[i * n + j]; };
  for (std::size_t step = 0; step < most_steps; ++step) {
    std::size_t up = n, down = n;  // n: what is left
    double highest = 0, lowest = left > 0 ? 0 : std::numeric_limits<double>::infinity();
    for (std::size_t k = 0; k < n; ++k) {
      if (slopes[k] > highest) highest = slopes[up = k];
      if (a[k] > 0 && slopes[k] < lowest) lowest = slopes[down = k];
    }
    if (!(highest - lowest > precise)) break;
    const double curve = product(up, up) + product(down, down) - 2 * product(up, down);
    const double most = down == n ? left : a[down];
    const double move = curve > 0 ? std::min(most, (highest - lowest) / curve) : most;
    (up == n ? left : a[up]) += move;
    (down == n ? left : a[down]) = move == most ? 0 : most - move;
    for (std::size_t k = 0; k < n; ++k) slopes[k] -= move * (product(up, k) - product(down, k));
  }
}

// [n][n] the products of planes, each of which knows those with all planes up to itself.
template <class Plane>
std::vector<double> square(const std::vector<Plane>& planes) {
  const std::size_t n = planes.size();
  std::vector<double> out(n * n);
  for (std::size_t i = 0; i < n; ++i) {
    for (std::size_t j = 0; j <= i; ++j) out[i * n + j] = out[j * n + i] = planes[i].products[j];
  }
  return out;
}

// Removes plane k, its products with others, and its multiplier.
template <class Plane>
void drop_plane(std::vector<Plane>& planes, std::vector<double>& multipliers, std::size_t k) {
  const auto at = static_cast<std::ptrdiff_t>(k);
  for (std::size_t later = k + 1; later < planes.size(); ++later) planes[later].products.erase(planes[later].products.begin() + at);
  planes.erase(planes.begin() + at);
  multipliers.erase(multipliers.begin() + at);
}

}  // namespace riata
