// The best projective dependency trees with one root, by dynamic programming over spans in cubic time (Eisner 1996; McDonald, Crammer &
// Pereira 2005, Fig. 3; with siblings McDonald & Pereira 2006).
#pragma once

#include <cstdint>
#include <limits>
#include <optional>
#include <span>
#include <vector>

#include "inference/exact/projective_tape.hpp"
#include "inference/tape/kept_shapes.hpp"
#include "inference/tape/list.hpp"

namespace riata {

template <class Real>
class Eisner {
 public:
  // Writes the head of every token, [n], and returns the score; minus infinity if no tree is allowed.
  double best(const ArcScores<Real>& arcs, const SiblingScores<Real>& siblings, std::span<std::int32_t> heads) {
    open_list(arcs, siblings);
    const std::optional<Real> score = list_.next(parts_);
    if (!score) return -std::numeric_limits<double>::infinity();
    each_arc([&](std::int32_t head, std::int32_t child, std::int32_t) { heads[static_cast<std::size_t>(child - 1)] = head; });
    return double(*score);
  }
  // Without siblings.
  double best(const ArcScores<Real>& arcs, std::span<std::int32_t> heads) { return best(arcs, {}, heads); }

  // Lists trees with further scores of their arcs, such as one per relation: those in `arcs` have rank 0, the others ranks from 1 on.
  void open_list(const ArcScores<Real>& arcs, const SiblingScores<Real>& siblings) {
    shape_ = &shapes_({arcs.length(), siblings.scored()});
    shape_->put(arcs, siblings, list_.open(shape_->tape));
  }
  // Calls visit(head, child, rank) for the arcs of the next tree, and returns its score; nothing after the last. further(head, child,
  // rank): the score of an arc that comes after that of rank - 1, or nothing.
  template <class Further, class Visit>
  std::optional<double> next(Further further, Visit visit) {
    const auto of_part = [&](Cell part, std::int32_t rank) -> std::optional<Real> {
      if (!shape_->is_arc(part)) return std::nullopt;
      const auto [head, child] = shape_->ends(part);
      return further(head, child, rank);
    };
    const std::optional<Real> score = list_.next(of_part, parts_);
    if (!score) return std::nullopt;
    each_arc(visit);
    return double(*score);
  }

 private:
  template <class Visit>
  void each_arc(Visit visit) const {
    for (const auto& [part, rank] : parts_) {
      if (!shape_->is_arc(part)) continue;
      const auto [head, child] = shape_->ends(part);
      visit(head, child, rank);
    }
  }

  KeptShapes<ProjectiveTape::Shape, ProjectiveTape> shapes_;
  const ProjectiveTape* shape_ = nullptr;
  TapeList<Real> list_;
  std::vector<typename TapeList<Real>::Part> parts_;
};

}  // namespace riata
