// Rows with one weight per operator, kept in blocks of eight. A block enters at the first update that touches one of its operators, so that
// a feature costs no more memory than the operators that it was seen with.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "core/error.hpp"
#include "core/hash.hpp"
#include "core/id_pair_index.hpp"
#include "core/kernels.hpp"
#include "core/numbers.hpp"

namespace riata {

// What a row stands for: a template and up to four values of it.
struct RowKey {
  std::uint64_t low = 0, high = 0;
  bool operator==(const RowKey&) const = default;

  static constexpr std::int32_t most_last = 1 << 24;  // the fourth value must be lower
  // values: [4]; unused ones are 0.
  static RowKey of(std::int32_t of_template, const std::int32_t* values) noexcept {
    const auto bits = [](std::int32_t value) { return std::uint64_t{std::uint32_t(value)}; };
    return {bits(values[0]) | bits(values[1]) << 32, bits(values[2]) | bits(values[3]) << 32 | bits(of_template) << 56};
  }
  std::int32_t number() const noexcept { return static_cast<std::int32_t>(high >> 56); }  // of the template
  std::array<std::int32_t, 4> values() const noexcept {
    const auto lower = [](std::uint64_t bits) { return static_cast<std::int32_t>(bits & 0xFFFFFFFFu); };
    return {lower(low), lower(low >> 32), lower(high), lower(high >> 32 & 0xFFFFFFu)};
  }
};

class BlockRows {
 public:
  static constexpr std::int32_t width = row_multiple;  // operators of a block

  std::int32_t blocks() const noexcept { return static_cast<std::int32_t>(links_.size()); }
  std::int64_t size() const noexcept { return std::int64_t{blocks()} * width; }  // weights

  // Where the search for a row begins; and the memory that it reads first.
  static std::size_t hash(const RowKey& key) noexcept { return mix(key.low ^ mix(key.high)); }
  void prefetch(std::size_t hashed) const noexcept {
    if (!entries_.empty()) __builtin_prefetch(&entries_[hashed & (entries_.size() - 1)]);
  }
  // Calls visit(block, group) for all blocks of a row: a block is for the operators group * width and the following. A row that no update
  // has touched has none.
  template <class Visit>
  [[gnu::always_inline]] void each(const RowKey& key, std::size_t hashed, Visit visit) const {
    if (entries_.empty()) return;
    const Entry& entry = entries_[slot_of(key, hashed)];
    if (entry.first >= 0) visit(entry.first, entry.first_group);
    if (entry.second < 0) return;
    visit(entry.second, entry.second_group);
    if (!entry.more) return;
    for (std::int32_t block = next(entry.second); block >= 0; block = next(block)) visit(block, group(block));
  }
  std::int32_t group(std::int32_t block) const noexcept { return links_[static_cast<std::size_t>(block)].group; }

  std::int32_t find(const RowKey& key, std::int32_t group_of) const noexcept {
    std::int32_t found = -1;
    each(key, hash(key), [&](std::int32_t block, std::int32_t of) { found = of == group_of ? block : found; });
    return found;
  }
  std::int32_t add(const RowKey& key, std::int32_t group_of) {
    if (2 * entries_.size() < 3 * (count_ + 1)) grow();
    Entry& entry = entries_[slot_of(key, hash(key))];
    std::int32_t found = -1, last = -1;
    each(key, hash(key), [&](std::int32_t block, std::int32_t of) {
      found = of == group_of ? block : found;
      last = block;
    });
    if (found >= 0) return found;
    if (links_.size() >= IdPairIndex::most / width) throw Error("DataError", "more than 2^28 blocks of weights", "Use a smaller template.");
    const std::int32_t block = blocks();
    links_.push_back({-1, group_of});
    if (last < 0) {
      entry.key = key;
      entry.first = block;
      entry.first_group = static_cast<std::uint16_t>(group_of);
      ++count_;
    } else if (entry.second < 0) {
      entry.second = block;
      entry.second_group = static_cast<std::uint16_t>(group_of);
    } else {
      entry.more = true;
      links_[static_cast<std::size_t>(last)].next = block;
    }
    return block;
  }

  // Calls visit(block, key of its row) for all blocks, in any order.
  template <class Visit>
  void each_block(Visit visit) const {
    for (const Entry& entry : entries_) {
      if (entry.first >= 0) each(entry.key, hash(entry.key), [&](std::int32_t block, std::int32_t) { visit(block, entry.key); });
    }
  }
  // [blocks] the key of the row of every block.
  std::vector<RowKey> keys() const {
    std::vector<RowKey> out(links_.size());
    each_block([&](std::int32_t block, const RowKey& key) { out[static_cast<std::size_t>(block)] = key; });
    return out;
  }

  // Sets of relations as values: a number for each set that was seen; -1: it was not.
  std::int32_t find_set(std::uint64_t set) const noexcept { return sets_.find(upper(set), lower(set)); }
  std::int32_t add_set(std::uint64_t set) { return sets_.add(upper(set), lower(set)); }
  std::int32_t sets() const noexcept { return sets_.size(); }
  std::uint64_t set(std::int32_t number) const noexcept {
    return std::uint64_t{std::uint32_t(sets_.left(number))} << 32 | std::uint32_t(sets_.right(number));
  }

 private:
  // A row. Most have one or two blocks, which stand here; the others follow the second one.
  struct alignas(32) Entry {
    RowKey key;
    std::int32_t first = -1, second = -1;
    std::uint16_t first_group = 0, second_group = 0;
    bool more = false;
  };
  struct Link {
    std::int32_t next, group;
  };
  std::int32_t next(std::int32_t block) const noexcept { return links_[static_cast<std::size_t>(block)].next; }
  static std::int32_t upper(std::uint64_t set) noexcept { return static_cast<std::int32_t>(set >> 32); }
  static std::int32_t lower(std::uint64_t set) noexcept { return static_cast<std::int32_t>(set & 0xFFFFFFFFu); }

  std::size_t slot_of(const RowKey& key, std::size_t hashed) const noexcept {
    const std::size_t mask = entries_.size() - 1;
    std::size_t slot = hashed & mask;
    while (entries_[slot].first >= 0 && entries_[slot].key != key) slot = (slot + 1) & mask;
    return slot;
  }
  void grow() {
    Numbers<Entry> old(entries_.empty() ? 16 : 2 * entries_.size());
    old.swap(entries_);
    for (const Entry& entry : old) {
      if (entry.first >= 0) entries_[slot_of(entry.key, hash(entry.key))] = entry;
    }
  }

  std::size_t count_ = 0;
  Numbers<Entry> entries_;  // open addressing; the size is a power of two
  Numbers<Link> links_;     // [blocks]
  IdPairIndex sets_;
};

}  // namespace riata
