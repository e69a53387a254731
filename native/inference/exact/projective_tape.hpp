// Projective dependency trees with one root on tape (Eisner 1996; with siblings McDonald & Pereira 2006, Fig. 3).
#pragma once

#include <algorithm>
#include <compare>
#include <cstdint>
#include <cstdlib>
#include <vector>

#include "inference/exact/arc_scores.hpp"
#include "inference/tape/tape.hpp"

namespace riata {

// Parts are arcs, whose score is in one table; and, if siblings are scored, a child with its sibling, or as the first child. Positions are
// 0, the root, and 1 to n, the tokens. Spans of one width lie in one row, by their first token, so a run gives all of them at once.
class ProjectiveTape {
 public:
  struct Shape {
    std::int32_t length;
    bool siblings;
    auto operator<=>(const Shape&) const = default;
  };

  explicit ProjectiveTape(const Shape& shape) : n_(shape.length), siblings_(shape.siblings), row_(padded(n_)) {
    arcs_ = tape.parts(2 * n_ - 1, n_);
    if (siblings_) {
      firsts_ = tape.parts(2 * n_ - 1, n_);
      for (std::int32_t side = 0; side < 2; ++side) {
        rows_.push_back(no_cell);
        for (std::int32_t w = 1; w < n_; ++w) rows_.push_back(tape.parts(w - 1, n_ - w));
      }
    }
    record();
  }

  Cell arc(std::int32_t head, std::int32_t child) const noexcept { return arcs_ + place(head, child); }
  bool is_arc(Cell part) const noexcept { return part < arcs_ + (2 * n_ - 1) * row_; }
  // The head and the child of an arc.
  struct Ends {
    std::int32_t head, child;
  };
  Ends ends(Cell arc) const noexcept {
    const std::int32_t row = (arc - arcs_) / row_, first = (arc - arcs_) % row_ + 1;
    if (row == 0) return {0, first};
    return row < n_ ? Ends{first, first + row} : Ends{first + row - n_ + 1, first};
  }

  // Calls visit(cell, head, child) for all arcs; visit(cell, head, sibling, child) for all siblings, where 0 is none.
  template <class Visit>
  void each_arc(Visit visit) const {
    for (std::int32_t c = 1; c <= n_; ++c) {
      for (std::int32_t h = 0; h <= n_; ++h) {
        if (h != c) visit(arc(h, c), h, c);
      }
    }
  }
  // visit(cell, sibling) for one arc.
  template <class Visit>
  void each_sibling_of(std::int32_t head, std::int32_t child, Visit visit) const {
    visit(firsts_ + place(head, child), 0);
    const std::int32_t low = std::min(head, child), width = std::abs(head - child), next = padded(n_ - width);
    Cell at = head == 0 ? no_cell : siblings(head < child, width) + low - 1;
    for (std::int32_t k = 1; head > 0 && k < width; ++k, at += next) visit(at, low + k);
  }
  template <class Visit>
  void each_sibling(Visit visit) const {
    if (!siblings_) return;
    each_arc([&](Cell, std::int32_t h, std::int32_t c) { each_sibling_of(h, c, [&](Cell at, std::int32_t k) { visit(at, h, k, c); }); });
  }
  // Writes scores to the cells of parts.
  template <class To, class From>
  void put(const ArcScores<From>& arcs, const SiblingScores<From>& siblings, To* to) const {
    each_arc([&](Cell at, std::int32_t h, std::int32_t c) { to[at] = static_cast<To>(arcs(h, c)); });
    each_sibling([&](Cell at, std::int32_t h, std::int32_t k, std::int32_t c) { to[at] = static_cast<To>(siblings.of(h, k, c)); });
  }

  Tape tape;

 private:
  Cell place(std::int32_t head, std::int32_t child) const noexcept {
    return head == 0 ? child - 1 : head < child ? (child - head) * row_ + head - 1 : (n_ - 1 + head - child) * row_ + child - 1;
  }
  // The first cell of the siblings between two positions: rows by sibling, for all places of the two.
  Cell siblings(bool right, std::int32_t width) const noexcept { return rows_[static_cast<std::size_t>((right ? 0 : n_) + width)]; }

  // Spans from token i to token j = i + w. A span is complete if all that its head governs in this direction is within it; `right` is
  // headed by i, `left` by j. In `arc_right` and `arc_left`, an arc joins the ends; `both` are two complete spans side by side, headed by
  // the ends.
  void record() {
    const Cell right = tape.table(n_, n_), left = tape.table(n_, n_), arc_right = tape.table(n_, n_), arc_left = tape.table(n_, n_),
               both = tape.table(n_, n_), rooted = tape.table(n_, 1), goal = tape.table(1, 1), unit = tape.table(1, 1);
    const std::int32_t on = row_, back = 1 - row_;  // one wider; one narrower, and one token later
    tape.one(right, n_);
    tape.one(left, n_);
    tape.one(unit);
    for (std::int32_t w = 1; w < n_; ++w) {
      const std::int32_t here = w * row_, before = here - row_;
      const auto sum = [&](Cell to, std::int32_t count, Factor a, Factor b, Factor c = {}, Cell weight = no_cell) {
        tape.add({.to = to + here, .width = n_ - w, .count = count, .a = a, .b = b, .c = c, .weight = weight});
      };
      const Cell to_right = arc(1, 1 + w), to_left = arc(1 + w, 1);
      sum(both, w, {right, on}, {left + before + 1, back});
      if (siblings_) {
        const std::int32_t next = padded(n_ - w);
        sum(arc_right, 1, {firsts_ + place(1, 1 + w)}, {left + before + 1}, {}, to_right);
        sum(arc_right, w - 1, {arc_right + row_, on}, {both + before + 1, back}, {siblings(true, w), next}, to_right);
        sum(arc_left, 1, {firsts_ + place(1 + w, 1)}, {right + before}, {}, to_left);
        sum(arc_left, w - 1, {both + row_, on}, {arc_left + before + 1, back}, {siblings(false, w), next}, to_left);
      } else {
        sum(arc_right, 1, {both + here}, {to_right});
        sum(arc_left, 1, {both + here}, {to_left});
      }
      sum(right, w, {arc_right + row_, on}, {right + before + 1, back});
      sum(left, w, {left, on}, {arc_left + here, back});
    }
    for (std::int32_t r = 1; r <= n_; ++r)
      tape.add({.to = rooted + (r - 1) * lanes,
                .a = {left + (r - 1) * row_},
                .b = {right + (n_ - r) * row_ + r - 1},
                .c = {arc(0, r)},
                .weight = siblings_ ? firsts_ + place(0, r) : no_cell});
    tape.add({.to = goal, .count = n_, .a = {unit}, .b = {rooted, lanes}, .shared = true});
    tape.goal(goal);
  }

  std::int32_t n_;
  bool siblings_;
  std::int32_t row_;
  Cell arcs_ = no_cell, firsts_ = no_cell;
  std::vector<Cell> rows_;  // [2][width] the tables of siblings
};

}  // namespace riata
