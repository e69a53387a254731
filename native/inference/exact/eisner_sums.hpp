// Sums over all projective trees with one root: log Z, and the probability of every arc and of every pair of siblings (inside and outside,
// Paskin 2001).
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>

#include "inference/exact/projective_tape.hpp"
#include "inference/tape/kept_shapes.hpp"
#include "inference/tape/sums.hpp"

namespace riata {

class EisnerSums {
 public:
  // Returns log Z; minus infinity if no tree is allowed. `shares` becomes the probabilities of arcs, `pairs` those of pairs of siblings.
  double operator()(const ArcScores<double>& arcs, const SiblingScores<double>& siblings, ArcScores<double>& shares,
                    SiblingScores<double>& pairs) {
    const std::int32_t n = arcs.length();
    shares.open(n, 0.0);
    if (siblings.scored())
      pairs.open(n, 0.0);
    else
      pairs.close();
    const ProjectiveTape& shape = shapes_({n, siblings.scored()});
    const double off = put(shape, arcs, siblings);
    if (!std::isfinite(off)) return off;
    const double log_z = off + sums_.fill();
    if (!std::isfinite(log_z)) return log_z;
    shape.each_arc([&](Cell at, std::int32_t h, std::int32_t c) { shares(h, c) = sums_.share(at); });
    shape.each_sibling([&](Cell at, std::int32_t h, std::int32_t k, std::int32_t c) { pairs.of(h, k, c) = sums_.share(at); });
    return log_z;
  }

 private:
  // Puts scores on the tape from which the highest of every child is subtracted, and of siblings the highest of every arc; returns what has
  // been subtracted from all trees.
  double put(const ProjectiveTape& shape, const ArcScores<double>& arcs, const SiblingScores<double>& siblings) {
    double* to = sums_.open(shape.tape);
    shape.put(arcs, siblings, to);
    const std::int32_t n = arcs.length();
    double off = 0;
    for (std::int32_t c = 1; c <= n; ++c) {
      double highest = ArcScores<double>::forbidden;
      for (std::int32_t h = 0; h <= n; ++h) {
        if (h == c) continue;
        if (siblings.scored()) to[shape.arc(h, c)] += level(shape, siblings, h, c, to);
        highest = std::max(highest, to[shape.arc(h, c)]);
      }
      if (!std::isfinite(highest)) return highest;
      for (std::int32_t h = 0; h <= n; ++h) {
        if (h != c) to[shape.arc(h, c)] -= highest;
      }
      off += highest;
    }
    return off;
  }
  static double level(const ProjectiveTape& shape, const SiblingScores<double>& siblings, std::int32_t h, std::int32_t c, double* to) {
    double highest = siblings.first(h, c);
    const std::size_t count = h == 0 ? 0 : SiblingScores<double>::count(h, c);
    if (count > 0) highest = std::max(highest, *std::max_element(siblings.row(h, c), siblings.row(h, c) + count));
    shape.each_sibling_of(h, c, [&](Cell at, std::int32_t) { to[at] -= highest; });
    return highest;
  }

  KeptShapes<ProjectiveTape::Shape, ProjectiveTape> shapes_;
  TapeSums sums_;
};

}  // namespace riata
