// A hash table of results that have been computed for a number. Clearing it costs nothing.
#pragma once

#include <cstdint>
#include <vector>

#include "core/hash.hpp"

namespace riata {

class Memo {
 public:
  void clear() noexcept {
    ++generation_;
    size_ = 0;
  }

  // The value of a key. For a new key it is -1, and the caller must set it.
  std::int64_t& at(std::uint64_t key) {
    if (entries_.size() < 2 * (size_ + 1)) grow();
    Entry& entry = entries_[place(key)];
    if (entry.generation != generation_) {
      entry = {key, -1, generation_};
      ++size_;
    }
    return entry.value;
  }

 private:
  struct Entry {
    std::uint64_t key = 0;
    std::int64_t value = -1;
    std::uint64_t generation = 0;
  };

  std::size_t place(std::uint64_t key) const noexcept {
    const std::size_t mask = entries_.size() - 1;
    std::size_t at = mix(key) & mask;
    while (entries_[at].generation == generation_ && entries_[at].key != key) at = (at + 1) & mask;
    return at;
  }

  void grow() {
    std::vector<Entry> old(entries_.empty() ? 64 : 2 * entries_.size());
    old.swap(entries_);
    for (const Entry& entry : old) {
      if (entry.generation == generation_) entries_[place(entry.key)] = entry;
    }
  }

  std::vector<Entry> entries_;  // open addressing; the size is a power of two
  std::uint64_t generation_ = 1;
  std::size_t size_ = 0;
};

}  // namespace riata
