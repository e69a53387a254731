// Projective dependency trees with one root, by dynamic programming over spans in cubic time (Eisner 1996; McDonald, Crammer & Pereira
// 2005, Fig. 3). Spans are of tokens alone; the root is put above one of them at the end.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <span>
#include <utility>
#include <vector>

#include "core/numbers.hpp"
#include "inference/exact/arc_scores.hpp"

namespace riata {

// Tables of spans from token i to token j. A span is complete if all that its head governs in this direction is within it; it is headed by
// its left end or by its right end. `arcs` is a span whose ends are joined by an arc. Every table is stored row by row in the order in
// which the inner loops read it, complete spans in both orders.
template <class Real>
class SpanTables {
 public:
  void open(std::int32_t n) {
    n_ = static_cast<std::size_t>(n);
    for (Numbers<Real>* table : {&right_, &right_back_, &left_, &left_back_, &arc_right_, &arc_left_}) table->resize((n_ + 2) * (n_ + 2));
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

  void set_right(std::int32_t i, std::int32_t j, Real value) noexcept { right(i)[j] = right_back(j)[i] = value; }
  void set_left(std::int32_t i, std::int32_t j, Real value) noexcept { left(i)[j] = left_back(j)[i] = value; }

 private:
  std::size_t row(std::int32_t i) const noexcept { return static_cast<std::size_t>(i) * (n_ + 2); }

  std::size_t n_ = 0;
  Numbers<Real> right_, right_back_, left_, left_back_, arc_right_, arc_left_;
};

// Fills the tables. add(one, other, count): one number for the sums one[k] + other[k], such as the largest.
template <class Real, class Add>
void fill_spans(const ArcScores<Real>& arcs, SpanTables<Real>& spans, Add add) {
  const std::int32_t n = arcs.length();
  for (std::int32_t i = 1; i <= n; ++i) {
    spans.set_right(i, i, 0);
    spans.set_left(i, i, 0);
  }
  for (std::int32_t width = 1; width < n; ++width) {
    for (std::int32_t i = 1, j = i + width; j <= n; ++i, ++j) {
      const Real both = add(spans.right(i) + i, spans.left_back(j) + i + 1, width);
      spans.arc_right(i)[j] = both + arcs(i, j);
      spans.arc_left(j)[i] = both + arcs(j, i);
      spans.set_right(i, j, add(spans.arc_right(i) + i + 1, spans.right_back(j) + i + 1, width));
      spans.set_left(i, j, add(spans.left(i) + i, spans.arc_left(j) + i, width));
    }
  }
}

// The largest of one[k] + other[k]; in lanes, so that the compiler can do several at once.
template <class Real>
Real largest_sum(const Real* one, const Real* other, std::int32_t count) noexcept {
  constexpr std::int32_t lanes = 8;
  Real best = -std::numeric_limits<Real>::infinity();
  std::int32_t k = 0;
  if (count >= lanes) {
    Real most[lanes];
    for (std::int32_t x = 0; x < lanes; ++x) most[x] = one[x] + other[x];
    for (k = lanes; k + lanes <= count; k += lanes) {
      for (std::int32_t x = 0; x < lanes; ++x) most[x] = std::max(most[x], one[k + x] + other[k + x]);
    }
    for (const Real value : most) best = std::max(best, value);
  }
  for (; k < count; ++k) best = std::max(best, one[k] + other[k]);
  return best;
}

// The best projective tree.
template <class Real>
class Eisner {
 public:
  // Writes the head of every token, [n], and returns the score; minus infinity if no tree is allowed.
  double best(const ArcScores<Real>& arcs, std::span<std::int32_t> heads) {
    const std::int32_t n = arcs.length();
    spans_.open(n);
    fill_spans(arcs, spans_, largest_sum<Real>);
    Real best = -std::numeric_limits<Real>::infinity();
    std::int32_t root = 0;
    for (std::int32_t r = 1; r <= n; ++r) {
      const Real score = spans_.left(1)[r] + spans_.right(r)[n] + arcs(0, r);
      if (score > best) {
        best = score;
        root = r;
      }
    }
    if (root == 0) return -std::numeric_limits<double>::infinity();
    heads_ = heads;
    heads[static_cast<std::size_t>(root - 1)] = 0;
    todo_.assign({{1, root, Kind::left}, {root, n, Kind::right}});
    while (!todo_.empty()) {
      const Todo next = todo_.back();
      todo_.pop_back();
      if (next.i < next.j) follow(next);
    }
    return double(best);
  }

 private:
  enum class Kind { left, right, arc_left, arc_right };
  struct Todo {
    std::int32_t i, j;
    Kind kind;
  };

  static std::int32_t at(const Real* one, const Real* other, std::int32_t count, Real best) noexcept {
    std::int32_t found = 0;
    for (std::int32_t k = 0; k < count; ++k) {
      const Real sum = one[k] + other[k];
      if (sum == best) return k;
      if (sum > one[found] + other[found]) found = k;
    }
    return found;
  }

  // Finds out of which two spans one was put together.
  void follow(const Todo& span) {
    const auto [i, j, kind] = span;
    const std::int32_t width = j - i;
    if (kind == Kind::right) {
      const std::int32_t k = i + 1 + at(spans_.arc_right(i) + i + 1, spans_.right_back(j) + i + 1, width, spans_.right(i)[j]);
      todo_.push_back({i, k, Kind::arc_right});
      todo_.push_back({k, j, Kind::right});
    } else if (kind == Kind::left) {
      const std::int32_t k = i + at(spans_.left(i) + i, spans_.arc_left(j) + i, width, spans_.left(i)[j]);
      todo_.push_back({i, k, Kind::left});
      todo_.push_back({k, j, Kind::arc_left});
    } else {
      const Real* one = spans_.right(i) + i;
      const Real* other = spans_.left_back(j) + i + 1;
      const std::int32_t k = i + at(one, other, width, largest_sum(one, other, width));
      if (kind == Kind::arc_right)
        heads_[static_cast<std::size_t>(j - 1)] = i;
      else
        heads_[static_cast<std::size_t>(i - 1)] = j;
      todo_.push_back({i, k, Kind::right});
      todo_.push_back({k + 1, j, Kind::left});
    }
  }

  SpanTables<Real> spans_;
  std::vector<Todo> todo_;
  std::span<std::int32_t> heads_;
};

// Sums over all projective trees: log Z, and the probability of every arc (inside and outside, Paskin 2001). In logarithms and double
// precision.
class EisnerSums {
 public:
  // Returns log Z; minus infinity if no tree is allowed. `shares` becomes the probabilities of arcs.
  double operator()(const ArcScores<double>& arcs, ArcScores<double>& shares) {
    const std::int32_t n = arcs.length();
    inside_.open(n);
    fill_spans(arcs, inside_, log_sum);
    shares.open(n);
    for (std::size_t k = 0; k < shares.size(); ++k) shares_of(shares)[k] = 0;
    std::vector<double> roots(static_cast<std::size_t>(n) + 1, -std::numeric_limits<double>::infinity());
    for (std::int32_t r = 1; r <= n; ++r) roots[static_cast<std::size_t>(r)] = inside_.left(1)[r] + inside_.right(r)[n] + arcs(0, r);
    const double highest = *std::ranges::max_element(roots);
    if (!std::isfinite(highest)) return highest;
    double sum = 0;
    for (const double root : roots) sum += std::exp(root - highest);
    const double log_z = highest + std::log(sum);
    outside(n, roots, log_z, shares);
    return log_z;
  }

 private:
  static double* shares_of(ArcScores<double>& shares) noexcept { return &shares(0, 0); }

  static double log_sum(const double* one, const double* other, std::int32_t count) noexcept {
    const double highest = largest_sum(one, other, count);
    if (!(highest > -std::numeric_limits<double>::infinity())) return highest;
    double sum = 0;
    for (std::int32_t k = 0; k < count; ++k) sum += std::exp(one[k] + other[k] - highest);
    return highest + std::log(sum);
  }

  // Hands the probability of a span on to the spans that it is put together of.
  static void hand_on(double share, double total, const double* one, const double* other, std::int32_t count, double* to_one,
                      double* to_other) noexcept {
    for (std::int32_t k = 0; k < count; ++k) {
      const double part = share * std::exp(one[k] + other[k] - total);
      to_one[k] += part;
      to_other[k] += part;
    }
  }

  // The probabilities of spans, from the widest to the narrowest. A complete span has two numbers, one in each order; they are added up.
  void outside(std::int32_t n, const std::vector<double>& roots, double log_z, ArcScores<double>& shares) {
    outside_.open(n);
    for (std::int32_t i = 1; i <= n; ++i) {
      for (double* row : {outside_.right(i), outside_.right_back(i), outside_.left(i), outside_.left_back(i), outside_.arc_right(i),
                          outside_.arc_left(i)})
        std::fill_n(row, n + 2, 0.0);
    }
    for (std::int32_t r = 1; r <= n; ++r) {
      const double share = std::exp(roots[static_cast<std::size_t>(r)] - log_z);
      shares(0, r) = share;
      outside_.left(1)[r] += share;
      outside_.right(r)[n] += share;
    }
    for (std::int32_t width = n - 1; width > 0; --width) {
      for (std::int32_t i = 1, j = i + width; j <= n; ++i, ++j) {
        const double to_right = outside_.right(i)[j] + outside_.right_back(j)[i], to_left = outside_.left(i)[j] + outside_.left_back(j)[i];
        if (to_right > 0)
          hand_on(to_right, inside_.right(i)[j], inside_.arc_right(i) + i + 1, inside_.right_back(j) + i + 1, width,
                  outside_.arc_right(i) + i + 1, outside_.right_back(j) + i + 1);
        if (to_left > 0)
          hand_on(to_left, inside_.left(i)[j], inside_.left(i) + i, inside_.arc_left(j) + i, width, outside_.left(i) + i,
                  outside_.arc_left(j) + i);
        shares(i, j) = outside_.arc_right(i)[j];
        shares(j, i) = outside_.arc_left(j)[i];
        const double both = shares(i, j) + shares(j, i);
        if (both > 0) {
          const double* one = inside_.right(i) + i;
          const double* other = inside_.left_back(j) + i + 1;
          hand_on(both, log_sum(one, other, width), one, other, width, outside_.right(i) + i, outside_.left_back(j) + i + 1);
        }
      }
    }
  }

  SpanTables<double> inside_, outside_;
};

}  // namespace riata
