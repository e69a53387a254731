// Rows that enter when a first update touches them: a trie of numbers with a root per slot, in which every node is a row.
#pragma once

#include <cstdint>

#include "core/pair_index.hpp"

namespace riata {

class GrownRows {
 public:
  explicit GrownRows(std::int32_t slots = 0) {
    for (std::int32_t s = 0; s < slots; ++s) nodes_.add_new(-1, s);
  }

  std::int32_t rows() const noexcept { return nodes_.size(); }
  static constexpr std::int32_t root(std::int32_t slot) noexcept { return slot; }
  // The row one step further from another; -1: no update has touched it, nor what goes on from it.
  std::int32_t find(std::int32_t row, std::int32_t value) const noexcept { return row < 0 ? -1 : nodes_.find(row, value); }
  void prefetch(std::int32_t row, std::int32_t value) const noexcept { nodes_.prefetch(row, value); }
  std::int32_t add(std::int32_t row, std::int32_t value) { return nodes_.add(row, value); }

  // What a row is a step from (-1: a root), and the step.
  std::int32_t parent(std::int32_t row) const noexcept { return nodes_.left(row); }
  std::int32_t value(std::int32_t row) const noexcept { return nodes_.right(row); }

 private:
  PairIndex nodes_;
};

}  // namespace riata
