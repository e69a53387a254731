// Rows of features that read tags and chunk labels. They are created by the first update that touches them.
#pragma once

#include <algorithm>
#include <cstdint>
#include <limits>
#include <vector>

#include "core/error.hpp"
#include "core/id_pair_index.hpp"

namespace riata {

// A row is found by an n-gram (-1: none), a slot and a context. A context is one number for all outputs that the slot's group reads, so
// outputs are looked up once for all slots of a group.
class JointRows {
 public:
  // An empty table for these numbers of slots and of groups of slots.
  explicit JointRows(std::int32_t slots = 0, std::int32_t groups = 0) : slots_(std::max(slots, 1)), groups_(std::max(groups, 1)) {}

  // The number of a context: a group and the outputs that it reads, as JointGroup::packed. -1: no update has touched this context.
  std::int32_t find_context(std::int32_t group, std::uint64_t packed) const noexcept {
    const std::uint64_t key = keyed(group, packed);
    return contexts_.find(high(key), low(key));
  }
  void prefetch_context(std::int32_t group, std::uint64_t packed) const noexcept {
    const std::uint64_t key = keyed(group, packed);
    contexts_.prefetch(high(key), low(key));
  }
  std::int32_t add_context(std::int32_t group, std::uint64_t packed) {
    const std::uint64_t key = keyed(group, packed);
    const std::int32_t context = contexts_.add(high(key), low(key));
    if (context > (std::numeric_limits<std::int32_t>::max() - slots_) / slots_)
      throw Error("DataError", "templates read more different outputs together than can be counted",
                  "Use templates that read fewer outputs.");
    return context;
  }

  std::int32_t find(std::int32_t slot, std::int32_t ngram, std::int32_t context) const noexcept {
    return rows_.find(ngram, context * slots_ + slot);
  }
  void prefetch(std::int32_t slot, std::int32_t ngram, std::int32_t context) const noexcept {
    rows_.prefetch(ngram, context * slots_ + slot);
  }
  // stride: how many weights a row of this slot has.
  std::int32_t add(std::int32_t slot, std::int32_t ngram, std::int32_t context, std::int32_t stride) {
    const std::int32_t row = rows_.add(ngram, context * slots_ + slot);
    if (row == rows()) {
      starts_.push_back(size_);
      size_ += stride;
    }
    return row;
  }

  std::int32_t rows() const noexcept { return static_cast<std::int32_t>(starts_.size()); }
  std::int64_t start(std::int32_t row) const noexcept { return starts_[static_cast<std::size_t>(row)]; }  // its first weight
  std::int64_t size() const noexcept { return size_; }                                                    // weights of all rows

  // What a row stands for.
  std::int32_t slot(std::int32_t row) const noexcept { return rows_.right(row) % slots_; }
  std::int32_t ngram(std::int32_t row) const noexcept { return rows_.left(row); }
  std::int32_t group(std::int32_t row) const noexcept { return static_cast<std::int32_t>(key(row) % std::uint64_t(groups_)); }
  std::uint64_t packed(std::int32_t row) const noexcept { return key(row) / std::uint64_t(groups_); }
  // How many weights the row has.
  std::int64_t width(std::int32_t row) const noexcept { return (row + 1 < rows() ? start(row + 1) : size_) - start(row); }

 private:
  std::uint64_t keyed(std::int32_t group, std::uint64_t packed) const noexcept {
    return packed * std::uint64_t(groups_) + std::uint64_t(group);
  }
  std::uint64_t key(std::int32_t row) const noexcept {
    const std::int32_t context = rows_.right(row) / slots_;
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
