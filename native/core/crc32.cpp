#include "core/crc32.hpp"

#include <array>
#include <cstddef>

#if defined(__x86_64__)
#include <immintrin.h>
#endif

namespace riata {

#if defined(__x86_64__)
namespace {

constexpr std::uint32_t polynomial = 0xEDB88320u;  // the lowest bit stands for the highest power

constexpr std::array<std::uint32_t, 256> make_table() {
  std::array<std::uint32_t, 256> table{};
  for (std::uint32_t i = 0; i < 256; ++i) {
    std::uint32_t c = i;
    for (int bit = 0; bit < 8; ++bit) c = c & 1 ? c >> 1 ^ polynomial : c >> 1;
    table[i] = c;
  }
  return table;
}
constexpr std::array<std::uint32_t, 256> table = make_table();

std::uint32_t by_bytes(std::span<const unsigned char> bytes, std::uint32_t state) noexcept {
  for (const unsigned char byte : bytes) state = state >> 8 ^ table[(state ^ byte) & 0xFF];
  return state;
}

// x^n modulo the polynomial, in reflected bit order, shifted by one bit as the product of reflected numbers requires.
constexpr std::uint64_t power(int n) {
  std::uint32_t remainder = 0x80000000u;  // x^0
  for (int i = 0; i < n; ++i) remainder = remainder & 1 ? remainder >> 1 ^ polynomial : remainder >> 1;
  return std::uint64_t{remainder} << 1;
}

// Carries 128 bits of state over `bits` bits of data, and combines them with the next 128 bits. The low half of the state is 64 bits
// further away than the high half.
template <int bits>
__attribute__((target("pclmul,sse4.1"))) __m128i moved(__m128i state, __m128i next) noexcept {
  const __m128i by = _mm_set_epi64x(static_cast<long long>(power(bits - 32)), static_cast<long long>(power(bits + 32)));
  return _mm_xor_si128(next, _mm_xor_si128(_mm_clmulepi64_si128(state, by, 0x00), _mm_clmulepi64_si128(state, by, 0x11)));
}

__attribute__((target("pclmul,sse4.1"))) std::uint32_t folded(std::span<const unsigned char> bytes, std::uint32_t state) noexcept {
  const auto read = [&](std::size_t at) __attribute__((target("pclmul,sse4.1"))) {
    return _mm_loadu_si128(reinterpret_cast<const __m128i*>(bytes.data() + at));
  };
  __m128i a = _mm_xor_si128(read(0), _mm_cvtsi32_si128(static_cast<int>(state))), b = read(16), c = read(32), d = read(48);
  std::size_t at = 64;
  for (; at + 64 <= bytes.size(); at += 64) {
    a = moved<512>(a, read(at));
    b = moved<512>(b, read(at + 16));
    c = moved<512>(c, read(at + 32));
    d = moved<512>(d, read(at + 48));
  }
  const __m128i all = moved<128>(moved<128>(moved<128>(a, b), c), d);
  alignas(16) unsigned char left[16];  // has the same CRC as all data before
  _mm_store_si128(reinterpret_cast<__m128i*>(left), all);
  return by_bytes(bytes.subspan(at), by_bytes(left, 0));
}

}  // namespace

bool has_fast_crc32() noexcept { return __builtin_cpu_supports("pclmul") && __builtin_cpu_supports("sse4.1"); }

std::uint32_t fast_crc32(std::span<const unsigned char> bytes, std::uint32_t before) noexcept {
  return ~(bytes.size() < 64 ? by_bytes(bytes, ~before) : folded(bytes, ~before));
}
#else
bool has_fast_crc32() noexcept { return false; }
std::uint32_t fast_crc32(std::span<const unsigned char>, std::uint32_t before) noexcept { return before; }
#endif

}  // namespace riata
