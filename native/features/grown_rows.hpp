// Rows that are created by the first update that touches them. A row is found by its slot, a code and a number. If the code is 0, finding
// it is one look into a table. A row of a sequence of numbers is reached from the row of the sequence without its last number.
#pragma once

#include <cstdint>
#include <vector>

#include "core/error.hpp"
#include "core/id_pair_index.hpp"
#include "core/id_pair_table.hpp"

namespace riata {

class GrownRows {
 public:
  explicit GrownRows(std::int32_t slots = 0)
      : slots_(slots), first_(static_cast<std::size_t>(slots), {-1}), coded_(static_cast<std::size_t>(slots)) {
    for (std::int32_t s = 0; s < slots; ++s) add_root(s, 0);
  }

  std::int32_t slots() const noexcept { return slots_; }
  std::int32_t rows() const noexcept { return static_cast<std::int32_t>(parents_.size()); }

  // The row of a slot, code 0 and a number; -1: no update has touched the row or a sequence that begins with it. The number -1 always gives
  // -1. The look-up has no branches, so that memory is fetched for many look-ups at once.
  std::int32_t find(std::int32_t slot, std::int32_t value) const noexcept {
    const std::vector<std::int32_t>& rows_of = first_[static_cast<std::size_t>(slot)];
    const auto place = static_cast<std::size_t>(value) + 1;
    return rows_of[place < rows_of.size() ? place : 0];
  }
  std::int32_t find(std::int32_t slot, std::int32_t code, std::int32_t value) const noexcept {
    if (code == 0) return find(slot, value);
    const std::int32_t root = find_root(slot, code);
    return root < 0 ? -1 : next_.find(-1 - root, value);
  }
  std::int32_t add(std::int32_t slot, std::int32_t code, std::int32_t value) {
    if (code == 0) return add_first(slot, value);
    const std::int32_t root = find_root(slot, code);
    return add_first(root < 0 ? add_root(slot, code) : root, value);
  }

  // Sequences: whether any longer one begins with that of `row`, and the row of the sequence that is longer by `value` (-1: none).
  bool goes_on(std::int32_t row) const noexcept { return goes_on_[static_cast<std::size_t>(row)]; }
  std::int32_t find_next(std::int32_t row, std::int32_t value) const noexcept { return goes_on(row) ? next_.find(row, value) : -1; }
  std::int32_t add_next(std::int32_t row, std::int32_t value) {
    goes_on_[static_cast<std::size_t>(row)] = true;
    return entered(next_.at(row, value), row, value);
  }
  void prefetch_next(std::int32_t row, std::int32_t value) const noexcept { next_.prefetch(row, value); }

  // The contents as numbers, for model files: each root has a slot and a code; each row has a parent (a row, or -1 - root) and a number.
  std::int32_t roots() const noexcept { return roots_.size(); }
  std::int32_t slot(std::int32_t root) const noexcept { return roots_.left(root); }
  std::int32_t code(std::int32_t root) const noexcept { return roots_.right(root); }
  std::int32_t parent(std::int32_t row) const noexcept { return parents_[static_cast<std::size_t>(row)]; }
  std::int32_t value(std::int32_t row) const noexcept { return values_[static_cast<std::size_t>(row)]; }

  std::int32_t add_root(std::int32_t slot, std::int32_t code) {
    const std::int32_t root = roots_.add(slot, code);
    if (slot < 0 || slot >= slots_ || code < 0 || code >= low_codes) return root;
    std::vector<std::int32_t>& roots_of = coded_[static_cast<std::size_t>(slot)];
    if (code >= static_cast<std::int32_t>(roots_of.size())) roots_of.resize(static_cast<std::size_t>(code) + 1, -1);
    return roots_of[static_cast<std::size_t>(code)] = root;
  }
  std::int32_t add_first(std::int32_t root, std::int32_t value) {
    if (root >= slots_) return entered(next_.at(-1 - root, value), -1 - root, value);
    std::vector<std::int32_t>& rows_of = first_[static_cast<std::size_t>(root)];
    const auto place = static_cast<std::size_t>(value) + 1;
    if (place >= rows_of.size()) make_room(rows_of, place);
    return entered(rows_of[place], -1 - root, value);
  }

 private:
  static constexpr std::int32_t low_codes = 1 << 12;  // roots of smaller codes stand in coded_

  std::int32_t find_root(std::int32_t slot, std::int32_t code) const noexcept {
    if (code >= low_codes) return roots_.find(slot, code);
    const std::vector<std::int32_t>& roots_of = coded_[static_cast<std::size_t>(slot)];
    return code < static_cast<std::int32_t>(roots_of.size()) ? roots_of[static_cast<std::size_t>(code)] : -1;
  }

  static void make_room(std::vector<std::int32_t>& rows_of, std::size_t place) { rows_of.resize(place + place / 2 + 8, -1); }

  std::int32_t entered(std::int32_t& row, std::int32_t parent, std::int32_t value) { return row >= 0 ? row : enter(row, parent, value); }
  std::int32_t enter(std::int32_t& row, std::int32_t parent, std::int32_t value) {
    if (parents_.size() >= IdPairIndex::most) throw Error("DataError", "more than 2^31 different features", "Use a smaller template.");
    row = rows();
    parents_.push_back(parent);
    values_.push_back(value);
    goes_on_.push_back(false);
    return row;
  }

  std::int32_t slots_;
  IdPairIndex roots_;                             // (slot, code) -> root; roots of code 0 come first
  std::vector<std::vector<std::int32_t>> first_;  // [slots] rows of code 0 by number plus one; -1: none; entry 0 stays -1
  std::vector<std::vector<std::int32_t>> coded_;  // [slots] root by low code; -1: none
  IdPairTable next_;                              // (parent, number) -> row
  std::vector<std::int32_t> parents_, values_;    // [rows]
  std::vector<bool> goes_on_;                     // [rows] whether any row has this one as its parent
};

}  // namespace riata
