// Exact dictionary from a pair of 32-bit ids to a number of the caller's. Keys stand in the table itself, so that a look-up is one access
// to memory; core/pair_index.hpp is the smaller one.
#pragma once

#include <cstdint>

#include "core/hash.hpp"
#include "core/numbers.hpp"

namespace riata {

class IdPairTable {
 public:
  // -1: not there.
  std::int32_t find(std::int32_t a, std::int32_t b) const noexcept { return entries_.empty() ? -1 : entries_[slot_of(pack(a, b))].value; }

  // Where the number of a pair stands; -1 where it is new, to be filled in before anything else is asked.
  std::int32_t& at(std::int32_t a, std::int32_t b) {
    if (2 * entries_.size() < 3 * (count_ + 1)) grow();
    Entry& entry = entries_[slot_of(pack(a, b))];
    if (entry.value < 0) {
      entry.key = pack(a, b);
      ++count_;
    }
    return entry.value;
  }

  // Asks the memory for what `find` reads.
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
  Numbers<Entry> entries_;  // open addressing; power of two
};

}  // namespace riata
