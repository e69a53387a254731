// Support tokens: the tokens whose coefficients a kernel model keeps, with their feature vectors.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

namespace riata {

// The features of a token: numbers of features in increasing order, each once, and their values.
struct SparseVector {
  std::vector<std::int32_t> ids;
  std::vector<float> values;
  double squared = 0;  // the sum of the squares of the values

  void clear() noexcept {
    ids.clear();
    values.clear();
    squared = 0;
  }
  // Sorts the entries and adds up those of equal numbers.
  void settle() {
    if (!std::is_sorted(ids.begin(), ids.end(), std::less_equal<>())) {
      std::vector<std::pair<std::int32_t, float>> entries;
      for (std::size_t k = 0; k < ids.size(); ++k) entries.push_back({ids[k], values[k]});
      std::stable_sort(entries.begin(), entries.end(), [](const auto& a, const auto& b) { return a.first < b.first; });
      clear();
      for (const auto& [id, value] : entries) {
        if (!ids.empty() && ids.back() == id) {
          values.back() += value;
        } else {
          ids.push_back(id);
          values.push_back(value);
        }
      }
    }
    squared = 0;
    for (const float value : values) squared += double(value) * value;
  }
};

// Support tokens in slots. A slot that is free is used again. The coefficients of a slot are a row of the weight vector.
class Supports {
 public:
  std::int32_t slots() const noexcept { return static_cast<std::int32_t>(vectors_.size()); }
  std::int32_t size() const noexcept { return slots() - static_cast<std::int32_t>(free_.size()); }
  const SparseVector& operator[](std::int32_t slot) const noexcept { return vectors_[static_cast<std::size_t>(slot)]; }
  // When the slot was filled, as the number of tokens added until then, from 1 on; 0: it is free.
  std::int64_t since(std::int32_t slot) const noexcept { return since_[static_cast<std::size_t>(slot)]; }
  // The number of tokens added so far.
  std::int64_t added() const noexcept { return added_; }

  std::int32_t add(SparseVector vector) {
    std::int32_t slot = slots();
    if (free_.empty()) {
      vectors_.emplace_back();
      since_.push_back(0);
    } else {
      slot = free_.back();
      free_.pop_back();
    }
    vectors_[static_cast<std::size_t>(slot)] = std::move(vector);
    since_[static_cast<std::size_t>(slot)] = ++added_;
    return slot;
  }
  void remove(std::int32_t slot) {
    vectors_[static_cast<std::size_t>(slot)] = {};
    since_[static_cast<std::size_t>(slot)] = 0;
    free_.push_back(slot);
  }

 private:
  std::vector<SparseVector> vectors_;  // [slots]
  std::vector<std::int64_t> since_;    // [slots]
  std::vector<std::int32_t> free_;
  std::int64_t added_ = 0;
};

}  // namespace riata
