// Exact dictionary from a pair of 32-bit ids to a number that the caller chooses. Keys stand in the table itself, so a look-up is one
// memory access; core/id_pair_index.hpp needs less memory.
#pragma once

#include <cstdint>

#include "core/hash.hpp"
#include "core/numbers.hpp"

namespace riata {

class IdPairTable {
 public:
  // -1: the pair is not in the table.
  std::int32_t find(std::int32_t a, std::int32_t b) const noexcept { return entries_.empty() ? -1 : entries_[slot_of(pack(a, b))].value; }

  // The number of a pair. For a new pair it is -1, and the caller must set it before any other call.
  std::int32_t& at(std::int32_t a, std::int32_t b) {
    if (2 * entries_.size() < 3 * (count_ + 1)) grow();
    Entry& entry = entries_[slot_of(pack(a, b))];
    if (entry.value < 0) {
      entry.key = pack(a, b);
      ++count_;
    }
    return entry.value;
  }

  // Prefetches the memory that `find` reads.
  void prefetch(std::int32_t a, std::int32_t b) const noexcept {
    if (!entries_.empty()) __builtin_prefetch(&entries_[mix(pack(a, b)) & (entries_.size() - 1)]);
  }

 private:
  struct Entry {
    std::uint64_t key = 0;
    std::int32_t value = -1;
  };

  static std::uint64_t pack(std::int32_t a, std::int32_t b) noexcept {
    return (static_cast<std::uint64_t>(static_cast<std::uint32_t>(a)) << 32) | static_cast<std::uint32_t>(b);
  }

  [[gnu::always_inline]] std::size_t slot_of(std::uint64_t key) const noexcept {
    const std::size_t mask = entries_.size() - 1;
    std::size_t slot = mix(key) & mask;
    while (entries_[slot].value >= 0 && entries_[slot].key != key) slot = (slot + 1) & mask;
    return slot;
  }

  void grow() {
    Numbers<Entry> old(entries_.empty() ? 16 : 2 * entries_.size());
    old.swap(entries_);
    for (const Entry& entry : old) {
      if (entry.value >= 0) entries_[slot_of(entry.key)] = entry;
    }
  }

  std::size_t count_ = 0;
  Numbers<Entry> entries_;  // open addressing; the size is a power of two
};

}  // namespace riata
