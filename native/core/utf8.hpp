// Validity of UTF-8 (RFC 3629: shortest forms only, no surrogates, nothing above U+10FFFF).
#pragma once

#include <cstddef>
#include <string_view>

namespace riata {

// Index of the first byte that is not part of valid UTF-8, or npos.
inline std::size_t find_invalid_utf8(std::string_view s) noexcept {
  const auto byte = [&](std::size_t i) { return static_cast<unsigned char>(s[i]); };
  const auto continues = [&](std::size_t i) { return i < s.size() && (byte(i) & 0xC0) == 0x80; };
  for (std::size_t i = 0; i < s.size();) {
    const unsigned char lead = byte(i);
    if (lead < 0x80) {
      ++i;
    } else if (lead >= 0xC2 && lead <= 0xDF) {
      if (!continues(i + 1)) return i;
      i += 2;
    } else if (lead >= 0xE0 && lead <= 0xEF) {
      if (!continues(i + 1) || !continues(i + 2)) return i;
      if (lead == 0xE0 && byte(i + 1) < 0xA0) return i;   // overlong encoding
      if (lead == 0xED && byte(i + 1) >= 0xA0) return i;  // surrogate
      i += 3;
    } else if (lead >= 0xF0 && lead <= 0xF4) {
      if (!continues(i + 1) || !continues(i + 2) || !continues(i + 3)) return i;
      if (lead == 0xF0 && byte(i + 1) < 0x90) return i;
      if (lead == 0xF4 && byte(i + 1) >= 0x90) return i;
      i += 4;
    } else {
      return i;
    }
  }
  return std::string_view::npos;
}

}  // namespace riata
