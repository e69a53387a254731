// Spans of projective dependency trees, of which wider ones are put together of narrower ones (Eisner 1996; with siblings McDonald &
// Pereira 2006, Fig. 3). Spans are of tokens alone; the root is put above one of them at the end.
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <limits>

#include "core/numbers.hpp"
#include "inference/exact/arc_scores.hpp"

namespace riata {

// Tables of spans from token i to token j. A span is complete if all that its head governs in this direction is within it; it is headed by
// its left end or by its right end. `arc` is a span whose ends are joined by an arc; `both` two complete spans side by side, headed by its
// ends. Every table is stored row by row in the order in which the inner loops read it, or in both orders.
template <class Real>
class SpanTables {
 public:
  void open(std::int32_t n) {
    n_ = static_cast<std::size_t>(n);
    for (Numbers<Real>* table : tables()) table->resize((n_ + 2) * (n_ + 2));
  }
  void open(std::int32_t n, Real value) {
    n_ = static_cast<std::size_t>(n);
    for (Numbers<Real>* table : tables()) table->assign((n_ + 2) * (n_ + 2), value);
  }
  // A complete span that is headed by i, its left end: rows by i, and rows by j.
  Real* right(std::int32_t i) noexcept { return right_.data() + row(i); }
  Real* right_back(std::int32_t j) noexcept { return right_back_.data() + row(j); }
  // A complete span that is headed by j, its right end: rows by i, and rows by j.
  Real* left(std::int32_t i) noexcept { return left_.data() + row(i); }
  Real* left_back(std::int32_t j) noexcept { return left_back_.data() + row(j); }
  // A span with an arc from i to j, rows by i; and with an arc from j to i, rows by j.
  Real* arc_right(std::int32_t i) noexcept { return arc_right_.data() + row(i); }
  Real* arc_left(std::int32_t j) noexcept { return arc_left_.data() + row(j); }
  // Two complete spans, headed by i and by j: rows by i, and rows by j.
  Real* both(std::int32_t i) noexcept { return both_.data() + row(i); }
  Real* both_back(std::int32_t j) noexcept { return both_back_.data() + row(j); }

  void set_right(std::int32_t i, std::int32_t j, Real value) noexcept { right(i)[j] = right_back(j)[i] = value; }
  void set_left(std::int32_t i, std::int32_t j, Real value) noexcept { left(i)[j] = left_back(j)[i] = value; }
  void set_both(std::int32_t i, std::int32_t j, Real value) noexcept { both(i)[j] = both_back(j)[i] = value; }

 private:
  std::size_t row(std::int32_t i) const noexcept { return static_cast<std::size_t>(i) * (n_ + 2); }
  auto tables() noexcept { return std::array{&right_, &right_back_, &left_, &left_back_, &arc_right_, &arc_left_, &both_, &both_back_}; }

  std::size_t n_ = 0;
  Numbers<Real> right_, right_back_, left_, left_back_, arc_right_, arc_left_, both_, both_back_;
};

// What fill_spans does with scores: the score of parts together (`times`), of either of two ways (`plus`), and of all ways to put something
// together of two or three parts (`sum`). In lanes, so that the compiler can do several at once.
template <class Real>
struct LargestScore {
  static constexpr Real one = 0;
  static constexpr std::int32_t lanes = 8;
  static Real times(Real a, Real b) noexcept { return a + b; }
  static Real plus(Real a, Real b) noexcept { return std::max(a, b); }
  template <class... More>
  static Real sum(std::int32_t count, const Real* first, const More*... more) noexcept {
    Real best = -std::numeric_limits<Real>::infinity();
    std::int32_t k = 0;
    if (count >= lanes) {
      Real most[lanes];
      for (std::int32_t x = 0; x < lanes; ++x) most[x] = (first[x] + ... + more[x]);
      for (k = lanes; k + lanes <= count; k += lanes) {
        for (std::int32_t x = 0; x < lanes; ++x) most[x] = std::max(most[x], (first[k + x] + ... + more[k + x]));
      }
      for (const Real value : most) best = std::max(best, value);
    }
    for (; k < count; ++k) best = std::max(best, (first[k] + ... + more[k]));
    return best;
  }
};

// Fills the tables.
template <class Algebra, class Real>
void fill_spans(const ArcScores<Real>& arcs, const SiblingScores<Real>& siblings, SpanTables<Real>& spans) {
  const std::int32_t n = arcs.length();
  for (std::int32_t i = 1; i <= n; ++i) {
    spans.set_right(i, i, Algebra::one);
    spans.set_left(i, i, Algebra::one);
  }
  for (std::int32_t width = 1; width < n; ++width) {
    for (std::int32_t i = 1, j = i + width; j <= n; ++i, ++j) {
      const Real both = Algebra::sum(width, spans.right(i) + i, spans.left_back(j) + i + 1);
      spans.set_both(i, j, both);
      Real right = both, left = both;
      if (siblings.scored()) {
        right = Algebra::plus(Algebra::times(siblings.first(i, j), spans.left(i + 1)[j]),
                              Algebra::sum(width - 1, spans.arc_right(i) + i + 1, spans.both_back(j) + i + 1, siblings.row(i, j)));
        left = Algebra::plus(Algebra::times(siblings.first(j, i), spans.right(i)[j - 1]),
                             Algebra::sum(width - 1, spans.both(i) + i + 1, spans.arc_left(j) + i + 1, siblings.row(j, i)));
      }
      spans.arc_right(i)[j] = Algebra::times(right, arcs(i, j));
      spans.arc_left(j)[i] = Algebra::times(left, arcs(j, i));
      spans.set_right(i, j, Algebra::sum(width, spans.arc_right(i) + i + 1, spans.right_back(j) + i + 1));
      spans.set_left(i, j, Algebra::sum(width, spans.left(i) + i, spans.arc_left(j) + i));
    }
  }
}

// The tree whose root is token r.
template <class Algebra, class Real>
Real rooted(const ArcScores<Real>& arcs, const SiblingScores<Real>& siblings, SpanTables<Real>& spans, std::int32_t r) {
  const Real sides = Algebra::times(spans.left(1)[r], spans.right(r)[arcs.length()]), all = Algebra::times(sides, arcs(0, r));
  return siblings.scored() ? Algebra::times(all, siblings.first(0, r)) : all;
}

}  // namespace riata
