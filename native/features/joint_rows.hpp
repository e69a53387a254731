// Rows of features that read tags and chunk labels. They are created by the first update that touches them.
#pragma once

#include <algorithm>
#include <cstdint>
#include <limits>
#include <vector>

#include "core/error.hpp"
#include "core/id_pair_index.hpp"
#include "core/kinds.hpp"

namespace riata {

// A row is found by an n-gram (or none), a slot and a context. A context is one number for all outputs that the slot's group reads, so
// outputs are looked up once for all slots of a group.
class JointRows {
 public:
  // An empty table for these numbers of slots and of groups of slots.
  explicit JointRows(std::int32_t slots = 0, std::int32_t groups = 0) : slots_(std::max(slots, 1)), groups_(std::max(groups, 1)) {}

  // The number of a context: a group and the outputs that it reads, as JointGroup::packed. None: no update has touched this context.
  ContextId find_context(GroupId group, std::uint64_t packed) const noexcept {
    const std::uint64_t key = keyed(group, packed);
    return ContextId(contexts_.find(high(key), low(key)));
  }
  void prefetch_context(GroupId group, std::uint64_t packed) const noexcept {
    const std::uint64_t key = keyed(group, packed);
    contexts_.prefetch(high(key), low(key));
  }
  ContextId add_context(GroupId group, std::uint64_t packed) {
    const std::uint64_t key = keyed(group, packed);
    const std::int32_t context = contexts_.add(high(key), low(key));
    if (context > (std::numeric_limits<std::int32_t>::max() - slots_) / slots_)
      throw Error("DataError", "templates read more different outputs together than can be counted",
                  "Use templates that read fewer outputs.");
    return ContextId(context);
  }

  RowId find(SlotId slot, NgramId ngram, ContextId context) const noexcept {
    return RowId(rows_.find(ngram.number(), beside(slot, context)));
  }
  void prefetch(SlotId slot, NgramId ngram, ContextId context) const noexcept { rows_.prefetch(ngram.number(), beside(slot, context)); }
  // stride: how many weights a row of this slot has.
  RowId add(SlotId slot, NgramId ngram, ContextId context, std::int32_t stride) {
    const RowId row(rows_.add(ngram.number(), beside(slot, context)));
    if (row.number() == rows()) {
      starts_.push_back(size_);
      size_ += stride;
    }
    return row;
  }

  std::int32_t rows() const noexcept { return static_cast<std::int32_t>(starts_.size()); }
  std::int64_t start(RowId row) const noexcept { return starts_[row.place()]; }  // its first weight
  std::int64_t size() const noexcept { return size_; }                           // weights of all rows

  // What a row stands for.
  SlotId slot(RowId row) const noexcept { return SlotId(rows_.right(row.number()) % slots_); }
  NgramId ngram(RowId row) const noexcept { return NgramId(rows_.left(row.number())); }
  GroupId group(RowId row) const noexcept { return GroupId(key(row) % std::uint64_t(groups_)); }
  std::uint64_t packed(RowId row) const noexcept { return key(row) / std::uint64_t(groups_); }
  // How many weights the row has.
  std::int64_t width(RowId row) const noexcept {
    const RowId next(row.number() + 1);
    return (next.number() < rows() ? start(next) : size_) - start(row);
  }

 private:
  std::uint64_t keyed(GroupId group, std::uint64_t packed) const noexcept { return packed * std::uint64_t(groups_) + group.place(); }
  std::int32_t beside(SlotId slot, ContextId context) const noexcept { return context.number() * slots_ + slot.number(); }
  std::uint64_t key(RowId row) const noexcept {
    const std::int32_t context = rows_.right(row.number()) / slots_;
    return (std::uint64_t(std::uint32_t(contexts_.left(context))) << 32) | std::uint32_t(contexts_.right(context));
  }
  static std::int32_t high(std::uint64_t key) noexcept { return static_cast<std::int32_t>(key >> 32); }
  static std::int32_t low(std::uint64_t key) noexcept { return static_cast<std::int32_t>(key & 0xFFFFFFFFu); }

  std::int32_t slots_, groups_;
  IdPairIndex contexts_;  // (group and outputs) -> context; the key is split into two halves of 32 bits
  IdPairIndex rows_;      // (n-gram, context and slot) -> row
  std::vector<std::int64_t> starts_;
  std::int64_t size_ = 0;
};

}  // namespace riata
