#include "features/letters.hpp"

#include <algorithm>
#include <array>
#include <atomic>
#include <memory>
#include <mutex>
#include <utility>

#include "core/error.hpp"
#include "core/utf8.hpp"

namespace riata {
namespace {

using Block = std::array<Letter, letters_of_block>;

Letter ascii_letter(char32_t c) noexcept {
  const bool upper = c >= U'A' && c <= U'Z', small = c >= U'a' && c <= U'z', digit = c >= U'0' && c <= U'9';
  Letter out{c, upper ? c - U'A' + U'a' : c, upper ? U'X' : small ? U'x' : digit ? U'd' : c, Letter::known};
  if (upper) out.flags |= Letter::upper;
  if (small) out.flags |= Letter::small;
  if (upper || small) out.flags |= Letter::changes;
  if (upper || small || digit) out.flags |= Letter::alphanumeric;
  if (digit) out.flags |= Letter::decimal;
  return out;
}

// Blocks are never freed, since other threads may be reading them. Block 0 has two states: ASCII, and all that Python has taught.
struct Table {
  std::array<std::atomic<const Block*>, blocks_of_letters> blocks{};
  std::vector<std::unique_ptr<const Block>> owned;
  std::array<bool, blocks_of_letters> taught{};
  std::mutex lock;

  Table() {
    auto first = std::make_unique<Block>();
    for (char32_t c = 0; c < 0x80; ++c) (*first)[c] = ascii_letter(c);
    put(0, std::move(first));
  }

  void put(std::int32_t number, std::unique_ptr<const Block> block) {
    const auto place = static_cast<std::size_t>(number);
    blocks[place].store(block.get(), std::memory_order_release);
    owned.push_back(std::move(block));
  }
};

Table& table() {
  static Table all;
  return all;
}

}  // namespace

void teach_letters(std::int32_t number, std::span<const Letter> letters) {
  if (number < 0 || number >= blocks_of_letters || letters.size() != letters_of_block) throw Error("RiataError", "no block of letters");
  Table& all = table();
  const std::lock_guard guard(all.lock);
  if (std::exchange(all.taught[static_cast<std::size_t>(number)], true)) return;
  auto block = std::make_unique<Block>();
  std::copy(letters.begin(), letters.end(), block->begin());
  for (char32_t c = 0; number == 0 && c < 0x80; ++c) (*block)[c] = ascii_letter(c);
  all.put(number, std::move(block));
}

bool is_ascii(std::string_view text) noexcept {
  return std::none_of(text.begin(), text.end(), [](char c) { return static_cast<unsigned char>(c) >= 0x80; });
}

bool Word::read(std::string_view read) {
  text = read;
  memory_.clear();
  const Table& all = table();
  const auto add = [&](char32_t code) {
    const Block* block = all.blocks[code / letters_of_block].load(std::memory_order_acquire);
    if (block == nullptr || !(*block)[code % letters_of_block].has(Letter::known)) return false;
    memory_.push_back((*block)[code % letters_of_block]);
    return true;
  };
  if (!is_ascii(read) && find_invalid_utf8(read) != std::string_view::npos) return false;
  const auto bits = [&](std::size_t i) { return char32_t{static_cast<unsigned char>(read[i])} & 0x3F; };
  for (std::size_t i = 0; i < read.size();) {
    const char32_t lead = static_cast<unsigned char>(read[i]);
    char32_t code = lead;
    std::size_t length = 1;
    if (lead >= 0xF0) {
      code = (lead & 0x07) << 18 | bits(i + 1) << 12 | bits(i + 2) << 6 | bits(i + 3);
      length = 4;
    } else if (lead >= 0xE0) {
      code = (lead & 0x0F) << 12 | bits(i + 1) << 6 | bits(i + 2);
      length = 3;
    } else if (lead >= 0x80) {
      code = (lead & 0x1F) << 6 | bits(i + 1);
      length = 2;
    }
    if (!add(code)) return false;
    i += length;
  }
  letters = memory_;
  return true;
}

}  // namespace riata
