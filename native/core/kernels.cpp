#include "core/kernels.hpp"

#include <cstring>
#include <limits>

// Clones for wider instructions, one of which the loader picks. Where that cannot be done, the plain version is all there is.
#if defined(__x86_64__) && defined(__linux__) && defined(__GNUC__) && !defined(__clang__) && !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)
#define RIATA_CLONES __attribute__((target_clones("arch=x86-64-v4", "avx2", "default")))
#else
#define RIATA_CLONES
#endif
#define RIATA_INLINE [[gnu::always_inline]] inline

namespace riata {
namespace {

// Eight labels at a time; the compiler splits it where registers are narrower.
template <class Number>
struct Block {
  typedef Number type __attribute__((vector_size(row_multiple * sizeof(Number))));
};

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
RIATA_INLINE void sum_in_groups(const Real* const* rows, const std::int32_t* ends, std::int64_t groups, std::int32_t stride, Real* out) noexcept {
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
RIATA_INLINE void add_up(const Real* begin, const Real* const* rows, const Real* const* ends, std::int64_t count, std::int32_t stride, Real* out) noexcept {
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
RIATA_INLINE void max_sum(const Real* from, const Real* const* rows, std::int64_t count, const Real* own, std::int32_t stride, Real* out) noexcept {
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
    for (int b = 0; b < blocks; ++b) count[b] -= other > own[b];  // a comparison that holds is -1
  }
  std::memcpy(ranks, count, sizeof count);
}

template <class Real>
RIATA_INLINE void count_all_above(const Real* values, std::int32_t labels, std::int32_t stride, Rank<Real>* ranks) noexcept {
  std::int32_t j = 0;
  for (; j + 3 * row_multiple <= stride; j += 3 * row_multiple) count_above<3>(values, labels, values + j, ranks + j);
  for (; j < stride; j += row_multiple) count_above<1>(values, labels, values + j, ranks + j);
}

}  // namespace

RIATA_CLONES void sum_rows(const float* const* rows, std::int64_t count, std::int32_t stride, float* out) noexcept { sum(rows, count, stride, out); }
RIATA_CLONES void sum_rows(const double* const* rows, std::int64_t count, std::int32_t stride, double* out) noexcept { sum(rows, count, stride, out); }

RIATA_CLONES void sum_groups(const float* const* rows, const std::int32_t* ends, std::int64_t groups, std::int32_t stride, float* out) noexcept {
  sum_in_groups(rows, ends, groups, stride, out);
}
RIATA_CLONES void sum_groups(const double* const* rows, const std::int32_t* ends, std::int64_t groups, std::int32_t stride, double* out) noexcept {
  sum_in_groups(rows, ends, groups, stride, out);
}

RIATA_CLONES void running_sums(const float* begin, const float* const* rows, const float* const* ends, std::int64_t count, std::int32_t stride, float* out) noexcept {
  add_up(begin, rows, ends, count, stride, out);
}
RIATA_CLONES void running_sums(const double* begin, const double* const* rows, const double* const* ends, std::int64_t count, std::int32_t stride, double* out) noexcept {
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
RIATA_CLONES void max_plus(const float* from, const float* const* rows, std::int64_t count, const float* own, std::int32_t stride, float* out) noexcept {
  max_sum<true>(from, rows, count, own, stride, out);
}
RIATA_CLONES void max_plus(const double* from, const double* const* rows, std::int64_t count, const double* own, std::int32_t stride, double* out) noexcept {
  max_sum<true>(from, rows, count, own, stride, out);
}

RIATA_CLONES void count_better(const float* values, std::int32_t labels, std::int32_t stride, std::int32_t* ranks) noexcept {
  count_all_above(values, labels, stride, ranks);
}
RIATA_CLONES void count_better(const double* values, std::int32_t labels, std::int32_t stride, std::int64_t* ranks) noexcept {
  count_all_above(values, labels, stride, ranks);
}

}  // namespace riata
