// Scores of dependency arcs in a square table.
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

  // A table for n tokens, in which all arcs are forbidden.
  void open(std::int32_t n) {
    n_ = n;
    scores_.assign(static_cast<std::size_t>(n + 1) * static_cast<std::size_t>(n + 1), forbidden);
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

}  // namespace riata
