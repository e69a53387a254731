// Kernels that read and add to rows of a table by their places, and kernels on long vectors.
#include "core/kernel_blocks.hpp"

namespace riata {
namespace {

template <int blocks, class Real>
RIATA_INLINE void gather_blocks(const std::int32_t* places, std::int32_t width, const Real* table, std::int32_t stride,
                                Real* out) noexcept {
  using V = typename Block<Real>::type;
  V total[blocks]{};
  for (std::int32_t k = 0; k < width; ++k) {
    const Real* from = table + std::int64_t{places[k]} * stride;
    for (int b = 0; b < blocks; ++b) {
      V row;
      std::memcpy(&row, from + b * row_multiple, sizeof row);
      total[b] += row;
    }
  }
  for (int b = 0; b < blocks; ++b) std::memcpy(out + b * row_multiple, &total[b], sizeof total[b]);
}

template <class Real>
RIATA_INLINE void ask_for(const std::int32_t* places, std::int32_t from, std::int32_t to, const Real* table, std::int32_t stride) noexcept {
  constexpr std::int32_t line = 64 / static_cast<std::int32_t>(sizeof(Real));
  for (std::int32_t k = from; k < to; ++k) {
    const Real* row = table + std::int64_t{places[k]} * stride;
    for (std::int32_t j = 0; j < stride; j += line) __builtin_prefetch(row + j);
  }
}

constexpr std::int64_t tokens_ahead = 4;  // how many tokens ahead rows are prefetched

template <class Real>
RIATA_INLINE void gather(const std::int32_t* places, std::int64_t count, std::int32_t width, const Real* table, std::int32_t stride,
                         Real* out) noexcept {
  for (std::int64_t t = 0; t < count; ++t, places += width, out += stride) {
    if (t + tokens_ahead < count) ask_for(places + tokens_ahead * width, 0, width, table, stride);
    std::int32_t j = 0;
    for (; j + 3 * row_multiple <= stride; j += 3 * row_multiple) gather_blocks<3>(places, width, table + j, stride, out + j);
    for (; j < stride; j += row_multiple) gather_blocks<1>(places, width, table + j, stride, out + j);
  }
}

template <int blocks, class Real>
RIATA_INLINE void scatter_blocks(const std::int32_t* places, std::int32_t from, std::int32_t to, const Real* row, std::int32_t stride,
                                 Real* table) noexcept {
  using V = typename Block<Real>::type;
  V value[blocks], total;
  for (int b = 0; b < blocks; ++b) std::memcpy(&value[b], row + b * row_multiple, sizeof value[b]);
  for (std::int32_t k = from; k < to; ++k) {
    Real* out = table + std::int64_t{places[k]} * stride;
    for (int b = 0; b < blocks; ++b) {
      std::memcpy(&total, out + b * row_multiple, sizeof total);
      total += value[b];
      std::memcpy(out + b * row_multiple, &total, sizeof total);
    }
  }
}

template <class Real>
RIATA_INLINE void scatter_to(const std::int32_t* places, std::int64_t count, std::int32_t width, std::int32_t from, std::int32_t to,
                             const Real* rows, std::int32_t stride, Real* table) noexcept {
  for (std::int64_t t = 0; t < count; ++t, places += width, rows += stride) {
    if (t + tokens_ahead < count) ask_for(places + tokens_ahead * width, from, to, table, stride);
    std::int32_t j = 0;
    for (; j + 3 * row_multiple <= stride; j += 3 * row_multiple) scatter_blocks<3>(places, from, to, rows + j, stride, table + j);
    for (; j < stride; j += row_multiple) scatter_blocks<1>(places, from, to, rows + j, stride, table + j);
  }
}

RIATA_INLINE double dot_of(const double* x, const double* y, std::int64_t size) noexcept {
  using V = Block<double>::type;
  V even{}, odd{}, a, b;
  std::int64_t i = 0;
  for (; i + 2 * row_multiple <= size; i += 2 * row_multiple) {
    std::memcpy(&a, x + i, sizeof a);
    std::memcpy(&b, y + i, sizeof b);
    even += a * b;
    std::memcpy(&a, x + i + row_multiple, sizeof a);
    std::memcpy(&b, y + i + row_multiple, sizeof b);
    odd += a * b;
  }
  double sum = in_all<double>(even + odd);
  for (; i < size; ++i) sum += x[i] * y[i];
  return sum;
}

}  // namespace

RIATA_CLONES void gather_places(const std::int32_t* places, std::int64_t count, std::int32_t width, const float* table, std::int32_t stride,
                                float* out) noexcept {
  gather(places, count, width, table, stride, out);
}
RIATA_CLONES void gather_places(const std::int32_t* places, std::int64_t count, std::int32_t width, const double* table,
                                std::int32_t stride, double* out) noexcept {
  gather(places, count, width, table, stride, out);
}

RIATA_CLONES void scatter_places(const std::int32_t* places, std::int64_t count, std::int32_t width, std::int32_t from, std::int32_t to,
                                 const float* rows, std::int32_t stride, float* table) noexcept {
  scatter_to(places, count, width, from, to, rows, stride, table);
}
RIATA_CLONES void scatter_places(const std::int32_t* places, std::int64_t count, std::int32_t width, std::int32_t from, std::int32_t to,
                                 const double* rows, std::int32_t stride, double* table) noexcept {
  scatter_to(places, count, width, from, to, rows, stride, table);
}

RIATA_CLONES double dot(const double* x, const double* y, std::int64_t size) noexcept { return dot_of(x, y, size); }

RIATA_CLONES void add_scaled(double a, const double* x, double* y, std::int64_t size) noexcept {
  for (std::int64_t i = 0; i < size; ++i) y[i] += a * x[i];
}

RIATA_CLONES void scale_difference(double a, const float* x, const float* y, double share, std::int64_t size, float* out) noexcept {
  for (std::int64_t i = 0; i < size; ++i) out[i] = static_cast<float>((a * x[i] - y[i]) * share);
}
RIATA_CLONES void scale_difference(double a, const double* x, const double* y, double share, std::int64_t size, double* out) noexcept {
  for (std::int64_t i = 0; i < size; ++i) out[i] = (a * x[i] - y[i]) * share;
}

}  // namespace riata
