// The largest of many numbers, some of which change in every round.
#pragma once

#include <cmath>
#include <cstdint>
#include <functional>
#include <map>
#include <vector>

namespace riata {

// Items have a group and a key. Items of a group whose keys are about equal stand in one bucket, so that most changes of keys move nothing,
// and only the highest bucket of a group is searched for its largest key.
class Largest {
 public:
  Largest(std::size_t items, std::size_t groups) : entries_(items), groups_(groups) {}

  std::size_t groups() const noexcept { return groups_.size(); }
  double key(std::int32_t item) const noexcept { return entries_[static_cast<std::size_t>(item)].key; }

  // Sets an item's key, at least 0. Keys near 0 are not ranked.
  void set(std::int32_t item, std::int32_t group, double key) {
    Entry& entry = entries_[static_cast<std::size_t>(item)];
    entry.key = key;
    const std::int32_t bucket = key > least ? bucket_of(key) : none;
    if (bucket == entry.bucket && (group == entry.group || bucket == none)) return;
    if (entry.bucket != none) remove(entry);
    entry.group = group;
    entry.bucket = bucket;
    if (bucket == none) return;
    std::vector<std::int32_t>& members = groups_[static_cast<std::size_t>(group)][bucket];
    entry.position = static_cast<std::int32_t>(members.size());
    members.push_back(item);
  }

  // Writes the items of the highest bucket of a group.
  void highest(std::size_t group, std::vector<std::int32_t>& out) const {
    const Buckets& buckets = groups_[group];
    out.clear();
    if (!buckets.empty()) out = buckets.begin()->second;
  }

  // The item with the largest key of a group; of those whose keys are equal to it but for rounding, the one with the lowest number. -1: the
  // group is empty.
  std::int32_t top(std::size_t group) const {
    const Buckets& buckets = groups_[group];
    auto bucket = buckets.begin();
    if (bucket == buckets.end()) return -1;
    double most = 0;
    for (const std::int32_t item : bucket->second) most = std::max(most, key(item));
    const double enough = most * (1 - rounding);
    std::int32_t best = -1;
    for (; bucket != buckets.end() && bucket->first >= bucket_of(enough); ++bucket) {
      for (const std::int32_t item : bucket->second) {
        if (key(item) >= enough && (best < 0 || item < best)) best = item;
      }
    }
    return best;
  }

  static constexpr double rounding = 1e-9;  // relative difference of numbers that count as equal

 private:
  struct Entry {
    double key = 0;
    std::int32_t group = 0, bucket = none, position = 0;
  };
  using Buckets = std::map<std::int32_t, std::vector<std::int32_t>, std::greater<>>;

  static constexpr std::int32_t none = -(1 << 20);
  static constexpr double least = 1e-30;

  // Four buckets between a power of 2 and the next.
  static std::int32_t bucket_of(double key) noexcept {
    int exponent = 0;
    const double part = std::frexp(key, &exponent);  // from 1/2 to 1
    return 4 * exponent + static_cast<std::int32_t>(8 * part - 4);
  }

  void remove(const Entry& entry) {
    Buckets& buckets = groups_[static_cast<std::size_t>(entry.group)];
    const auto bucket = buckets.find(entry.bucket);
    std::vector<std::int32_t>& members = bucket->second;
    members[static_cast<std::size_t>(entry.position)] = members.back();
    entries_[static_cast<std::size_t>(members.back())].position = entry.position;
    members.pop_back();
    if (members.empty()) buckets.erase(bucket);
  }

  std::vector<Entry> entries_;
  std::vector<Buckets> groups_;
};

}  // namespace riata
