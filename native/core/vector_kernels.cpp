// Kernels on vectors of tokens: small matrix products, four tokens at a time.
#include "core/kernel_blocks.hpp"

namespace riata {
namespace {

template <int tokens, int blocks, class Real>
RIATA_INLINE void multiply_blocks(const float* const* vectors, const std::int32_t* columns, const std::int64_t* places, std::int64_t size,
                                  const Real* weights, std::int32_t stride, Real* out) noexcept {
  using V = typename Block<Real>::type;
  V total[tokens][blocks], row[blocks];
  for (int i = 0; i < tokens; ++i) std::memcpy(total[i], out + i * stride, sizeof total[i]);
  for (std::int64_t k = 0; k < size; ++k) {
    std::memcpy(row, weights + places[k], sizeof row);
    for (int i = 0; i < tokens; ++i) {
      const auto value = static_cast<Real>(vectors[i][columns[k]]);
      for (int b = 0; b < blocks; ++b) total[i][b] += row[b] * value;
    }
  }
  for (int i = 0; i < tokens; ++i) std::memcpy(out + i * stride, total[i], sizeof total[i]);
}

template <int tokens, int blocks, class Real>
RIATA_INLINE void add_blocks(const float* const* vectors, const std::int32_t* columns, std::int64_t size, const Real* rows,
                             std::int32_t stride, Real* totals) noexcept {
  using V = typename Block<Real>::type;
  V row[tokens][blocks], total[blocks];
  for (int i = 0; i < tokens; ++i) std::memcpy(row[i], rows + i * stride, sizeof row[i]);
  for (std::int64_t k = 0; k < size; ++k, totals += stride) {
    std::memcpy(total, totals, sizeof total);
    for (int i = 0; i < tokens; ++i) {
      const auto value = static_cast<Real>(vectors[i][columns[k]]);
      for (int b = 0; b < blocks; ++b) total[b] += row[i][b] * value;
    }
    std::memcpy(totals, total, sizeof total);
  }
}

// Calls work(tokens, blocks, first label) with constants, so that totals stay in registers.
template <int tokens, class Work>
RIATA_INLINE void in_blocks(std::int32_t stride, Work work) noexcept {
  std::int32_t j = 0;
  for (; j + 3 * row_multiple <= stride; j += 3 * row_multiple) work.template operator()<tokens, 3>(j);
  if (j + 2 * row_multiple == stride) {
    work.template operator()<tokens, 2>(j);
  } else if (j < stride) {
    work.template operator()<tokens, 1>(j);
  }
}
template <class Work>
RIATA_INLINE void in_parts_of(std::int64_t count, std::int32_t stride, Work work) noexcept {
  if (count == 4) in_blocks<4>(stride, work);
  if (count == 3) in_blocks<3>(stride, work);
  if (count == 2) in_blocks<2>(stride, work);
  if (count == 1) in_blocks<1>(stride, work);
}

template <class Real>
RIATA_INLINE void multiply_all(const float* const* vectors, std::int64_t count, const std::int32_t* columns, const std::int64_t* places,
                               std::int64_t size, const Real* weights, std::int32_t stride, Real* out) noexcept {
  in_parts_of(count, stride, [&]<int tokens, int blocks>(std::int32_t j) [[gnu::always_inline]] {
    multiply_blocks<tokens, blocks>(vectors, columns, places, size, weights + j, stride, out + j);
  });
}

template <class Real>
RIATA_INLINE void add_all(const float* const* vectors, std::int64_t count, const std::int32_t* columns, std::int64_t size, const Real* rows,
                          std::int32_t stride, Real* totals) noexcept {
  in_parts_of(count, stride, [&]<int tokens, int blocks>(std::int32_t j) [[gnu::always_inline]] {
    add_blocks<tokens, blocks>(vectors, columns, size, rows + j, stride, totals + j);
  });
}

}  // namespace

RIATA_CLONES void multiply_vectors(const float* const* vectors, std::int64_t count, const std::int32_t* columns, const std::int64_t* places,
                                   std::int64_t size, const float* weights, std::int32_t stride, float* out) noexcept {
  multiply_all(vectors, count, columns, places, size, weights, stride, out);
}
RIATA_CLONES void multiply_vectors(const float* const* vectors, std::int64_t count, const std::int32_t* columns, const std::int64_t* places,
                                   std::int64_t size, const double* weights, std::int32_t stride, double* out) noexcept {
  multiply_all(vectors, count, columns, places, size, weights, stride, out);
}

RIATA_CLONES void add_vectors(const float* const* vectors, std::int64_t count, const std::int32_t* columns, std::int64_t size,
                              const float* rows, std::int32_t stride, float* totals) noexcept {
  add_all(vectors, count, columns, size, rows, stride, totals);
}
RIATA_CLONES void add_vectors(const float* const* vectors, std::int64_t count, const std::int32_t* columns, std::int64_t size,
                              const double* rows, std::int32_t stride, double* totals) noexcept {
  add_all(vectors, count, columns, size, rows, stride, totals);
}

}  // namespace riata
