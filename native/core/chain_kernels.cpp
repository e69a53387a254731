// Sums over all labellings of a chain: steps, posteriors and products of rows.
#include <limits>

#include "core/kernel_blocks.hpp"

namespace riata {
namespace {

// out[j] = sum over i of from[i] * rows[i][j], for two sets of arguments side by side.
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

// into[j] = later[j] * beta[j].
template <class Real>
RIATA_INLINE void enter(const Real* later, const Real* beta, std::int32_t stride, Real* into) noexcept {
  typename Block<Real>::type row, other;
  for (std::int32_t j = 0; j < stride; j += row_multiple) {
    std::memcpy(&row, later + j, sizeof row);
    std::memcpy(&other, beta + j, sizeof other);
    row *= other;
    std::memcpy(into + j, &row, sizeof row);
  }
}

// ahead[j] *= own[j]; then both rows are divided by their sums.
template <class Real>
RIATA_INLINE StepSums<Real> divide(const Real* own, std::int32_t stride, Real* ahead, Real* back) noexcept {
  using V = typename Block<Real>::type;
  V row, other, sum{}, other_sum{};
  std::int32_t j;
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
RIATA_INLINE StepSums<Real> steps(const Real* alpha, const Real* forward, const Real* own, Real* ahead, const Real* later, const Real* beta,
                                  const Real* backward, Real* into, Real* back, std::int32_t labels, std::int32_t stride) noexcept {
  enter(later, beta, stride, into);
  std::int32_t j = 0;
  for (; j + 3 * row_multiple <= stride; j += 3 * row_multiple)
    mix_both<3>(alpha, forward + j, ahead + j, into, backward + j, back + j, labels, stride);
  for (; j < stride; j += row_multiple) mix_both<1>(alpha, forward + j, ahead + j, into, backward + j, back + j, labels, stride);
  return divide(own, stride, ahead, back);
}

// out[j] = sum over the i in `which` of from[i] * rows[i][j].
template <int blocks, class Real>
RIATA_INLINE void mix_some(const Real* from, const std::int32_t* which, std::int32_t count, const Real* rows, std::int32_t stride,
                           Real* out) noexcept {
  using V = typename Block<Real>::type;
  V total[blocks]{}, row;
  for (std::int32_t k = 0; k < count; ++k) {
    const Real factor = from[which[k]], *here = rows + std::int64_t{which[k]} * stride;
    for (int b = 0; b < blocks; ++b) {
      std::memcpy(&row, here + b * row_multiple, sizeof row);
      total[b] += row * factor;
    }
  }
  for (int b = 0; b < blocks; ++b) std::memcpy(out + b * row_multiple, &total[b], sizeof total[b]);
}

template <class Real>
RIATA_INLINE void mix_others_than_zero(const Real* from, const Real* rows, std::int32_t labels, std::int32_t stride, std::int32_t* which,
                                       Real* out) noexcept {
  std::int32_t count = 0, j = 0;
  for (std::int32_t i = 0; i < labels; ++i) {
    which[count] = i;
    count += from[i] != 0;
  }
  for (; j + 3 * row_multiple <= stride; j += 3 * row_multiple) mix_some<3>(from, which, count, rows + j, stride, out + j);
  for (; j < stride; j += row_multiple) mix_some<1>(from, which, count, rows + j, stride, out + j);
}

template <class Real>
RIATA_INLINE StepSums<Real> steps_of_some(const Real* alpha, const Real* forward, const Real* own, Real* ahead, const Real* later,
                                          const Real* beta, const Real* backward, Real* into, Real* back, std::int32_t labels,
                                          std::int32_t stride, std::int32_t* which) noexcept {
  enter(later, beta, stride, into);
  mix_others_than_zero(alpha, forward, labels, stride, which, ahead);
  mix_others_than_zero(into, backward, labels, stride, which, back);
  return divide(own, stride, ahead, back);
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
    if (!(weight <= std::numeric_limits<Real>::max())) least = 0;  // the weight overflows
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

template <class Real>
RIATA_INLINE Real weigh(const Real* from, const Real* rows, std::int64_t count, const Real* own, std::int32_t stride, Real* out) noexcept {
  typename Block<Real>::type sum{};
  std::int32_t j = 0;
  for (; j + 3 * row_multiple <= stride; j += 3 * row_multiple) weigh_blocks<3>(from, 1, rows + j, count, own + j, stride, out + j, sum);
  for (; j < stride; j += row_multiple) weigh_blocks<1>(from, 1, rows + j, count, own + j, stride, out + j, sum);
  return in_all<Real>(sum);
}

// Adds four products at a time, so that each row of totals is read and written once for all four.
template <class Real>
RIATA_INLINE void outer(const std::int32_t* at, std::int64_t count, const Real* from, const Real* rows, std::int32_t labels,
                        std::int32_t stride, Real* totals) noexcept {
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
        std::memcpy(&total, totals + std::int64_t{i} * stride + j, sizeof total);
        for (int k = 0; k < together; ++k) total += values[k] * before[k][i];
        std::memcpy(totals + std::int64_t{i} * stride + j, &total, sizeof total);
      }
    }
  }
}

template <class Real>
RIATA_INLINE void outer_of_some(const std::int32_t* at, std::int64_t count, const Real* from, const Real* rows, std::int32_t labels,
                                std::int32_t stride, Real* totals) noexcept {
  using V = typename Block<Real>::type;
  V row, total;
  for (std::int64_t t = 0; t < count; ++t) {
    const std::int64_t place = std::int64_t{at[t]} * stride;
    for (std::int32_t i = 0; i < labels; ++i) {
      const Real factor = from[place - stride + i];
      if (factor == 0) continue;
      for (std::int32_t j = 0; j < stride; j += row_multiple) {
        std::memcpy(&row, rows + place + j, sizeof row);
        std::memcpy(&total, totals + std::int64_t{i} * stride + j, sizeof total);
        total += row * factor;
        std::memcpy(totals + std::int64_t{i} * stride + j, &total, sizeof total);
      }
    }
  }
}

}  // namespace

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

RIATA_CLONES StepSums<float> chain_steps_of_some(const float* alpha, const float* forward, const float* own, float* ahead,
                                                 const float* later, const float* beta, const float* backward, float* into, float* back,
                                                 std::int32_t labels, std::int32_t stride, std::int32_t* which) noexcept {
  return steps_of_some(alpha, forward, own, ahead, later, beta, backward, into, back, labels, stride, which);
}
RIATA_CLONES StepSums<double> chain_steps_of_some(const double* alpha, const double* forward, const double* own, double* ahead,
                                                  const double* later, const double* beta, const double* backward, double* into,
                                                  double* back, std::int32_t labels, std::int32_t stride, std::int32_t* which) noexcept {
  return steps_of_some(alpha, forward, own, ahead, later, beta, backward, into, back, labels, stride, which);
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

RIATA_CLONES void add_outer(const std::int32_t* at, std::int64_t count, const float* from, const float* rows, std::int32_t labels,
                            std::int32_t stride, float* totals) noexcept {
  outer(at, count, from, rows, labels, stride, totals);
}
RIATA_CLONES void add_outer(const std::int32_t* at, std::int64_t count, const double* from, const double* rows, std::int32_t labels,
                            std::int32_t stride, double* totals) noexcept {
  outer(at, count, from, rows, labels, stride, totals);
}

RIATA_CLONES void add_outer_of_some(const std::int32_t* at, std::int64_t count, const float* from, const float* rows, std::int32_t labels,
                                    std::int32_t stride, float* totals) noexcept {
  outer_of_some(at, count, from, rows, labels, stride, totals);
}
RIATA_CLONES void add_outer_of_some(const std::int32_t* at, std::int64_t count, const double* from, const double* rows, std::int32_t labels,
                                    std::int32_t stride, double* totals) noexcept {
  outer_of_some(at, count, from, rows, labels, stride, totals);
}

}  // namespace riata
