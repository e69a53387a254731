// Hash functions for tables of the core. They do not withstand deliberate collisions.
#pragma once

#include <cstdint>
#include <cstring>
#include <string_view>

namespace riata {

inline std::uint64_t mix(std::uint64_t x) noexcept {
  x ^= x >> 32;
  x *= 0xD6E8FEB86659FD93ULL;
  x ^= x >> 32;
  x *= 0xD6E8FEB86659FD93ULL;
  x ^= x >> 32;
  return x;
}

// The last `left` bytes of a text, fewer than eight, as a number whose lowest byte is the first. Reads whole words instead of single bytes.
inline std::uint64_t tail_of(std::string_view text, std::size_t left) noexcept {
  const char* end = text.data() + text.size();
  const auto load = [](const char* from, auto number) {
    std::memcpy(&number, from, sizeof number);
    return std::uint64_t{number};
  };
  if (left == 0) return 0;
  if (text.size() >= 8) return load(end - 8, std::uint64_t{}) >> (64 - 8 * left);
  if (left >= 4) return load(end - left, std::uint32_t{}) | load(end - 4, std::uint32_t{}) << (8 * left - 32);
  const auto byte = [&](std::size_t i) {
    return std::uint64_t{static_cast<unsigned char>(end[static_cast<std::ptrdiff_t>(i) - static_cast<std::ptrdiff_t>(left)])} << (8 * i);
  };
  return byte(0) | byte(left / 2) | byte(left - 1);
}

inline std::uint64_t hash_bytes(std::string_view text) noexcept {
  std::uint64_t h = 0x9E3779B97F4A7C15ULL ^ text.size();
  const char* p = text.data();
  std::size_t left = text.size();
  for (; left >= 8; left -= 8, p += 8) {
    std::uint64_t word;
    std::memcpy(&word, p, 8);
    h = mix(h ^ word);
  }
  return mix(h ^ tail_of(text, left));
}

}  // namespace riata
