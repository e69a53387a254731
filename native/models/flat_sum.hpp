// Several models whose weights are one long vector as one, as that of chains: models/weights_sum.hpp.
#pragma once

#include <cmath>
#include <span>
#include <vector>

#include "core/error.hpp"

namespace riata {

// Weights: has `flat`, and an add_scaled(to, from, scale).
template <class Weights>
Weights normalised_flat_sum(std::span<const Weights* const> parts) {
  if (parts.empty()) throw Error("RiataError", "there are no weights to sum");
  std::vector<double> norms;
  double total = 0;
  for (const Weights* part : parts) {
    double sum = 0;
    for (const auto value : part->flat) sum += double(value) * value;
    total += norms.emplace_back(std::sqrt(sum));
  }
  const double number = static_cast<double>(parts.size());
  Weights out = *parts[0];
  out.flat.assign(out.flat.size(), 0);
  for (std::size_t p = 0; p < parts.size(); ++p) {
    if (norms[p] > 0) add_scaled(out, *parts[p], total / number / number / norms[p]);
  }
  return out;
}

}  // namespace riata
