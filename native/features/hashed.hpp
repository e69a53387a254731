// Hashing instead of dictionaries: texts, n-grams and contexts of labels become numbers, and numbers become rows of one table of fixed
// size.
#pragma once

#include <cstdint>
#include <string_view>

#include "core/hash.hpp"
#include "core/kernels.hpp"

namespace riata {

// Maps the upper half of a hash to a number from 0 to size - 1.
inline std::int64_t within(std::uint64_t hash, std::int64_t size) noexcept {
  return static_cast<std::int64_t>(((hash >> 32) * static_cast<std::uint64_t>(size)) >> 32);
}

inline std::uint64_t id_pair_hash(std::int32_t a, std::int32_t b) noexcept {
  return mix((std::uint64_t{static_cast<std::uint32_t>(a)} << 32 | static_cast<std::uint32_t>(b)) + 0x9E3779B97F4A7C15ULL);
}

// The number of a text, from 0 to 2^31 - 17. Values of attributes are larger by 16 and must stay below 2^31.
inline std::int32_t hashed_text(std::string_view text) noexcept {
  return static_cast<std::int32_t>(within(mix(hash_bytes(text)), (std::int64_t{1} << 31) - 16));
}

// The number of an n-gram of a family, from the number of its parent (-1 for a root) and its last value.
inline std::int32_t hashed_ngram(std::int32_t family, std::int32_t parent, std::int32_t value) noexcept {
  return static_cast<std::int32_t>(mix(id_pair_hash(parent, value) ^ static_cast<std::uint64_t>(family)) >> 33);
}

// What reads a row. Readers of different kinds have different rows for the same number.
enum class Reader : std::int32_t { node, edge, named, history };

// The rows of hashed numbers. A row contains one weight per label; weights of label pairs are `labels` rows, one after the other.
class HashTable {
 public:
  HashTable() = default;
  HashTable(std::int32_t bits, std::int32_t labels) noexcept
      : rows_(bits == 0 ? 0 : (std::int64_t{1} << bits) / padded(labels)), labels_(labels) {}

  std::int64_t rows() const noexcept { return rows_; }
  bool fits() const noexcept { return rows_ >= labels_; }

  std::size_t row(std::int32_t number, Reader reader, std::int32_t slot = 0) const noexcept {
    const std::int64_t room = reader == Reader::edge ? rows_ - labels_ + 1 : rows_;
    return static_cast<std::size_t>(within(mix(id_pair_hash(number, slot) ^ static_cast<std::uint64_t>(reader)), room));
  }

 private:
  std::int64_t rows_ = 0;
  std::int32_t labels_ = 0;
};

}  // namespace riata
