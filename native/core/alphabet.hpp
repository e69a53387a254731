// Strings to dense ids and back: the vocabulary of a column, an attribute or a label set.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace riata {

class Alphabet {
 public:
  static constexpr std::int32_t unknown = -1;

  Alphabet() = default;

  // Restores an alphabet from its bytes; offsets has size + 1 entries. Throws Error if they are inconsistent.
  Alphabet(std::string bytes, std::vector<std::int64_t> offsets);

  std::int32_t add(std::string_view text);
  std::int32_t find(std::string_view text) const noexcept;
  // Writes the ids of many texts that stand one after the other in `bytes`; ends: where each text ends. Memory is prefetched.
  void find_all(std::string_view bytes, std::span<const std::size_t> ends, std::int32_t* ids) const noexcept;
  std::string_view text(std::int32_t id) const;  // throws Error if the alphabet does not contain the id
  std::int32_t size() const noexcept { return static_cast<std::int32_t>(offsets_.size()) - 1; }

  // The text of an id, which must be in the alphabet.
  std::string_view at(std::int32_t id) const noexcept {
    const auto from = static_cast<std::size_t>(offsets_[id]);
    return {bytes_.data() + from, static_cast<std::size_t>(offsets_[id + 1]) - from};
  }
  std::size_t length(std::int32_t id) const noexcept { return static_cast<std::size_t>(offsets_[id + 1] - offsets_[id]); }

  const std::string& bytes() const noexcept { return bytes_; }
  const std::vector<std::int64_t>& offsets() const noexcept { return offsets_; }

 private:
  struct Entry {
    std::int32_t id = unknown;
    std::uint32_t hash = 0;  // low bits of the text's hash, compared before the texts
  };

  std::size_t slot_of(std::string_view text, std::uint64_t hash) const noexcept;
  void grow_table();
  void make_table(std::size_t slots);  // slots: a power of two

  std::string bytes_;                     // all texts, one after another
  std::vector<std::int64_t> offsets_{0};  // [size + 1] where each text starts in bytes_
  std::vector<Entry> table_;              // open addressing; the size is a power of two; unknown: the slot is free
};

}  // namespace riata
