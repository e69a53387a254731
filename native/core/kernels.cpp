#include "core/kernels.hpp"

#include <cmath>
#include <cstring>
#include <limits>

// Clones for wider instructions, one of which the loader picks. Where that cannot be done, the plain version is all there is.
#if defined(__x86_64__) && defined(__linux__) && defined(__GNUC__) && !defined(__clang__) && !defined(__SANITIZE_ADDRESS__) && \
    !defined(__SANITIZE_THREAD__)
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

template <class Real>
RIATA_INLINE Real in_all(typename Block<Real>::type v) noexcept {
  return ((v[0] + v[4]) + (v[1] + v[5])) + ((v[2] + v[6]) + (v[3] + v[7]));
}

// out[j] = sum over i of from[i] * rows[i][j], twice.
template <int blocks, class Real>
RIATA_INLINE void mix_both(const Real* from, const Real* rows, Real* out, const Real* other_from, const Real* other_rows, Real* other_out,
                           std::int32_t count, std::int32_t stride) noexcept {
  using V = typename Block<Real>::type;
  V total[blocks]{}, other_total[blocks]{};
  for (std::int32_t i = 0; i < count; ++i) {
    const V factor = V{} + from[i], other_factor = V{} + other_from[i];
    for (int b = 0; b < blocks; ++b) {
      V row, other_row;
      std::memcpy(&row, rows + std::int64_t{i} * stride + b * row_multiple, sizeof row);
      std::memcpy(&other_row, other_rows + std::int64_t{i} * stride + b * row_multiple, sizeof other_row);
      total[b] += row * factor;
      other_total[b] += other_row * other_factor;
    }
  }
  for (int b = 0; b < blocks; ++b) {
    std::memcpy(out + b * row_multiple, &total[b], sizeof total[b]);
    std::memcpy(other_out + b * row_multiple, &other_total[b], sizeof other_total[b]);
  }
}

template <class Real>
RIATA_INLINE StepSums<Real> steps(const Real* alpha, const Real* forward, const Real* own, Real* ahead, const Real* later, const Real* beta,
                                  const Real* backward, Real* into, Real* back, std::int32_t labels, std::int32_t stride) noexcept {
  using V = typename Block<Real>::type;
  V row, other;
  for (std::int32_t j = 0; j < stride; j += row_multiple) {
    std::memcpy(&row, later + j, sizeof row);
    std::memcpy(&other, beta + j, sizeof other);
    row *= other;
    std::memcpy(into + j, &row, sizeof row);
  }
  std::int32_t j = 0;
  for (; j + 3 * row_multiple <= stride; j += 3 * row_multiple)
    mix_both<3>(alpha, forward + j, ahead + j, into, backward + j, back + j, labels, stride);
  for (; j < stride; j += row_multiple) mix_both<1>(alpha, forward + j, ahead + j, into, backward + j, back + j, labels, stride);
  V sum{}, other_sum{};
  for (j = 0; j < stride; j += row_multiple) {
    std::memcpy(&row, ahead + j, sizeof row);
    std::memcpy(&other, own + j, sizeof other);
    row *= other;
    std::memcpy(ahead + j, &row, sizeof row);
    sum += row;
    std::memcpy(&row, back + j, sizeof row);
    other_sum += row;
  }
  const StepSums<Real> sums{in_all<Real>(sum), in_all<Real>(other_sum)};
  const Real scale = 1 / sums.ahead, other_scale = 1 / sums.back;
  for (j = 0; j < stride; j += row_multiple) {
    std::memcpy(&row, ahead + j, sizeof row);
    row *= scale;
    std::memcpy(ahead + j, &row, sizeof row);
    std::memcpy(&row, back + j, sizeof row);
    row *= other_scale;
    std::memcpy(back + j, &row, sizeof row);
  }
  return sums;
}

template <class Real>
RIATA_INLINE Real posteriors(const Real* alpha, const Real* scale, std::int64_t count, std::int32_t stride, Real* beta,
                             Real* into) noexcept {
  using V = typename Block<Real>::type;
  V row, other;
  Real least = std::numeric_limits<Real>::infinity();
  for (std::int64_t t = 0; t < count; ++t, alpha += stride, beta += stride, into += stride) {
    V sum{};
    for (std::int32_t j = 0; j < stride; j += row_multiple) {
      std::memcpy(&row, alpha + j, sizeof row);
      std::memcpy(&other, beta + j, sizeof other);
      row *= other;
      std::memcpy(beta + j, &row, sizeof row);
      sum += row;
    }
    const Real all = in_all<Real>(sum), share = 1 / all, weight = scale[t] * share;
    least = all < least ? all : least;
    if (!(weight <= std::numeric_limits<Real>::max())) least = 0;  // beyond what a number can hold
    for (std::int32_t j = 0; j < stride; j += row_multiple) {
      std::memcpy(&row, beta + j, sizeof row);
      row *= share;
      std::memcpy(beta + j, &row, sizeof row);
      std::memcpy(&row, into + j, sizeof row);
      row *= weight;
      std::memcpy(into + j, &row, sizeof row);
    }
  }
  return least;
}

template <int blocks, class Real>
RIATA_INLINE void weigh_blocks(const Real* from, const Real* rows, std::int64_t count, const Real* own, std::int32_t stride, Real* out,
                               typename Block<Real>::type& sum) noexcept {
  using V = typename Block<Real>::type;
  V total[blocks]{}, row;
  for (std::int64_t i = 0; i < count; ++i, rows += stride) {
    for (int b = 0; b < blocks; ++b) {
      std::memcpy(&row, rows + b * row_multiple, sizeof row);
      total[b] += row * from[i];
    }
  }
  for (int b = 0; b < blocks; ++b) {
    std::memcpy(&row, own + b * row_multiple, sizeof row);
    row *= total[b];
    std::memcpy(out + b * row_multiple, &row, sizeof row);
    sum += row;
  }
}

template <class Real>
RIATA_INLINE Real weigh(const Real* from, const Real* rows, std::int64_t count, const Real* own, std::int32_t stride, Real* out) noexcept {
  typename Block<Real>::type sum{};
  std::int32_t j = 0;
  for (; j + 3 * row_multiple <= stride; j += 3 * row_multiple) weigh_blocks<3>(from, rows + j, count, own + j, stride, out + j, sum);
  for (; j < stride; j += row_multiple) weigh_blocks<1>(from, rows + j, count, own + j, stride, out + j, sum);
  return in_all<Real>(sum);
}

// out = one[0] + one[1], one[2] + one[3], …, and so on with the other.
template <class V>
RIATA_INLINE void add_neighbours(const V& one, const V& two, V& out) noexcept {
  out = __builtin_shufflevector(one, two, 0, 2, 4, 6, 8, 10, 12, 14) + __builtin_shufflevector(one, two, 1, 3, 5, 7, 9, 11, 13, 15);
}

// in_all of eight at once, to the same bits.
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

// Eight rows at a time; where fewer are left, the last one stands in for the others.
template <class Real>
RIATA_INLINE void multiply(const Real* rows, const Real* by, std::int64_t count, std::int32_t stride, Real* out) noexcept {
  using V = typename Block<Real>::type;
  constexpr int together = row_multiple;
  V row, other;
  if (count % together == 1) {  // the last one by itself
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
    V totals[together]{}, sums;
    for (std::int32_t j = 0; j < stride; j += row_multiple) {
      std::memcpy(&other, by + j, sizeof other);
      for (int k = 0; k < together; ++k) {
        std::memcpy(&row, from[k] + j, sizeof row);
        totals[k] += row * other;
      }
    }
    all_of_each(totals, sums);
    std::memcpy(out + i, &sums, static_cast<std::size_t>(here) * sizeof(Real));
  }
}

template <int blocks, class Real>
RIATA_INLINE void pair_blocks(const Real* from, const Real* rows, std::int32_t height, const Real* own, std::int32_t stride, Real* out,
                              typename Block<Real>::type& sum) noexcept {
  using V = typename Block<Real>::type;
  V total[blocks]{}, row;
  for (std::int32_t h = 0; h < height; ++h, rows += stride, from += stride) {
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

template <class Real>
RIATA_INLINE Real pairs_forward(const Real* from, const Real* cube, std::int32_t labels, std::int32_t height, const Real* own,
                                std::int32_t own_step, std::int32_t stride, Real* pairs) noexcept {
  typename Block<Real>::type sum{};
  for (std::int32_t i = 0; i < labels; ++i, cube += std::int64_t{height} * stride, own += own_step, pairs += stride) {
    std::int32_t j = 0;
    for (; j + 3 * row_multiple <= stride; j += 3 * row_multiple)
      pair_blocks<3>(from + i, cube + j, height, own + j, stride, pairs + j, sum);
    for (; j + 2 * row_multiple <= stride; j += 2 * row_multiple)
      pair_blocks<2>(from + i, cube + j, height, own + j, stride, pairs + j, sum);
    for (; j < stride; j += row_multiple) pair_blocks<1>(from + i, cube + j, height, own + j, stride, pairs + j, sum);
  }
  return in_all<Real>(sum);
}

// All products first: a row that is read while it is written waits.
template <class Real>
RIATA_INLINE Real pairs_backward(const Real* back, const Real* cube, std::int32_t labels, std::int32_t height, const Real* own,
                                 std::int32_t own_step, std::int32_t stride, Real weight, Real* into, Real* before, Real* sums) noexcept {
  using V = typename Block<Real>::type;
  V row, other, total{};
  for (std::int32_t i = 0; i < labels; ++i) {
    for (std::int32_t j = 0; j < stride; j += row_multiple) {
      std::memcpy(&row, own + std::int64_t{i} * own_step + j, sizeof row);
      std::memcpy(&other, back + std::int64_t{i} * stride + j, sizeof other);
      row *= other;
      std::memcpy(into + std::int64_t{i} * stride + j, &row, sizeof row);
    }
  }
  for (std::int32_t i = 0; i < labels; ++i)
    multiply(cube + std::int64_t{i} * height * stride, into + std::int64_t{i} * stride, height, stride, sums + std::int64_t{i} * stride);
  for (std::int64_t k = 0; k < std::int64_t{labels} * stride; k += row_multiple) {
    std::memcpy(&row, into + k, sizeof row);
    row *= weight;
    std::memcpy(into + k, &row, sizeof row);
  }
  for (std::int32_t h = 0; h < height; ++h) {
    for (std::int32_t i = 0; i < labels; ++i) before[std::int64_t{h} * stride + i] = sums[std::int64_t{i} * stride + h];
  }
  for (std::int64_t k = 0; k < std::int64_t{height} * stride; k += row_multiple) {
    std::memcpy(&row, before + k, sizeof row);
    total += row;
  }
  return in_all<Real>(total);
}

template <class Real>
RIATA_INLINE Real products(const Real* one, const Real* other, std::int64_t count, std::int32_t stride, Real* out) noexcept {
  using V = typename Block<Real>::type;
  V sum{}, a, b;
  for (std::int32_t j = 0; j < stride; j += row_multiple) {
    V total{};
    for (std::int64_t i = 0; i < count; ++i) {
      std::memcpy(&a, one + i * stride + j, sizeof a);
      std::memcpy(&b, other + i * stride + j, sizeof b);
      total += a * b;
    }
    std::memcpy(out + j, &total, sizeof total);
    sum += total;
  }
  return in_all<Real>(sum);
}

// Some rows of sums stay in registers while several tokens are added to them.
template <int rows, class Real>
RIATA_INLINE void triple_rows(const Real* const* before, const Real* const* values, int count, std::int32_t stride, Real* sums) noexcept {
  using V = typename Block<Real>::type;
  V total[rows], value;
  for (int r = 0; r < rows; ++r) std::memcpy(&total[r], sums + std::int64_t{r} * stride, sizeof total[r]);
  for (int k = 0; k < count; ++k) {
    std::memcpy(&value, values[k], sizeof value);
    for (int r = 0; r < rows; ++r) total[r] += value * before[k][std::int64_t{r} * stride];
  }
  for (int r = 0; r < rows; ++r) std::memcpy(sums + std::int64_t{r} * stride, &total[r], sizeof total[r]);
}

template <class Real>
RIATA_INLINE void triples(const std::int32_t* at, std::int64_t count, const Real* from, const Real* into, std::int32_t labels,
                          std::int32_t height, std::int32_t stride, std::int32_t low, std::int32_t high, Real* cube) noexcept {
  constexpr int together = 16, rows = 3;
  const std::int64_t square = std::int64_t{labels} * stride;
  for (std::int64_t t = 0; t < count; t += together) {
    const int here = static_cast<int>(count - t < together ? count - t : together);
    for (std::int32_t i = low; i < high; ++i) {
      Real* sums = cube + std::int64_t{i} * height * stride;
      for (std::int32_t h = 0; h < height; h += rows) {
        for (std::int32_t j = 0; j < stride; j += row_multiple) {
          const Real *before[together], *values[together];
          for (int k = 0; k < here; ++k) {
            const std::int64_t place = at[t + k] * square;
            before[k] = from + place - square + std::int64_t{h} * stride + i;
            values[k] = into + place + std::int64_t{i} * stride + j;
          }
          Real* to = sums + std::int64_t{h} * stride + j;
          if (h + rows <= height)
            triple_rows<rows>(before, values, here, stride, to);
          else
            for (std::int32_t r = 0; h + r < height; ++r) {
              triple_rows<1>(before, values, here, stride, to + std::int64_t{r} * stride);
              for (int k = 0; k < here; ++k) before[k] += stride;
            }
        }
      }
    }
  }
}

// e^x of eight floats of at most 0: x = n ln 2 + r; a polynomial for e^r (Cephes), times 2^n.
RIATA_INLINE void to_exp(Block<float>::type& x) noexcept {
  using V = Block<float>::type;
  using I = Block<std::int32_t>::type;
  constexpr float lowest = -87.0f, shift = 12582912.0f;  // adding and taking away 1.5 * 2^23 rounds to a whole number
  const I tiny = !(x >= lowest);                         // what is not a number too
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

RIATA_INLINE void to_exp(Block<double>::type& x) noexcept {
  for (int k = 0; k < row_multiple; ++k) x[k] = std::exp(x[k]);
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

// Four products at a time: a row of sums is read and written once for all of them.
template <class Real>
RIATA_INLINE void outer(const std::int32_t* at, std::int64_t count, const Real* from, const Real* rows, std::int32_t labels,
                        std::int32_t stride, Real* sums) noexcept {
  using V = typename Block<Real>::type;
  constexpr int together = 4;
  for (std::int64_t t = 0; t < count; t += together) {
    const int here = static_cast<int>(count - t < together ? count - t : together);
    const Real* before[together];
    const Real* row[together];
    for (int k = 0; k < together; ++k) {
      const std::int64_t place = std::int64_t{at[t + (k < here ? k : 0)]} * stride;
      before[k] = from + place - stride;
      row[k] = rows + place;
    }
    for (std::int32_t j = 0; j < stride; j += row_multiple) {
      V values[together], total;
      for (int k = 0; k < together; ++k) {
        std::memcpy(&values[k], row[k] + j, sizeof values[k]);
        if (k >= here) values[k] = V{};
      }
      for (std::int32_t i = 0; i < labels; ++i) {
        std::memcpy(&total, sums + std::int64_t{i} * stride + j, sizeof total);
        for (int k = 0; k < together; ++k) total += values[k] * before[k][i];
        std::memcpy(sums + std::int64_t{i} * stride + j, &total, sizeof total);
      }
    }
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

constexpr std::int64_t tokens_ahead = 4;  // whose rows are asked for before they are needed

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

RIATA_CLONES StepSums<float> chain_steps(const float* alpha, const float* forward, const float* own, float* ahead, const float* later,
                                         const float* beta, const float* backward, float* into, float* back, std::int32_t labels,
                                         std::int32_t stride) noexcept {
  return steps(alpha, forward, own, ahead, later, beta, backward, into, back, labels, stride);
}
RIATA_CLONES StepSums<double> chain_steps(const double* alpha, const double* forward, const double* own, double* ahead, const double* later,
                                          const double* beta, const double* backward, double* into, double* back, std::int32_t labels,
                                          std::int32_t stride) noexcept {
  return steps(alpha, forward, own, ahead, later, beta, backward, into, back, labels, stride);
}
RIATA_CLONES float chain_posteriors(const float* alpha, const float* scale, std::int64_t count, std::int32_t stride, float* beta,
                                    float* into) noexcept {
  return posteriors(alpha, scale, count, stride, beta, into);
}
RIATA_CLONES double chain_posteriors(const double* alpha, const double* scale, std::int64_t count, std::int32_t stride, double* beta,
                                     double* into) noexcept {
  return posteriors(alpha, scale, count, stride, beta, into);
}

RIATA_CLONES float weigh_rows(const float* from, const float* rows, std::int64_t count, const float* own, std::int32_t stride,
                              float* out) noexcept {
  return weigh(from, rows, count, own, stride, out);
}
RIATA_CLONES double weigh_rows(const double* from, const double* rows, std::int64_t count, const double* own, std::int32_t stride,
                               double* out) noexcept {
  return weigh(from, rows, count, own, stride, out);
}
RIATA_CLONES void multiply_rows(const float* rows, const float* by, std::int64_t count, std::int32_t stride, float* out) noexcept {
  multiply(rows, by, count, stride, out);
}
RIATA_CLONES void multiply_rows(const double* rows, const double* by, std::int64_t count, std::int32_t stride, double* out) noexcept {
  multiply(rows, by, count, stride, out);
}

RIATA_CLONES float pair_steps(const float* from, const float* cube, std::int32_t labels, std::int32_t height, const float* own,
                              std::int32_t own_step, std::int32_t stride, float* pairs) noexcept {
  return pairs_forward(from, cube, labels, height, own, own_step, stride, pairs);
}
RIATA_CLONES double pair_steps(const double* from, const double* cube, std::int32_t labels, std::int32_t height, const double* own,
                               std::int32_t own_step, std::int32_t stride, double* pairs) noexcept {
  return pairs_forward(from, cube, labels, height, own, own_step, stride, pairs);
}
RIATA_CLONES float pair_steps_back(const float* back, const float* cube, std::int32_t labels, std::int32_t height, const float* own,
                                   std::int32_t own_step, std::int32_t stride, float weight, float* into, float* before,
                                   float* sums) noexcept {
  return pairs_backward(back, cube, labels, height, own, own_step, stride, weight, into, before, sums);
}
RIATA_CLONES double pair_steps_back(const double* back, const double* cube, std::int32_t labels, std::int32_t height, const double* own,
                                    std::int32_t own_step, std::int32_t stride, double weight, double* into, double* before,
                                    double* sums) noexcept {
  return pairs_backward(back, cube, labels, height, own, own_step, stride, weight, into, before, sums);
}
RIATA_CLONES float pair_products(const float* one, const float* other, std::int64_t count, std::int32_t stride, float* out) noexcept {
  return products(one, other, count, stride, out);
}
RIATA_CLONES double pair_products(const double* one, const double* other, std::int64_t count, std::int32_t stride, double* out) noexcept {
  return products(one, other, count, stride, out);
}
RIATA_CLONES void add_triples(const std::int32_t* at, std::int64_t count, const float* from, const float* into, std::int32_t labels,
                              std::int32_t height, std::int32_t stride, std::int32_t low, std::int32_t high, float* cube) noexcept {
  triples(at, count, from, into, labels, height, stride, low, high, cube);
}
RIATA_CLONES void add_triples(const std::int32_t* at, std::int64_t count, const double* from, const double* into, std::int32_t labels,
                              std::int32_t height, std::int32_t stride, std::int32_t low, std::int32_t high, double* cube) noexcept {
  triples(at, count, from, into, labels, height, stride, low, high, cube);
}

RIATA_CLONES void exp_rows(float* rows, std::int64_t count, std::int32_t stride, float* highest) noexcept {
  exponentials(rows, count, stride, highest);
}
RIATA_CLONES void exp_rows(double* rows, std::int64_t count, std::int32_t stride, double* highest) noexcept {
  exponentials(rows, count, stride, highest);
}

RIATA_CLONES void add_outer(const std::int32_t* at, std::int64_t count, const float* from, const float* rows, std::int32_t labels,
                            std::int32_t stride, float* sums) noexcept {
  outer(at, count, from, rows, labels, stride, sums);
}
RIATA_CLONES void add_outer(const std::int32_t* at, std::int64_t count, const double* from, const double* rows, std::int32_t labels,
                            std::int32_t stride, double* sums) noexcept {
  outer(at, count, from, rows, labels, stride, sums);
}

RIATA_CLONES double dot(const double* x, const double* y, std::int64_t size) noexcept { return dot_of(x, y, size); }
RIATA_CLONES void add_scaled(double a, const double* x, double* y, std::int64_t size) noexcept {
  for (std::int64_t i = 0; i < size; ++i) y[i] += a * x[i];
}

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

}  // namespace riata
