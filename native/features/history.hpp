// Features of earlier labels: an n-gram of the input, or none, together with labels of tokens before the present one. They are looked up
// during search, and are added to the index by the first update that touches them.
#pragma once

#include <algorithm>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "core/id_pair_index.hpp"
#include "core/kinds.hpp"
#include "features/hashed.hpp"

namespace riata {

// What one template reads: the n-gram of a family at an offset (family -1: no n-gram), and labels of earlier tokens.
struct HistorySlot {
  std::int32_t family = -1;
  std::int32_t offset = 0;
  std::vector<std::int32_t> back;  // how many tokens back each label is, 1 for the token before; increasing
};

class HistoryIndex {
 public:
  static constexpr std::int32_t outside = 0;  // the value of a label before the sentence; the value of label j is j + 1

  HistoryIndex() = default;
  // table: the rows of a hashed index; a table without rows stands for exact dictionaries.
  explicit HistoryIndex(std::vector<HistorySlot> slots, HashTable table = {}) : slots_(std::move(slots)), table_(table) {
    for (std::int32_t s = 0; s < static_cast<std::int32_t>(slots_.size()); ++s) contexts_.add(-1, s);  // the root of slot s has id s
    for (const HistorySlot& slot : slots_) order_ = std::max(order_, slot.back.back());
  }

  const std::vector<HistorySlot>& slots() const noexcept { return slots_; }
  const HistorySlot& operator[](SlotId slot) const noexcept { return slots_[slot.place()]; }
  std::int32_t order() const noexcept { return order_; }       // how many tokens back any slot reads; 0: there are no slots
  std::int32_t rows() const noexcept { return rows_.size(); }  // rows that are stored here; 0 if rows are hashed
  bool hashed() const noexcept { return table_.rows() > 0; }

  // The row of slot s for an n-gram, or for none; none if there is none. before[k] is the value of the label k + 1 tokens back.
  RowId find(SlotId s, NgramId ngram, std::span<const std::int32_t> before) const noexcept {
    if (hashed()) return hashed_row(s, ngram, before);
    std::int32_t context = s.number();
    for (const std::int32_t back : (*this)[s].back) {
      context = contexts_.find(context, before[static_cast<std::size_t>(back) - 1]);
      if (context < 0) return RowId();
    }
    return RowId(rows_.find(ngram.number(), context));
  }
  RowId add(SlotId s, NgramId ngram, std::span<const std::int32_t> before) {
    if (hashed()) return hashed_row(s, ngram, before);
    std::int32_t context = s.number();
    for (const std::int32_t back : (*this)[s].back) context = contexts_.add(context, before[static_cast<std::size_t>(back) - 1]);
    const RowId next(rows_.size()), row(rows_.add(ngram.number(), context));
    if (row == next) enlist(row, s, ngram);
    return row;
  }

  // Calls visit(row) for all rows of slot s with an n-gram, or with none, whatever their labels. Not for hashed rows.
  template <class Visit>
  void each_row(SlotId s, NgramId ngram, Visit visit) const {
    const std::int32_t list = lists_.find(ngram.number(), s.number());
    for (RowId row = list < 0 ? RowId() : newest_[list]; row; row = older_[row.place()]) visit(row);
  }
  // The values of two of the labels that a row reads: the last one in HistorySlot::back, and the last but one.
  std::int32_t furthest(RowId row) const noexcept { return contexts_.right(rows_.right(row.number())); }
  std::int32_t before_furthest(RowId row) const noexcept { return contexts_.right(contexts_.left(rows_.right(row.number()))); }

  // What a row stands for: its slot, its n-gram and the values of its labels, in the order of HistorySlot::back.
  struct Entry {
    SlotId slot;
    NgramId ngram;
    std::vector<std::int32_t> labels;
  };
  Entry entry(RowId row) const {
    Entry out{SlotId(), NgramId(rows_.left(row.number())), {}};
    std::int32_t context = rows_.right(row.number());
    for (; contexts_.left(context) >= 0; context = contexts_.left(context)) out.labels.push_back(contexts_.right(context));
    out.slot = SlotId(context);
    out.labels = {out.labels.rbegin(), out.labels.rend()};
    return out;
  }

 private:
  void enlist(RowId row, SlotId s, NgramId ngram) {
    const std::int32_t list = lists_.add(ngram.number(), s.number());
    if (list == static_cast<std::int32_t>(newest_.size())) newest_.emplace_back();
    older_.push_back(newest_[list]);
    newest_[list] = row;
  }
  RowId hashed_row(SlotId s, NgramId ngram, std::span<const std::int32_t> before) const noexcept {
    std::int32_t number = ngram.number();
    for (const std::int32_t back : (*this)[s].back) number = hashed_ngram(back, number, before[static_cast<std::size_t>(back) - 1]);
    return RowId(table_.row(number, Reader::history, s.number()));
  }

  std::vector<HistorySlot> slots_;
  std::int32_t order_ = 0;
  IdPairIndex contexts_;       // (shorter context, value of a label) -> context; one root per slot
  IdPairIndex rows_;           // (n-gram, context) -> row
  IdPairIndex lists_;          // (n-gram, slot) -> list of rows
  std::vector<RowId> newest_;  // [lists] the row that was added last
  std::vector<RowId> older_;   // [rows] the row of the same list that was added before
  HashTable table_;
};

}  // namespace riata
