// CRC-32 as in zlib, by carry-less multiplication, which is several times faster for long data.
#pragma once

#include <cstdint>
#include <span>

namespace riata {

// Whether this processor supports the instructions.
bool has_fast_crc32() noexcept;

// The CRC of data whose CRC is `before`, followed by these bytes. Only if has_fast_crc32().
std::uint32_t fast_crc32(std::span<const unsigned char> bytes, std::uint32_t before) noexcept;

}  // namespace riata
