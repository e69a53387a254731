// Blocks of weights of dependency arcs, which enter at the first update that touches them, or with the truths of all sentences.
#pragma once

#include <cstdint>
#include <vector>

#include "core/hash.hpp"
#include "core/id_pair_index.hpp"
#include "core/kernels.hpp"
#include "core/numbers.hpp"
#include "features/arc_templates.hpp"

namespace riata {

// Exact dictionary from a pair of ids to the place of a block. Key and place stand side by side, since most questions are answered from
// memory that is not in the cache.
class PlaceTable {
 public:
  static constexpr std::int64_t unknown = -1;

  std::int64_t find(std::int32_t a, std::int32_t b) const noexcept {
    if (entries_.empty()) return unknown;
    return entries_[slot_of(pack(a, b))].place;
  }
  void prefetch(std::int32_t a, std::int32_t b) const noexcept {
    if (!entries_.empty()) __builtin_prefetch(&entries_[mix(pack(a, b)) & (entries_.size() - 1)]);
  }
  // Adds a pair that is not there yet.
  void add_new(std::int32_t a, std::int32_t b, std::int64_t place) {
    if (entries_.size() < 2 * (count_ + 1)) grow();
    entries_[slot_of(pack(a, b))] = {pack(a, b), place};
    ++count_;
  }

 private:
  struct Entry {
    std::uint64_t key = 0;
    std::int64_t place = unknown;
  };
  static std::uint64_t pack(std::int32_t a, std::int32_t b) noexcept {
    return (static_cast<std::uint64_t>(static_cast<std::uint32_t>(a)) << 32) | static_cast<std::uint32_t>(b);
  }
  std::size_t slot_of(std::uint64_t key) const noexcept {
    const std::size_t mask = entries_.size() - 1;
    std::size_t slot = mix(key) & mask;
    while (entries_[slot].place != unknown && entries_[slot].key != key) slot = (slot + 1) & mask;
    return slot;
  }
  void grow() {
    std::vector<Entry> old(entries_.empty() ? 16 : 2 * entries_.size());
    old.swap(entries_);
    for (const Entry& entry : old) {
      if (entry.place != unknown) entries_[slot_of(entry.key)] = entry;
    }
  }

  std::size_t count_ = 0;
  std::vector<Entry> entries_;  // open addressing; the size is a power of two
};

// A block is found by its group and two numbers: the n-grams of head and child, -1 where the group reads none; or, if the group reads what
// is between or siblings, the number of the pair of n-grams, and the value or the n-gram of the sibling, -1 if there is no sibling.
class ArcRows {
 public:
  ArcRows() = default;
  ArcRows(const ArcTemplates& templates, std::int32_t relations)
      : relations_(relations), tables_(templates.groups().size()), pairs_(templates.groups().size()) {
    for (const ArcGroup& group : templates.groups())
      sizes_.push_back(std::int64_t{group.numbers()} * (group.relation ? padded(relations) : 1));
  }

  std::int32_t relations() const noexcept { return relations_; }
  std::int64_t size() const noexcept { return size_; }  // numbers of all blocks
  std::int32_t blocks() const noexcept { return static_cast<std::int32_t>(starts_.size()); }
  std::int64_t block_size(std::int32_t g) const noexcept { return sizes_[static_cast<std::size_t>(g)]; }

  std::int64_t find(std::int32_t g, std::int32_t a, std::int32_t b) const noexcept {
    return tables_[static_cast<std::size_t>(g)].find(a, b);
  }
  void prefetch(std::int32_t g, std::int32_t a, std::int32_t b) const noexcept { tables_[static_cast<std::size_t>(g)].prefetch(a, b); }
  std::int64_t add(std::int32_t g, std::int32_t a, std::int32_t b) {
    const std::int64_t found = find(g, a, b);
    if (found != PlaceTable::unknown) return found;
    if (starts_.size() >= IdPairIndex::most) throw Error("DataError", "more than 2^31 different features", "Use a smaller template.");
    tables_[static_cast<std::size_t>(g)].add_new(a, b, size_);
    starts_.push_back(size_);
    groups_.push_back(g);
    left_.push_back(a);
    right_.push_back(b);
    size_ += block_size(g);
    return starts_.back();
  }

  // The number of a pair of n-grams in a group that also reads what is between or siblings; -1: it is not there.
  std::int32_t find_pair(std::int32_t g, std::int32_t a, std::int32_t b) const noexcept {
    return pairs_[static_cast<std::size_t>(g)].find(a, b);
  }
  std::int32_t add_pair(std::int32_t g, std::int32_t a, std::int32_t b) { return pairs_[static_cast<std::size_t>(g)].add(a, b); }
  const IdPairIndex& pairs(std::int32_t g) const noexcept { return pairs_[static_cast<std::size_t>(g)]; }

  // What a block stands for, in the order in which blocks have entered.
  std::int32_t group(std::int32_t block) const noexcept { return groups_[static_cast<std::size_t>(block)]; }
  std::int32_t left(std::int32_t block) const noexcept { return left_[static_cast<std::size_t>(block)]; }
  std::int32_t right(std::int32_t block) const noexcept { return right_[static_cast<std::size_t>(block)]; }
  std::int64_t start(std::int32_t block) const noexcept { return starts_[static_cast<std::size_t>(block)]; }

 private:
  std::int32_t relations_ = 0;
  std::vector<PlaceTable> tables_;                   // [groups]
  std::vector<IdPairIndex> pairs_;                   // [groups]
  std::vector<std::int64_t> sizes_;                  // [groups] of a block
  std::vector<std::int64_t> starts_;                 // [blocks]
  std::vector<std::int32_t> groups_, left_, right_;  // [blocks]
  std::int64_t size_ = 0;
};

}  // namespace riata
