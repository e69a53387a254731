// Exact dictionary from a pair of 32-bit ids to a dense id: the keys of the feature index.
#pragma once

#include <bit>
#include <cstdint>
#include <limits>
#include <vector>

#include "core/error.hpp"
#include "core/hash.hpp"

namespace riata {

class IdPairIndex {
 public:
  static constexpr std::int32_t unknown = -1;
  static constexpr std::size_t most = std::numeric_limits<std::int32_t>::max();

  std::int32_t size() const noexcept { return static_cast<std::int32_t>(keys_.size()); }
  std::int32_t left(std::int32_t id) const noexcept { return static_cast<std::int32_t>(keys_[id] >> 32); }
  std::int32_t right(std::int32_t id) const noexcept { return static_cast<std::int32_t>(keys_[id] & 0xFFFFFFFFu); }

  std::int32_t find(std::int32_t a, std::int32_t b) const noexcept { return table_.empty() ? unknown : table_[slot_of(pack(a, b))]; }

  // Allocates memory for `count` pairs.
  void reserve(std::size_t count) {
    keys_.reserve(count);
    if (table_.size() < 2 * count) make_table(std::bit_ceil(2 * count));
  }

  std::int32_t add(std::int32_t a, std::int32_t b) {
    if (table_.size() < 2 * (keys_.size() + 1)) grow_table();
    const std::uint64_t key = pack(a, b);
    std::int32_t& entry = table_[slot_of(key)];
    if (entry == unknown) {
      push(key);
      entry = size() - 1;
    }
    return entry;
  }

  // Prefetches the memory that `find` reads first.
  void prefetch(std::int32_t a, std::int32_t b) const noexcept {
    if (!table_.empty()) __builtin_prefetch(&table_[mix(pack(a, b)) & (table_.size() - 1)]);
  }

  // The part, from 0 to parts - 1, to which a pair belongs if all pairs are divided into parts.
  static std::size_t part(std::int32_t a, std::int32_t b, std::size_t parts) noexcept { return ((mix(pack(a, b)) >> 32) * parts) >> 32; }

  // Adds a pair that is known to be new, which is cheaper than `add`.
  void add_new(std::int32_t a, std::int32_t b) {
    if (table_.size() < 2 * (keys_.size() + 1)) grow_table();
    push(pack(a, b));
    table_[free_slot(keys_.back())] = size() - 1;
  }

 private:
  static std::uint64_t pack(std::int32_t a, std::int32_t b) noexcept {
    return (static_cast<std::uint64_t>(static_cast<std::uint32_t>(a)) << 32) | static_cast<std::uint32_t>(b);
  }

  void push(std::uint64_t key) {
    if (keys_.size() >= most) throw Error("DataError", "more than 2^31 different n-grams", "Use a smaller template or a higher cutoff.");
    keys_.push_back(key);
  }

  std::size_t slot_of(std::uint64_t key) const noexcept {
    const std::size_t mask = table_.size() - 1;
    std::size_t slot = mix(key) & mask;
    while (table_[slot] != unknown && keys_[table_[slot]] != key) slot = (slot + 1) & mask;
    return slot;
  }

  std::size_t free_slot(std::uint64_t key) const noexcept {
    const std::size_t mask = table_.size() - 1;
    std::size_t slot = mix(key) & mask;
    while (table_[slot] != unknown) slot = (slot + 1) & mask;
    return slot;
  }

  void grow_table() { make_table(table_.empty() ? 16 : 2 * table_.size()); }

  void make_table(std::size_t slots) {
    table_.assign(slots, unknown);
    for (std::int32_t id = 0; id < size(); ++id) table_[free_slot(keys_[id])] = id;
  }

  std::vector<std::uint64_t> keys_;  // [size] packed pairs in order of insertion
  std::vector<std::int32_t> table_;  // open addressing; the size is a power of two; unknown: the slot is free
};

}  // namespace riata
