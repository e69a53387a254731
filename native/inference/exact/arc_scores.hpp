// Scores of dependency arcs in a square table, and of pairs of siblings.
#pragma once

#include <cstdint>
#include <limits>
#include <vector>

#include "core/numbers.hpp"

namespace riata {

// Positions are 0, the root, and 1 to n, the tokens. Minus infinity: the arc is forbidden.
template <class Real>
class ArcScores {
 public:
  static constexpr Real forbidden = -std::numeric_limits<Real>::infinity();

  // A table for n tokens, full of `value`.
  void open(std::int32_t n, Real value = forbidden) {
    n_ = n;
    scores_.assign(static_cast<std::size_t>(n + 1) * static_cast<std::size_t>(n + 1), value);
  }
  std::int32_t length() const noexcept { return n_; }
  Real& operator()(std::int32_t head, std::int32_t child) noexcept { return scores_[place(head, child)]; }
  Real operator()(std::int32_t head, std::int32_t child) const noexcept { return scores_[place(head, child)]; }
  std::size_t place(std::int32_t head, std::int32_t child) const noexcept {
    return static_cast<std::size_t>(child) * static_cast<std::size_t>(n_ + 1) + static_cast<std::size_t>(head);
  }
  std::size_t size() const noexcept { return scores_.size(); }

 private:
  std::int32_t n_ = 0;
  Numbers<Real> scores_;  // [child][head]
};

// Scores of a child beside its sibling: of the children that its head has on the same side, the next one on the way to the head (McDonald &
// Pereira 2006). The first child has none.
template <class Real>
class SiblingScores {
 public:
  // Siblings are not scored.
  void close() noexcept { n_ = 0; }
  bool scored() const noexcept { return n_ > 0; }
  // Tables for n tokens, full of `value`.
  void open(std::int32_t n, Real value) {
    n_ = n;
    const std::size_t width = static_cast<std::size_t>(n + 1);
    first_.assign(width * width, value);
    starts_.resize(width * width);
    std::size_t start = 0;
    for (std::int32_t c = 1; c <= n; ++c) {
      for (std::int32_t h = 1; h <= n; ++h) {
        starts_[place(h, c)] = start;
        if (h != c) start += count(h, c);
      }
    }
    rows_.assign(start, value);
  }

  // `times` times the scores of others.
  template <class Other>
  void copy(const SiblingScores<Other>& other, double times) {
    n_ = other.n_;
    starts_ = other.starts_;
    first_.resize(other.first_.size());
    rows_.resize(other.rows_.size());
    for (std::size_t k = 0; k < first_.size(); ++k) first_[k] = static_cast<Real>(times * double(other.first_[k]));
    for (std::size_t k = 0; k < rows_.size(); ++k) rows_[k] = static_cast<Real>(times * double(other.rows_[k]));
  }

  Real& first(std::int32_t head, std::int32_t child) noexcept { return first_[place(head, child)]; }
  Real first(std::int32_t head, std::int32_t child) const noexcept { return first_[place(head, child)]; }
  // The tokens between head and child, from left to right, as siblings of the child. The head is not the root, whose child has no sibling.
  Real* row(std::int32_t head, std::int32_t child) noexcept { return rows_.data() + starts_[place(head, child)]; }
  const Real* row(std::int32_t head, std::int32_t child) const noexcept { return rows_.data() + starts_[place(head, child)]; }
  static std::size_t count(std::int32_t head, std::int32_t child) noexcept {
    return static_cast<std::size_t>(head < child ? child - head - 1 : head - child - 1);
  }
  // The score of a child with its sibling, which is 0 if there is none.
  Real& of(std::int32_t head, std::int32_t sibling, std::int32_t child) noexcept {
    return sibling == 0 ? first(head, child) : row(head, child)[sibling - (head < child ? head : child) - 1];
  }
  Real of(std::int32_t head, std::int32_t sibling, std::int32_t child) const noexcept {
    return const_cast<SiblingScores*>(this)->of(head, sibling, child);
  }

 private:
  std::size_t place(std::int32_t head, std::int32_t child) const noexcept {
    return static_cast<std::size_t>(child) * static_cast<std::size_t>(n_ + 1) + static_cast<std::size_t>(head);
  }

  template <class Other>
  friend class SiblingScores;

  std::int32_t n_ = 0;
  Numbers<Real> first_, rows_;
  std::vector<std::size_t> starts_;  // [child][head] of rows
};

}  // namespace riata
