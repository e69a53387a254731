// Weights of dependency arcs and relations, which enter at the first update that touches them, or with the truths of all sentences.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <limits>
#include <tuple>
#include <utility>
#include <vector>

#include "core/error.hpp"
#include "core/hash.hpp"
#include "core/id_pair_index.hpp"
#include "core/kernels.hpp"
#include "core/numbers.hpp"
#include "features/arc_templates.hpp"
#include "features/offered_relations.hpp"
#include "features/packed_row.hpp"

namespace riata {

// Exact dictionary from a pair of ids to a value, of which Value{} stands for none. Key and value stand side by side, since most questions
// are answered from memory that is not in the cache.
template <class Value>
class PairTable {
 public:
  // The value of a pair; Value{} if it is not there.
  Value find(std::int32_t a, std::int32_t b) const noexcept { return entries_.empty() ? Value{} : entries_[slot_of(a, b)].value; }
  void prefetch(std::int32_t a, std::int32_t b) const noexcept {
    if (!entries_.empty()) __builtin_prefetch(&entries_[first_slot(a, b)]);
  }
  // The value of a pair, to be changed. It must not be Value{} afterwards.
  Value& at(std::int32_t a, std::int32_t b) {
    if (entries_.size() < 2 * (count_ + 1)) grow();
    Entry& entry = entries_[slot_of(a, b)];
    if (entry.value == Value{}) {
      entry.a = a;
      entry.b = b;
      ++count_;
    }
    return entry.value;
  }
  // Calls visit(a, b, value) for all pairs, in no order.
  template <class Visit>
  void each(Visit visit) const {
    for (const Entry& entry : entries_) {
      if (entry.value != Value{}) visit(entry.a, entry.b, entry.value);
    }
  }

 private:
  struct Entry {
    std::int32_t a = 0, b = 0;
    Value value = {};
  };
  std::size_t first_slot(std::int32_t a, std::int32_t b) const noexcept {
    const std::uint64_t key = std::uint64_t{static_cast<std::uint32_t>(a)} << 32 | static_cast<std::uint32_t>(b);
    return ((mix(key) & 0xFFFFFFFFu) * entries_.size()) >> 32;
  }
  std::size_t slot_of(std::int32_t a, std::int32_t b) const noexcept {
    std::size_t slot = first_slot(a, b);
    while (entries_[slot].value != Value{} && (entries_[slot].a != a || entries_[slot].b != b)) {
      if (++slot == entries_.size()) slot = 0;
    }
    return slot;
  }
  void grow() {
    Numbers<Entry> old(entries_.empty() ? 16 : entries_.size() + entries_.size() / 2);
    old.swap(entries_);
    for (const Entry& entry : old) {
      if (entry.value != Value{}) entries_[slot_of(entry.a, entry.b)] = entry;
    }
  }

  std::size_t count_ = 0;
  Numbers<Entry> entries_;  // open addressing
};

// Weights of arcs stand in blocks, those of relations in packed rows, one for each number of a block of the group. Both are found by their
// group and two numbers: the n-grams of head and child, -1 where the group reads none; or, if the group reads what is between or siblings,
// the number of the pair of n-grams, and the value or the n-gram of the sibling, -1 if there is no sibling.
class ArcRows {
 public:
  static constexpr std::int64_t unknown = -1;

  ArcRows() = default;
  ArcRows(const ArcTemplates& templates, std::int32_t relations)
      : offered(relations), relations_(relations), blocks_(templates.groups().size()), pairs_(templates.groups().size()) {
    for (const ArcGroup& group : templates.groups()) {
      sizes_.push_back(group.numbers());
      first_tables_.push_back(rows_.size());
      if (group.relation) rows_.resize(rows_.size() + static_cast<std::size_t>(group.numbers()));
    }
  }

  OfferedRelations offered;  // what training has seen

  std::int32_t relations() const noexcept { return relations_; }
  std::int64_t size() const noexcept { return size_; }  // weights
  std::int64_t block_size(std::int32_t g) const noexcept { return sizes_[static_cast<std::size_t>(g)]; }

  // The place of the block of an arc.
  std::int64_t find(std::int32_t g, std::int32_t a, std::int32_t b) const noexcept {
    return blocks_[static_cast<std::size_t>(g)].find(a, b).place();
  }
  void prefetch(std::int32_t g, std::int32_t a, std::int32_t b) const noexcept { blocks_[static_cast<std::size_t>(g)].prefetch(a, b); }
  std::int64_t add(std::int32_t g, std::int32_t a, std::int32_t b) {
    WeightPlace& block = blocks_[static_cast<std::size_t>(g)].at(a, b);
    if (!block.known()) block = take(block_size(g));
    return block.place();
  }

  // The row of relations of a number of a block.
  PackedRow find_row(std::int32_t g, std::int32_t number, std::int32_t a, std::int32_t b) const noexcept {
    return rows_[table(g, number)].find(a, b);
  }
  void prefetch_row(std::int32_t g, std::int32_t number, std::int32_t a, std::int32_t b) const noexcept {
    rows_[table(g, number)].prefetch(a, b);
  }
  // The place of the weight of a relation, which enters if it is not there yet.
  std::int64_t add(std::int32_t g, std::int32_t number, std::int32_t a, std::int32_t b, std::int32_t relation) {
    PackedRow& row = rows_[table(g, number)].at(a, b);
    if (!row.few.known()) row = PackedRow::of(relation, take(PackedRow::width));
    if (row.has_room(relation)) return row.place(relation);
    if (!row.all.known()) row.all = take(padded(relations_));
    return row.place(relation);
  }

  // The number of a pair of n-grams in a group that also reads what is between or siblings; -1: it is not there.
  std::int32_t find_pair(std::int32_t g, std::int32_t a, std::int32_t b) const noexcept {
    return pairs_[static_cast<std::size_t>(g)].find(a, b);
  }
  std::int32_t add_pair(std::int32_t g, std::int32_t a, std::int32_t b) { return pairs_[static_cast<std::size_t>(g)].add(a, b); }
  const IdPairIndex& pairs(std::int32_t g) const noexcept { return pairs_[static_cast<std::size_t>(g)]; }

  // Calls visit(group, a, b, place) for all blocks of arcs, in the order in which they have entered.
  template <class Visit>
  void each_block(Visit visit) const {
    std::vector<std::tuple<std::int64_t, std::int32_t, std::int32_t, std::int32_t>> found;
    for (std::size_t g = 0; g < blocks_.size(); ++g) {
      blocks_[g].each(
          [&](std::int32_t a, std::int32_t b, WeightPlace block) { found.push_back({block.place(), static_cast<std::int32_t>(g), a, b}); });
    }
    std::ranges::sort(found);
    for (const auto& [place, g, a, b] : found) visit(g, a, b, place);
  }
  // Calls visit(group, number, a, b, row) for all rows of relations, in the order in which they have entered.
  template <class Visit>
  void each_row(Visit visit) const {
    struct Found {
      std::int32_t g, number, a, b;
      PackedRow row;
    };
    std::vector<Found> found;
    for (std::size_t g = 0; g < first_tables_.size(); ++g) {
      const std::size_t end = g + 1 < first_tables_.size() ? first_tables_[g + 1] : rows_.size();
      for (std::size_t t = first_tables_[g]; t < end; ++t) {
        const auto number = static_cast<std::int32_t>(t - first_tables_[g]);
        rows_[t].each([&](std::int32_t a, std::int32_t b, const PackedRow& row) {
          found.push_back({static_cast<std::int32_t>(g), number, a, b, row});
        });
      }
    }
    std::ranges::sort(found, {}, [](const Found& of) { return of.row.few.place(); });
    for (const Found& of : found) visit(of.g, of.number, of.a, of.b, of.row);
  }

 private:
  std::size_t table(std::int32_t g, std::int32_t number) const noexcept {
    return first_tables_[static_cast<std::size_t>(g)] + static_cast<std::size_t>(number);
  }
  WeightPlace take(std::int64_t count) {
    if (size_ + count > WeightPlace::most) throw Error("DataError", "more than 2^32 weights", "Use a smaller template.");
    return WeightPlace(std::exchange(size_, size_ + count));
  }

  std::int32_t relations_ = 0;
  std::vector<PairTable<WeightPlace>> blocks_;  // [groups]
  std::vector<PairTable<PackedRow>> rows_;      // one for each number of each group of relations
  std::vector<std::size_t> first_tables_;       // [groups] of rows_
  std::vector<IdPairIndex> pairs_;              // [groups]
  std::vector<std::int64_t> sizes_;             // [groups] of a block
  std::int64_t size_ = 0;
};

// Weights that exist, for those who ask for the weights of an arc.
struct KnownWeights {
  const ArcRows& rows;
  std::int64_t place(std::int32_t g, std::int32_t a, std::int32_t b) const noexcept { return rows.find(g, a, b); }
  std::int32_t pair(std::int32_t g, std::int32_t a, std::int32_t b) const noexcept { return rows.find_pair(g, a, b); }
  PackedRow row(std::int32_t g, std::int32_t number, std::int32_t a, std::int32_t b) const noexcept {
    return rows.find_row(g, number, a, b);
  }
};

// A row of relations whose weights enter as they are asked for.
struct GrowingRow {
  ArcRows* rows = nullptr;
  std::int32_t g = 0, number = 0, a = 0, b = 0;
  bool known() const noexcept { return rows != nullptr; }
  std::int64_t place(std::int32_t relation) const { return rows->add(g, number, a, b, relation); }
};

// Weights that enter as they are asked for.
struct GrowingWeights {
  ArcRows& rows;
  std::int64_t place(std::int32_t g, std::int32_t a, std::int32_t b) { return rows.add(g, a, b); }
  std::int32_t pair(std::int32_t g, std::int32_t a, std::int32_t b) { return rows.add_pair(g, a, b); }
  GrowingRow row(std::int32_t g, std::int32_t number, std::int32_t a, std::int32_t b) { return {&rows, g, number, a, b}; }
};

// Blocks and rows that exist; weights enter these rows as they are asked for.
struct GrowingRows {
  ArcRows& rows;
  std::int64_t place(std::int32_t g, std::int32_t a, std::int32_t b) const noexcept { return rows.find(g, a, b); }
  std::int32_t pair(std::int32_t g, std::int32_t a, std::int32_t b) const noexcept { return rows.find_pair(g, a, b); }
  GrowingRow row(std::int32_t g, std::int32_t number, std::int32_t a, std::int32_t b) {
    return rows.find_row(g, number, a, b).known() ? GrowingRow{&rows, g, number, a, b} : GrowingRow{};
  }
};

}  // namespace riata
