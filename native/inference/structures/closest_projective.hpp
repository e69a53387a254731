// The closest tree without crossing arcs.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "inference/exact/eisner.hpp"

namespace riata {

// Replaces a tree by the projective tree that has as many of its arcs as possible. A token that loses its head gets a head above it, if it
// can: the nearest one, as if its arc had been lifted (Nivre & Nilsson 2005). same_root: whether the root of the tree must stay its root.
inline void closest_projective(std::span<std::int32_t> heads, bool same_root = false) {
  const auto n = static_cast<std::int32_t>(heads.size());
  if (n < 3) return;
  ArcScores<double> arcs;
  arcs.open(n);
  for (std::int32_t c = 1; c <= n; ++c) {
    for (std::int32_t h = 0; h <= n; ++h) {
      if (h != c) arcs(h, c) = 0;
    }
    double score = 1;
    std::int32_t above = heads[static_cast<std::size_t>(c - 1)];
    for (std::int32_t step = 0; step <= n; ++step) {
      arcs(above, c) = score;
      score = 0.1 / (n * double(step + 2));
      if (above == 0) break;
      above = heads[static_cast<std::size_t>(above - 1)];
    }
    if (same_root && heads[static_cast<std::size_t>(c - 1)] != 0) arcs(0, c) = ArcScores<double>::forbidden;
  }
  Eisner<double> best;
  best.best(arcs, heads);
}

}  // namespace riata
