// Hash functions of the core's tables. Not for hostile input on a network: tables are rebuilt, never exposed.
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

inline std::uint64_t hash_bytes(std::string_view text) noexcept {
  std::uint64_t h = 0x9E3779B97F4A7C15ULL ^ text.size();
  const char* p = text.data();
  std::size_t left = text.size();
  for (; left >= 8; left -= 8, p += 8) {
    std::uint64_t word;
    std::memcpy(&word, p, 8);
    h = mix(h ^ word);
  }
  std::uint64_t tail = 0;
  if (left > 0) std::memcpy(&tail, p, left);
  return mix(h ^ tail);
}

}  // namespace riata
