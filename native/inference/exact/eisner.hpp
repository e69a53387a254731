// The best projective dependency tree with one root, by dynamic programming over spans in cubic time (Eisner 1996; McDonald, Crammer &
// Pereira 2005, Fig. 3; with siblings McDonald & Pereira 2006).
#pragma once

#include <cstdint>
#include <limits>
#include <span>
#include <vector>

#include "inference/exact/arc_scores.hpp"
#include "inference/exact/span_tables.hpp"

namespace riata {

template <class Real>
class Eisner {
 public:
  // Writes the head of every token, [n], and returns the score; minus infinity if no tree is allowed.
  double best(const ArcScores<Real>& arcs, const SiblingScores<Real>& siblings, std::span<std::int32_t> heads) {
    const std::int32_t n = arcs.length();
    spans_.open(n);
    fill_spans<Largest>(arcs, siblings, spans_);
    Real best = -std::numeric_limits<Real>::infinity();
    std::int32_t root = 0;
    for (std::int32_t r = 1; r <= n; ++r) {
      const Real score = rooted<Largest>(arcs, siblings, spans_, r);
      if (score > best) {
        best = score;
        root = r;
      }
    }
    if (root == 0) return -std::numeric_limits<double>::infinity();
    heads[static_cast<std::size_t>(root - 1)] = 0;
    todo_.assign({{1, root, Kind::left}, {root, n, Kind::right}});
    while (!todo_.empty()) {
      const Todo next = todo_.back();
      todo_.pop_back();
      if (next.i < next.j) follow(next, siblings, heads);
    }
    return double(best);
  }
  // Without siblings.
  double best(const ArcScores<Real>& arcs, std::span<std::int32_t> heads) { return best(arcs, {}, heads); }

 private:
  using Largest = LargestScore<Real>;
  enum class Kind { left, right, arc_left, arc_right, both };
  struct Todo {
    std::int32_t i, j;
    Kind kind;
  };

  // Where the largest sum is.
  template <class... More>
  static std::int32_t at(std::int32_t count, const Real* first, const More*... more) noexcept {
    std::int32_t found = 0;
    for (std::int32_t k = 1; k < count; ++k) {
      if ((first[k] + ... + more[k]) > (first[found] + ... + more[found])) found = k;
    }
    return found;
  }

  // Finds out of which spans one was put together.
  void follow(const Todo& span, const SiblingScores<Real>& siblings, std::span<std::int32_t> heads) {
    const auto [i, j, kind] = span;
    const std::int32_t width = j - i;
    if (kind == Kind::right) {
      const std::int32_t k = i + 1 + at(width, spans_.arc_right(i) + i + 1, spans_.right_back(j) + i + 1);
      todo_.push_back({i, k, Kind::arc_right});
      todo_.push_back({k, j, Kind::right});
    } else if (kind == Kind::left) {
      const std::int32_t k = i + at(width, spans_.left(i) + i, spans_.arc_left(j) + i);
      todo_.push_back({i, k, Kind::left});
      todo_.push_back({k, j, Kind::arc_left});
    } else if (kind == Kind::both) {
      const std::int32_t k = i + at(width, spans_.right(i) + i, spans_.left_back(j) + i + 1);
      todo_.push_back({i, k, Kind::right});
      todo_.push_back({k + 1, j, Kind::left});
    } else {
      const bool right = kind == Kind::arc_right;
      heads[static_cast<std::size_t>((right ? j : i) - 1)] = right ? i : j;
      if (!siblings.scored())
        todo_.push_back({i, j, Kind::both});
      else
        follow_arc(i, j, right, siblings);
    }
  }

  // Below the arc between i and j: the sibling, or the first child.
  void follow_arc(std::int32_t i, std::int32_t j, bool right, const SiblingScores<Real>& siblings) {
    const std::int32_t head = right ? i : j, child = right ? j : i;
    const Real* one = right ? spans_.arc_right(i) + i + 1 : spans_.both(i) + i + 1;
    const Real* other = right ? spans_.both_back(j) + i + 1 : spans_.arc_left(j) + i + 1;
    const Real* row = siblings.row(head, child);
    const Real alone = siblings.first(head, child) + (right ? spans_.left(i + 1)[j] : spans_.right(i)[j - 1]);
    const std::int32_t k = at(j - i - 1, one, other, row), sibling = i + 1 + k;
    if (j - i == 1 || alone >= one[k] + other[k] + row[k]) {
      if (right)
        todo_.push_back({i + 1, j, Kind::left});
      else
        todo_.push_back({i, j - 1, Kind::right});
      return;
    }
    todo_.push_back({i, sibling, right ? Kind::arc_right : Kind::both});
    todo_.push_back({sibling, j, right ? Kind::both : Kind::arc_left});
  }

  SpanTables<Real> spans_;
  std::vector<Todo> todo_;
};

}  // namespace riata
