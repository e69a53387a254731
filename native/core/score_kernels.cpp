// Kernels on rows of scores: sums, maxima, ranks and exponentials.
#include <cmath>
#include <limits>

#include "core/kernel_blocks.hpp"

namespace riata {
namespace {

template <class Real>
RIATA_INLINE void sum(const Real* const* rows, std::int64_t count, std::int32_t stride, Real* out) noexcept {
  using V = typename Block<Real>::type;
  for (std::int32_t j = 0; j < stride; j += row_multiple) {
    V total, row;
    std::memcpy(&total, out + j, sizeof total);
    for (std::int64_t i = 0; i < count; ++i) {
      std::memcpy(&row, rows[i] + j, sizeof row);
      total += row;
    }
    std::memcpy(out + j, &total, sizeof total);
  }
}

template <class Real>
RIATA_INLINE void sum_in_groups(const Real* const* rows, const std::int32_t* ends, std::int64_t groups, std::int32_t stride,
                                Real* out) noexcept {
  using V = typename Block<Real>::type;
  for (std::int32_t j = 0; j < stride; j += row_multiple) {
    V total, row;
    std::memcpy(&total, out + j, sizeof total);
    std::int32_t i = 0;
    for (std::int64_t g = 0; g < groups; ++g) {
      V group{};
      for (; i < ends[g]; ++i) {
        std::memcpy(&row, rows[i] + j, sizeof row);
        group += row;
      }
      total += group;
    }
    std::memcpy(out + j, &total, sizeof total);
  }
}

template <class Real>
RIATA_INLINE void add_up(const Real* begin, const Real* const* rows, const Real* const* ends, std::int64_t count, std::int32_t stride,
                         Real* out) noexcept {
  using V = typename Block<Real>::type;
  for (std::int32_t j = 0; j < stride; j += row_multiple) {
    V total, row;
    std::memcpy(&total, begin + j, sizeof total);
    for (std::int64_t i = 0; i < count; ++i) {
      std::memcpy(&row, rows[i] + j, sizeof row);
      total += row;
      std::memcpy(&row, ends[i] + j, sizeof row);
      row += total;
      std::memcpy(out + i * stride + j, &row, sizeof row);
    }
  }
}

template <class Real>
RIATA_INLINE void scale(Real* rows, std::int64_t count, std::int32_t stride, Real factor, Real* highest) noexcept {
  using V = typename Block<Real>::type;
  for (std::int64_t i = 0; i < count; ++i) {
    V best = V{} - std::numeric_limits<Real>::infinity(), row;
    for (std::int32_t j = 0; j < stride; j += row_multiple) {
      std::memcpy(&row, rows + i * stride + j, sizeof row);
      row *= factor;
      std::memcpy(rows + i * stride + j, &row, sizeof row);
      best = row > best ? row : best;
    }
    Real most = best[0];
    for (int k = 1; k < row_multiple; ++k) most = best[k] > most ? best[k] : most;
    highest[i] = most;
  }
}

template <bool with_own, class Real>
RIATA_INLINE void max_sum(const Real* from, const Real* const* rows, std::int64_t count, const Real* own, std::int32_t stride,
                          Real* out) noexcept {
  using V = typename Block<Real>::type;
  for (std::int32_t j = 0; j < stride; j += row_multiple) {
    V best = V{} - std::numeric_limits<Real>::infinity(), row, here{};
    if constexpr (with_own) std::memcpy(&here, own + j, sizeof here);
    for (std::int64_t i = 0; i < count; ++i) {
      std::memcpy(&row, rows[i] + j, sizeof row);
      if constexpr (with_own) row += here;
      row += from[i];
      best = row > best ? row : best;
    }
    std::memcpy(out + j, &best, sizeof best);
  }
}

template <int blocks, class Real>
RIATA_INLINE void count_above(const Real* values, std::int32_t labels, const Real* of, Rank<Real>* ranks) noexcept {
  using V = typename Block<Real>::type;
  using R = typename Block<Rank<Real>>::type;
  V own[blocks];
  R count[blocks]{};
  std::memcpy(own, of, sizeof own);
  for (std::int32_t i = 0; i < labels; ++i) {
    const V other = V{} + values[i];
    for (int b = 0; b < blocks; ++b) count[b] -= other > own[b];  // a true comparison is -1
  }
  std::memcpy(ranks, count, sizeof count);
}

template <class Real>
RIATA_INLINE void count_all_above(const Real* values, std::int32_t labels, std::int32_t stride, Rank<Real>* ranks) noexcept {
  std::int32_t j = 0;
  for (; j + 3 * row_multiple <= stride; j += 3 * row_multiple) count_above<3>(values, labels, values + j, ranks + j);
  for (; j < stride; j += row_multiple) count_above<1>(values, labels, values + j, ranks + j);
}

// e^x of eight floats that are at most 0: x = n ln 2 + r; a polynomial for e^r (Cephes), times 2^n.
RIATA_INLINE void to_exp(Block<float>::type& x) noexcept {
  using V = Block<float>::type;
  using I = Block<std::int32_t>::type;
  constexpr float lowest = -87.0f, shift = 12582912.0f;  // adding and subtracting 1.5 * 2^23 rounds to an integer
  const I tiny = !(x >= lowest);                         // also true for NaN
  const V kept = tiny ? V{} + lowest : x;
  const V n = (kept * 1.44269504088896341f + shift) - shift;
  const V r = (kept - n * 0.693359375f) - n * -2.12194440e-4f;
  V p = r * 1.9875691500e-4f + 1.3981999507e-3f;
  p = p * r + 8.3334519073e-3f;
  p = p * r + 4.1665795894e-2f;
  p = p * r + 1.6666665459e-1f;
  p = p * r + 5.0000001201e-1f;
  p = p * (r * r) + r + 1.0f;
  const I exponent = (__builtin_convertvector(n, I) + 127) << 23;
  V power;
  std::memcpy(&power, &exponent, sizeof power);
  x = tiny ? V{} : p * power;
}

// The same of doubles up to 709: a quotient of polynomials for e^r (Cephes). n stands in the last bits of its sum with 1.5 * 2^52.
RIATA_INLINE void to_exp(Block<double>::type& x) noexcept {
  using V = Block<double>::type;
  using I = Block<std::int64_t>::type;
  constexpr double lowest = -708, highest = 709, shift = 6755399441055744.0;
  const I tiny = !(x >= lowest);
  const V above = tiny ? V{} + lowest : x, kept = above > highest ? V{} + highest : above;
  const V shifted = kept * 1.4426950408889634 + shift, n = shifted - shift;
  const V r = (kept - n * 6.93145751953125e-1) - n * 1.42860682030941723212e-6, square = r * r;
  const V p = ((square * 1.26177193074810590878e-4 + 3.02994407707441961300e-2) * square + 1.0) * r;
  const V q = ((square * 3.00198505138664455042e-6 + 2.52448340349684104192e-3) * square + 2.27265548208155028766e-1) * square + 2.0;
  I exponent;
  std::memcpy(&exponent, &shifted, sizeof exponent);
  exponent = (exponent + 1023) << 52;
  V power;
  std::memcpy(&power, &exponent, sizeof power);
  x = tiny ? V{} : (p / (q - p) * 2.0 + 1.0) * power;
}

template <class Real>
RIATA_INLINE void exponentials(Real* rows, std::int64_t count, std::int32_t stride, Real* highest) noexcept {
  using V = typename Block<Real>::type;
  constexpr Real never = -std::numeric_limits<Real>::infinity();
  for (std::int64_t i = 0; i < count; ++i) {
    Real* values = rows + i * stride;
    V best = V{} + never, row;
    for (std::int32_t j = 0; j < stride; j += row_multiple) {
      std::memcpy(&row, values + j, sizeof row);
      best = row > best ? row : best;
    }
    Real most = best[0];
    for (int k = 1; k < row_multiple; ++k) most = best[k] > most ? best[k] : most;
    highest[i] = most;
    const Real from = most == never ? Real{0} : most;
    for (std::int32_t j = 0; j < stride; j += row_multiple) {
      std::memcpy(&row, values + j, sizeof row);
      row -= from;
      to_exp(row);
      std::memcpy(values + j, &row, sizeof row);
    }
  }
}

}  // namespace

RIATA_CLONES void sum_rows(const float* const* rows, std::int64_t count, std::int32_t stride, float* out) noexcept {
  sum(rows, count, stride, out);
}
RIATA_CLONES void sum_rows(const double* const* rows, std::int64_t count, std::int32_t stride, double* out) noexcept {
  sum(rows, count, stride, out);
}

RIATA_CLONES void sum_groups(const float* const* rows, const std::int32_t* ends, std::int64_t groups, std::int32_t stride,
                             float* out) noexcept {
  sum_in_groups(rows, ends, groups, stride, out);
}
RIATA_CLONES void sum_groups(const double* const* rows, const std::int32_t* ends, std::int64_t groups, std::int32_t stride,
                             double* out) noexcept {
  sum_in_groups(rows, ends, groups, stride, out);
}

RIATA_CLONES void running_sums(const float* begin, const float* const* rows, const float* const* ends, std::int64_t count,
                               std::int32_t stride, float* out) noexcept {
  add_up(begin, rows, ends, count, stride, out);
}
RIATA_CLONES void running_sums(const double* begin, const double* const* rows, const double* const* ends, std::int64_t count,
                               std::int32_t stride, double* out) noexcept {
  add_up(begin, rows, ends, count, stride, out);
}

RIATA_CLONES void scale_rows(float* rows, std::int64_t count, std::int32_t stride, float factor, float* highest) noexcept {
  scale(rows, count, stride, factor, highest);
}
RIATA_CLONES void scale_rows(double* rows, std::int64_t count, std::int32_t stride, double factor, double* highest) noexcept {
  scale(rows, count, stride, factor, highest);
}

RIATA_CLONES void max_plus(const float* from, const float* const* rows, std::int64_t count, std::int32_t stride, float* out) noexcept {
  max_sum<false, float>(from, rows, count, nullptr, stride, out);
}
RIATA_CLONES void max_plus(const double* from, const double* const* rows, std::int64_t count, std::int32_t stride, double* out) noexcept {
  max_sum<false, double>(from, rows, count, nullptr, stride, out);
}
RIATA_CLONES void max_plus(const float* from, const float* const* rows, std::int64_t count, const float* own, std::int32_t stride,
                           float* out) noexcept {
  max_sum<true>(from, rows, count, own, stride, out);
}
RIATA_CLONES void max_plus(const double* from, const double* const* rows, std::int64_t count, const double* own, std::int32_t stride,
                           double* out) noexcept {
  max_sum<true>(from, rows, count, own, stride, out);
}

RIATA_CLONES void count_better(const float* values, std::int32_t labels, std::int32_t stride, std::int32_t* ranks) noexcept {
  count_all_above(values, labels, stride, ranks);
}
RIATA_CLONES void count_better(const double* values, std::int32_t labels, std::int32_t stride, std::int64_t* ranks) noexcept {
  count_all_above(values, labels, stride, ranks);
}

RIATA_CLONES void exp_rows(float* rows, std::int64_t count, std::int32_t stride, float* highest) noexcept {
  exponentials(rows, count, stride, highest);
}
RIATA_CLONES void exp_rows(double* rows, std::int64_t count, std::int32_t stride, double* highest) noexcept {
  exponentials(rows, count, stride, highest);
}
RIATA_CLONES void exp_all(double* numbers, std::int64_t count) noexcept {
  Block<double>::type block;
  for (std::int64_t i = 0; i < count; i += row_multiple) {
    std::memcpy(&block, numbers + i, sizeof block);
    to_exp(block);
    std::memcpy(numbers + i, &block, sizeof block);
  }
}

}  // namespace riata
