// Sparse differences of feature vectors: lists of (place in the weight vector, number).
#pragma once

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "core/hash.hpp"

namespace riata {

using Difference = std::vector<std::pair<std::int64_t, double>>;

inline constexpr double cancelled = 1e-12;  // numbers below this are rounding errors of numbers that cancel

// Sorts the entries by place, adds up entries of the same place, and removes entries that cancel.
inline void sum_up(Difference& delta) {
  std::sort(delta.begin(), delta.end(), [](const auto& a, const auto& b) { return a.first < b.first; });
  std::size_t kept = 0;
  for (std::size_t i = 0; i < delta.size(); ++i) {
    if (kept > 0 && delta[kept - 1].first == delta[i].first)
      delta[kept - 1].second += delta[i].second;
    else
      delta[kept++] = delta[i];
  }
  delta.resize(kept);
  std::erase_if(delta, [](const auto& entry) { return std::abs(entry.second) < cancelled; });
}

// The norms below expect that every place occurs once.
inline double squared_norm(const Difference& delta) noexcept {
  double sum = 0;
  for (const auto& [place, value] : delta) sum += value * value;
  return sum;
}

inline double p_norm(const Difference& delta, double p) noexcept {
  if (p == 2) return std::sqrt(squared_norm(delta));
  double largest = 0, sum = 0;
  for (const auto& [place, value] : delta) largest = std::max(largest, std::abs(value));
  if (largest == 0) return 0;
  for (const auto& [place, value] : delta) sum += std::pow(std::abs(value) / largest, p);
  return largest * std::pow(sum, 1 / p);
}

// A difference whose entries of the same place are added up as they come, with a hash table. Entries stay in the order in which their
// places came.
class SummedDifference {
 public:
  void clear() {
    for (const std::size_t slot : slots_) table_[slot] = -1;
    slots_.clear();
    entries_.clear();
  }

  // Allocates room for all entries at once, as if every place were new.
  void add(const Difference& delta) {
    std::size_t count = entries_.size();
    grow(count + delta.size());
    entries_.resize(count + delta.size());
    slots_.resize(count + delta.size());
    for (const auto& [place, value] : delta) {
      const std::size_t slot = slot_of(place);
      if (table_[slot] < 0) {
        table_[slot] = static_cast<std::int32_t>(count);
        slots_[count] = slot;
        entries_[count++] = {place, value};
      } else {
        entries_[static_cast<std::size_t>(table_[slot])].second += value;
      }
    }
    entries_.resize(count);
    slots_.resize(count);
  }

  const Difference& entries() const noexcept { return entries_; }
  // The number of the entry of a place; -1 if there is none.
  std::int32_t find(std::int64_t place) const noexcept { return table_[slot_of(place)]; }

  double dot(const SummedDifference& other) const noexcept {
    double sum = 0;
    for (const auto& [place, value] : entries_) {
      const std::int32_t id = other.table_[other.slot_of(place)];
      if (id >= 0) sum += value * other.entries_[static_cast<std::size_t>(id)].second;
    }
    return sum;
  }

 private:
  // The slot of the table where the place stands, or where it would be entered.
  std::size_t slot_of(std::int64_t place) const noexcept {
    std::size_t slot = mix(static_cast<std::uint64_t>(place)) & (table_.size() - 1);
    while (table_[slot] >= 0 && entries_[static_cast<std::size_t>(table_[slot])].first != place) slot = (slot + 1) & (table_.size() - 1);
    return slot;
  }
  // Makes room for `most` entries in a table that is at most half full.
  void grow(std::size_t most) {
    if (2 * most <= table_.size()) return;
    table_.assign(std::bit_ceil(2 * most), -1);
    for (std::size_t i = 0; i < entries_.size(); ++i) {
      slots_[i] = slot_of(entries_[i].first);
      table_[slots_[i]] = static_cast<std::int32_t>(i);
    }
  }

  Difference entries_;
  std::vector<std::size_t> slots_;                                        // [entries] the slot of each in the table
  std::vector<std::int32_t> table_ = std::vector<std::int32_t>(256, -1);  // number of an entry, -1: the slot is free
};

}  // namespace riata
