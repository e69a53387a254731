// What is known of characters. Those of ASCII are known from the start; others are taught by Python, in blocks, when texts with them are
// met: then the core and Python agree on them, whatever their version of Unicode.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

namespace riata {

struct Letter {
  static constexpr std::uint8_t known = 1, upper = 2, small = 4, changes = 8, alphanumeric = 16, decimal = 32;

  char32_t code = 0, lower = 0, shape = 0;  // shape: X, x, d, or the character itself
  std::uint8_t flags = 0;                   // changes: differs in upper case and lower case. Without `known`, Python must look at the text

  bool has(std::uint8_t flag) const noexcept { return (flags & flag) != 0; }
};

inline constexpr std::int32_t letters_of_block = 256, blocks_of_letters = 0x1100;

// From now on, these are the letters of the block. A block that is known stays as it is.
void teach_letters(std::int32_t block, std::span<const Letter> letters);

bool is_ascii(std::string_view text) noexcept;

// A text, letter by letter. A view: the letters are those of the text that was read last.
struct Word {
  std::string_view text;
  std::span<const Letter> letters;

  // Returns false if the text is not UTF-8, or has letters that are not known. The text must outlive its use.
  bool read(std::string_view text);

 private:
  std::vector<Letter> memory_;
};

}  // namespace riata
