// Rows with one weight per operator, as far as updates have touched them, so that a feature costs no more memory than the operators that it
// was seen with. Weights stand in blocks of four, each of which is that of any operator.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <limits>
#include <vector>

#include "core/error.hpp"
#include "core/hash.hpp"
#include "core/id_pair_index.hpp"
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
  static constexpr std::int32_t width = 4;  // weights of a block
  static constexpr std::int32_t most_operators = std::int32_t{1} << 16;
  // The operators of the weights of a block. From the second on, one that equals the first has not been taken: its weight is 0.
  using Operators = std::array<std::uint16_t, width>;

  std::int32_t blocks() const noexcept { return blocks_; }
  std::int64_t size() const noexcept { return std::int64_t{blocks_} * width; }  // weights

  // Where the search for a row begins; and the memory that it reads first.
  static std::uint64_t hash(const RowKey& key) noexcept { return mix(key.low ^ mix(key.high)); }
  void prefetch(std::uint64_t hashed) const noexcept {
    const Entries& entries = part(hashed).entries;
    if (!entries.empty()) __builtin_prefetch(&entries[first_slot(entries, hashed)]);
  }
  // Calls visit(block, its operators) for all blocks of a row. A row that no update has touched has none.
  template <class Visit>
  [[gnu::always_inline]] void each(const RowKey& key, std::uint64_t hashed, Visit visit) const {
    const Entries& entries = part(hashed).entries;
    if (!entries.empty()) each_of(entries[slot_of(entries, key, hashed)], visit);
  }

  // The place of the weight of an operator among all weights; -1: there is none.
  std::int64_t find(const RowKey& key, std::int32_t of) const noexcept {
    std::int64_t found = -1;
    each(key, hash(key), [&](std::int32_t block, const Operators& operators) {
      const auto at = std::find(operators.begin(), operators.end(), of);
      if (at != operators.end()) found = std::int64_t{block} * width + (at - operators.begin());
    });
    return found;
  }
  std::int64_t add(const RowKey& key, std::int32_t of) {
    if (of < 0 || of >= most_operators) throw Error("DataError", "more than 65,536 operators", "Use fewer relations or tags.");
    const auto wanted = static_cast<std::uint16_t>(of);
    const std::uint64_t hashed = hash(key);
    Part& in = parts_[part_of(hashed)];
    if (2 * in.entries.size() < 3 * (in.count + 1)) grow(in.entries);
    Entry& entry = in.entries[slot_of(in.entries, key, hashed)];
    if (entry.first < 0) {
      entry = {key, new_block(), -1, all_of(wanted)};
      ++in.count;
      return std::int64_t{entry.first} * width;
    }
    std::int32_t place = place_in(entry.operators, wanted);
    if (place >= 0) return std::int64_t{entry.first} * width + place;
    std::int32_t last = -1;
    for (std::int32_t link = entry.next; link >= 0; link = links_[static_cast<std::size_t>(link)].next) {
      place = place_in(links_[static_cast<std::size_t>(link)].operators, wanted);
      if (place >= 0) return std::int64_t{links_[static_cast<std::size_t>(link)].block} * width + place;
      last = link;
    }
    const auto added = static_cast<std::int32_t>(links_.size());
    links_.push_back({all_of(wanted), new_block(), -1});
    (last < 0 ? entry.next : links_[static_cast<std::size_t>(last)].next) = added;
    return std::int64_t{links_.back().block} * width;
  }

  // All rows, in the order in which they have entered: visit(key), then weight(operator, place) for each of its weights.
  template <class Visit, class Weight>
  void each_row(Visit visit, Weight weight) const {
    std::vector<const Entry*> rows;
    for (const Part& in : parts_) {
      for (const Entry& entry : in.entries) {
        if (entry.first >= 0) rows.push_back(&entry);
      }
    }
    std::sort(rows.begin(), rows.end(), [](const Entry* a, const Entry* b) { return a->first < b->first; });
    for (const Entry* entry : rows) {
      visit(entry->key);
      each_of(*entry, [&](std::int32_t block, const Operators& operators) {
        for (std::int32_t i = 0; i < width; ++i) {
          const std::uint16_t of = operators[static_cast<std::size_t>(i)];
          if (i == 0 || of != operators[0]) weight(std::int32_t{of}, std::int64_t{block} * width + i);
        }
      });
    }
  }

  // Sets of relations as values: a number for each set that was seen; -1: it was not.
  std::int32_t find_set(std::uint64_t set) const noexcept { return sets_.find(upper(set), lower(set)); }
  std::int32_t add_set(std::uint64_t set) { return sets_.add(upper(set), lower(set)); }
  std::int32_t sets() const noexcept { return sets_.size(); }
  std::uint64_t set(std::int32_t number) const noexcept {
    return std::uint64_t{std::uint32_t(sets_.left(number))} << 32 | std::uint32_t(sets_.right(number));
  }

 private:
  // A row with its first block. The others follow as links.
  struct alignas(32) Entry {
    RowKey key;
    std::int32_t first = -1, next = -1;  // block, link
    Operators operators = {};
  };
  struct Link {
    Operators operators;
    std::int32_t block, next;
  };
  using Entries = Numbers<Entry>;
  // The table is divided into parts, which grow one after the other and by a quarter, so that little memory is unused or in use twice.
  struct Part {
    Entries entries = {};  // open addressing
    std::size_t count = 0;
  };
  static constexpr std::int32_t part_bits = 5;

  static std::int32_t upper(std::uint64_t set) noexcept { return static_cast<std::int32_t>(set >> 32); }
  static std::int32_t lower(std::uint64_t set) noexcept { return static_cast<std::int32_t>(set & 0xFFFFFFFFu); }

  static std::size_t part_of(std::uint64_t hashed) noexcept { return hashed >> (64 - part_bits); }
  const Part& part(std::uint64_t hashed) const noexcept { return parts_[part_of(hashed)]; }
  static std::size_t first_slot(const Entries& entries, std::uint64_t hashed) noexcept {
    return ((hashed & 0xFFFFFFFFu) * entries.size()) >> 32;
  }
  static std::size_t slot_of(const Entries& entries, const RowKey& key, std::uint64_t hashed) noexcept {
    std::size_t slot = first_slot(entries, hashed);
    while (entries[slot].first >= 0 && entries[slot].key != key) {
      if (++slot == entries.size()) slot = 0;
    }
    return slot;
  }
  static void grow(Entries& entries) {
    Entries old(entries.size() + std::max<std::size_t>(entries.size() / 4, 16));
    old.swap(entries);
    for (const Entry& entry : old) {
      if (entry.first >= 0) entries[slot_of(entries, entry.key, hash(entry.key))] = entry;
    }
  }

  template <class Visit>
  [[gnu::always_inline]] void each_of(const Entry& entry, Visit visit) const {
    if (entry.first < 0) return;
    visit(entry.first, entry.operators);
    for (std::int32_t at = entry.next; at >= 0;) {
      const Link& link = links_[static_cast<std::size_t>(at)];
      visit(link.block, link.operators);
      at = link.next;
    }
  }
  // The place of an operator in a block, which takes it if there is room; -1: there is none.
  static std::int32_t place_in(Operators& operators, std::uint16_t wanted) noexcept {
    if (operators[0] == wanted) return 0;
    for (std::size_t i = 1; i < operators.size(); ++i) {
      if (operators[i] == operators[0]) operators[i] = wanted;
      if (operators[i] == wanted) return static_cast<std::int32_t>(i);
    }
    return -1;
  }
  static Operators all_of(std::uint16_t wanted) noexcept {
    Operators out;
    out.fill(wanted);
    return out;
  }
  std::int32_t new_block() {
    if (blocks_ >= std::numeric_limits<std::int32_t>::max() / width)
      throw Error("DataError", "more than 2^29 blocks of weights", "Use a smaller template.");
    return blocks_++;
  }

  std::array<Part, std::size_t{1} << part_bits> parts_ = {};
  Numbers<Link> links_;
  std::int32_t blocks_ = 0;
  IdPairIndex sets_;
};

}  // namespace riata
