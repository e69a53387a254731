// Rows that are created by the first update that touches them. A row is found by its slot, a context and a number. If the context is 0,
// finding it is one look into a table. A row of a sequence of numbers is reached from the row of the sequence without its last number.
#pragma once

#include <cstdint>
#include <vector>

#include "core/error.hpp"
#include "core/id_pair_index.hpp"
#include "core/id_pair_table.hpp"
#include "core/kinds.hpp"

namespace riata {

class GrownRows {
 public:
  explicit GrownRows(std::int32_t slots = 0)
      : slots_(slots), first_(static_cast<std::size_t>(slots), {-1}), known_(static_cast<std::size_t>(slots)) {
    for (SlotId s(0); s.number() < slots; ++s) add_root(s, no_context);
  }

  static constexpr ContextId no_context{0};  // no outputs are read, or there are none before

  std::int32_t slots() const noexcept { return slots_; }
  std::int32_t rows() const noexcept { return static_cast<std::int32_t>(parents_.size()); }

  // The row of a slot, context 0 and a number; none: no update has touched the row or a sequence that begins with it. The number -1 always
  // gives none. The look-up has no branches, so that memory is fetched for many look-ups at once.
  RowId find(SlotId slot, std::int32_t value) const noexcept {
    const std::vector<std::int32_t>& rows_of = first_[slot.place()];
    const auto place = static_cast<std::size_t>(value) + 1;
    return RowId(rows_of[place < rows_of.size() ? place : 0]);
  }
  RowId find(SlotId slot, ContextId context, std::int32_t value) const noexcept {
    if (context == no_context) return find(slot, value);
    const RootId root = find_root(slot, context);
    return root ? RowId(next_.find(above(root).number(), value)) : RowId();
  }
  RowId add(SlotId slot, ContextId context, std::int32_t value) {
    RootId root(slot.number());
    if (context != no_context) root = find_root(slot, context);
    return add_first(root ? root : add_root(slot, context), value);
  }

  // Sequences: whether any longer one begins with that of `row`, and the row of the sequence that is longer by `value` (-1: none).
  bool goes_on(RowId row) const noexcept { return goes_on_[row.place()]; }
  RowId find_next(RowId row, std::int32_t value) const noexcept { return goes_on(row) ? RowId(next_.find(row.number(), value)) : RowId(); }
  RowId add_next(RowId row, std::int32_t value) {
    goes_on_[row.place()] = true;
    return entered(next_.at(row.number(), value), row, value);
  }
  void prefetch_next(RowId row, std::int32_t value) const noexcept { next_.prefetch(row.number(), value); }

  // The contents as numbers, for model files: each root has a slot and a context; each row has a parent (a row, or -1 - root) and a number.
  std::int32_t roots() const noexcept { return roots_.size(); }
  SlotId slot(RootId root) const noexcept { return SlotId(roots_.left(root.number())); }
  ContextId context(RootId root) const noexcept { return ContextId(roots_.right(root.number())); }
  RowId parent(RowId row) const noexcept { return RowId(parents_[row.place()]); }
  RootId root(RowId row) const noexcept { return RootId(-1 - parents_[row.place()]); }  // of a row that has no parent
  std::int32_t value(RowId row) const noexcept { return values_[row.place()]; }

  RootId add_root(SlotId slot, ContextId context) {
    const RootId root(roots_.add(slot.number(), context.number()));
    if (!slot || slot.number() >= slots_ || !context || context.number() >= low_contexts) return root;
    std::vector<RootId>& roots_of = known_[slot.place()];
    if (context.place() >= roots_of.size()) roots_of.resize(context.place() + 1);
    return roots_of[context.place()] = root;
  }
  [[gnu::always_inline]] RowId add_first(RootId root, std::int32_t value) {
    if (root.number() >= slots_) return entered(next_.at(above(root).number(), value), above(root), value);
    std::vector<std::int32_t>& rows_of = first_[root.place()];
    const auto place = static_cast<std::size_t>(value) + 1;
    if (place >= rows_of.size()) make_room(rows_of, place);
    return entered(rows_of[place], above(root), value);
  }

 private:
  static constexpr std::int32_t low_contexts = 1 << 12;  // roots of smaller contexts stand in known_

  RootId find_root(SlotId slot, ContextId context) const noexcept {
    if (context.number() >= low_contexts) return RootId(roots_.find(slot.number(), context.number()));
    const std::vector<RootId>& roots_of = known_[slot.place()];
    return context.number() < static_cast<std::int32_t>(roots_of.size()) ? roots_of[context.place()] : RootId();
  }

  static void make_room(std::vector<std::int32_t>& rows_of, std::size_t place) { rows_of.resize(place + place / 2 + 8, -1); }

  // What stands for a root where the number of a parent is asked for.
  static RowId above(RootId root) noexcept { return RowId(-1 - root.number()); }
  RowId entered(std::int32_t& row, RowId parent, std::int32_t value) { return RowId(row >= 0 ? row : enter(row, parent, value)); }
  std::int32_t enter(std::int32_t& row, RowId parent, std::int32_t value) {
    if (parents_.size() >= IdPairIndex::most) throw Error("DataError", "more than 2^31 different features", "Use a smaller template.");
    row = rows();
    const std::int32_t number = parent.number();
    parents_.push_back(number);
    values_.push_back(value);
    goes_on_.push_back(false);
    return row;
  }

  std::int32_t slots_;
  IdPairIndex roots_;                             // (slot, context) -> root; roots of context 0 come first
  std::vector<std::vector<std::int32_t>> first_;  // [slots] rows of context 0 by number plus one; -1: none; entry 0 stays -1
  std::vector<std::vector<RootId>> known_;        // [slots] root by low context
  IdPairTable next_;                              // (parent, number) -> row
  std::vector<std::int32_t> parents_, values_;    // [rows]
  std::vector<bool> goes_on_;                     // [rows] whether any row has this one as its parent
};

}  // namespace riata
