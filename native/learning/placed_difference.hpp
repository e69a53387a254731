// A difference of features as places in the weights, each place once: to measure it before any weight changes.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "core/hash.hpp"

namespace riata {

template <class Real>
class PlacedDifference {
 public:
  // A weight, and its twin in the running sum of the average.
  struct Place {
    Real* weight;
    Real* sum;

    friend Place operator+(Place place, std::int64_t n) noexcept { return {place.weight + n, place.sum + n}; }
    friend std::int64_t operator-(Place a, Place b) noexcept { return a.weight - b.weight; }
  };

  void clear() {
    for (const Entry& entry : entries_) table_[entry.slot] = -1;
    entries_.clear();
  }

  void add(Place place, double value) {
    if (2 * (entries_.size() + 1) > table_.size()) grow();
    const std::size_t slot = slot_of(place.weight);
    if (table_[slot] < 0) {
      table_[slot] = static_cast<std::int32_t>(entries_.size());
      entries_.push_back({place, 0, slot});
    }
    entries_[table_[slot]].value += value;
  }

  double squared_norm() const noexcept {
    double sum = 0;
    for (const Entry& entry : entries_) sum += entry.value * entry.value;
    return sum;
  }
  double score() const noexcept {
    double sum = 0;
    for (const Entry& entry : entries_) sum += *entry.place.weight * entry.value;
    return sum;
  }
  double dot(const PlacedDifference& other) const noexcept {
    double sum = 0;
    for (const Entry& entry : entries_) {
      const std::int32_t id = other.table_[other.slot_of(entry.place.weight)];
      if (id >= 0) sum += entry.value * other.entries_[id].value;
    }
    return sum;
  }

  // w += step * this; and count times that to the running sum.
  void apply(double step, double count) const noexcept {
    for (const Entry& entry : entries_) {
      *entry.place.weight += static_cast<Real>(step * entry.value);
      *entry.place.sum += static_cast<Real>(step * entry.value * count);
    }
  }

 private:
  struct Entry {
    Place place;
    double value;
    std::size_t slot;  // in the table
  };

  std::size_t slot_of(const Real* weight) const noexcept {
    const std::size_t mask = table_.size() - 1;
    std::size_t slot = mix(reinterpret_cast<std::uintptr_t>(weight)) & mask;
    while (table_[slot] >= 0 && entries_[table_[slot]].place.weight != weight) slot = (slot + 1) & mask;
    return slot;
  }

  void grow() {
    table_.assign(2 * table_.size(), -1);
    for (std::size_t id = 0; id < entries_.size(); ++id) {
      entries_[id].slot = slot_of(entries_[id].place.weight);
      table_[entries_[id].slot] = static_cast<std::int32_t>(id);
    }
  }

  std::vector<Entry> entries_;                                            // in the order in which they came
  std::vector<std::int32_t> table_ = std::vector<std::int32_t>(256, -1);  // open addressing; power of two
};

}  // namespace riata
