// What the kernel files share: how they are compiled, and blocks of numbers that are processed at once.
#pragma once

#include <cstring>

#include "core/kernels.hpp"

// Versions for wider instructions, one of which the loader selects. On other platforms there is only the plain version.
#if defined(__x86_64__) && defined(__linux__) && defined(__GNUC__) && !defined(__clang__) && !defined(__SANITIZE_ADDRESS__) && \
    !defined(__SANITIZE_THREAD__)
#define RIATA_CLONES __attribute__((target_clones("arch=x86-64-v4", "avx2", "default")))
#else
#define RIATA_CLONES
#endif
#define RIATA_INLINE [[gnu::always_inline]] inline

namespace riata {

// Eight labels at a time. The compiler splits a block if registers are narrower.
template <class Number>
struct Block {
  typedef Number type __attribute__((vector_size(row_multiple * sizeof(Number))));
};

// The sum of the numbers of a block, in a fixed order.
template <class Real>
RIATA_INLINE Real in_all(typename Block<Real>::type v) noexcept {
  return ((v[0] + v[4]) + (v[1] + v[5])) + ((v[2] + v[6]) + (v[3] + v[7]));
}

// out = one[0] + one[1], one[2] + one[3], …, two[0] + two[1], …
template <class V>
RIATA_INLINE void add_neighbours(const V& one, const V& two, V& out) noexcept {
  out = __builtin_shufflevector(one, two, 0, 2, 4, 6, 8, 10, 12, 14) + __builtin_shufflevector(one, two, 1, 3, 5, 7, 9, 11, 13, 15);
}

// in_all of eight blocks at once, with the same bits.
template <class V>
RIATA_INLINE void all_of_each(const V* of, V& out) noexcept {
  V halves[4], quarters[2];
  for (int k = 0; k < 4; ++k) {
    halves[k] = __builtin_shufflevector(of[2 * k], of[2 * k + 1], 0, 1, 2, 3, 8, 9, 10, 11) +
                __builtin_shufflevector(of[2 * k], of[2 * k + 1], 4, 5, 6, 7, 12, 13, 14, 15);
  }
  for (int k = 0; k < 2; ++k) add_neighbours(halves[2 * k], halves[2 * k + 1], quarters[k]);
  add_neighbours(quarters[0], quarters[1], out);
}

// out[j] = own[j] * sum over i of from[i * step] * rows[i][j], for `blocks` blocks of j. Adds the blocks of `out` to `sum`. rows:
// [count][stride].
template <int blocks, class Real>
RIATA_INLINE void weigh_blocks(const Real* from, std::int32_t step, const Real* rows, std::int64_t count, const Real* own,
                               std::int32_t stride, Real* out, typename Block<Real>::type& sum) noexcept {
  using V = typename Block<Real>::type;
  V total[blocks]{}, row;
  for (std::int64_t i = 0; i < count; ++i, rows += stride, from += step) {
    for (int b = 0; b < blocks; ++b) {
      std::memcpy(&row, rows + b * row_multiple, sizeof row);
      total[b] += row * *from;
    }
  }
  for (int b = 0; b < blocks; ++b) {
    std::memcpy(&row, own + b * row_multiple, sizeof row);
    row *= total[b];
    std::memcpy(out + b * row_multiple, &row, sizeof row);
    sum += row;
  }
}

// Multiplies eight rows at a time; if fewer are left, the last row is repeated. See multiply_rows.
template <class Real>
RIATA_INLINE void multiply(const Real* rows, const Real* by, std::int64_t count, std::int32_t stride, Real* out) noexcept {
  using V = typename Block<Real>::type;
  constexpr int together = row_multiple;
  V row, other;
  if (count % together == 1) {  // the last row by itself
    V total{};
    const Real* last = rows + (count - 1) * stride;
    for (std::int32_t j = 0; j < stride; j += row_multiple) {
      std::memcpy(&row, last + j, sizeof row);
      std::memcpy(&other, by + j, sizeof other);
      total += row * other;
    }
    out[--count] = in_all<Real>(total);
  }
  for (std::int64_t i = 0; i < count; i += together) {
    const int here = static_cast<int>(count - i < together ? count - i : together);
    const Real* from[together];
    for (int k = 0; k < together; ++k) from[k] = rows + (i + (k < here ? k : here - 1)) * stride;
    V products[together]{}, totals;
    for (std::int32_t j = 0; j < stride; j += row_multiple) {
      std::memcpy(&other, by + j, sizeof other);
      for (int k = 0; k < together; ++k) {
        std::memcpy(&row, from[k] + j, sizeof row);
        products[k] += row * other;
      }
    }
    all_of_each(products, totals);
    std::memcpy(out + i, &totals, static_cast<std::size_t>(here) * sizeof(Real));
  }
}

}  // namespace riata
