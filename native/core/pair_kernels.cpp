// Sums over all labellings of a chain that reads two labels back, in tables of label pairs.
#include "core/kernel_blocks.hpp"

namespace riata {
namespace {

template <class Real>
RIATA_INLINE Real pairs_forward(const Real* from, const Real* cube, std::int32_t labels, std::int32_t height, const Real* own,
                                std::int32_t own_step, std::int32_t stride, Real* pairs) noexcept {
  typename Block<Real>::type sum{};
  for (std::int32_t i = 0; i < labels; ++i, cube += std::int64_t{height} * stride, own += own_step, pairs += stride) {
    std::int32_t j = 0;
    for (; j + 3 * row_multiple <= stride; j += 3 * row_multiple)
      weigh_blocks<3>(from + i, stride, cube + j, height, own + j, stride, pairs + j, sum);
    for (; j + 2 * row_multiple <= stride; j += 2 * row_multiple)
      weigh_blocks<2>(from + i, stride, cube + j, height, own + j, stride, pairs + j, sum);
    for (; j < stride; j += row_multiple) weigh_blocks<1>(from + i, stride, cube + j, height, own + j, stride, pairs + j, sum);
  }
  return in_all<Real>(sum);
}

// Computes all products first: reading a row that has just been written would stall.
template <class Real>
RIATA_INLINE Real pairs_backward(const Real* back, const Real* cube, std::int32_t labels, std::int32_t height, const Real* own,
                                 std::int32_t own_step, std::int32_t stride, Real weight, Real* into, Real* before, Real* totals) noexcept {
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
    multiply(cube + std::int64_t{i} * height * stride, into + std::int64_t{i} * stride, height, stride, totals + std::int64_t{i} * stride);
  for (std::int64_t k = 0; k < std::int64_t{labels} * stride; k += row_multiple) {
    std::memcpy(&row, into + k, sizeof row);
    row *= weight;
    std::memcpy(into + k, &row, sizeof row);
  }
  for (std::int32_t h = 0; h < height; ++h) {
    for (std::int32_t i = 0; i < labels; ++i) before[std::int64_t{h} * stride + i] = totals[std::int64_t{i} * stride + h];
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

// Keeps some rows of totals in registers while several tokens are added to them.
template <int rows, class Real>
RIATA_INLINE void triple_rows(const Real* const* before, const Real* const* values, int count, std::int32_t stride, Real* totals) noexcept {
  using V = typename Block<Real>::type;
  V total[rows], value;
  for (int r = 0; r < rows; ++r) std::memcpy(&total[r], totals + std::int64_t{r} * stride, sizeof total[r]);
  for (int k = 0; k < count; ++k) {
    std::memcpy(&value, values[k], sizeof value);
    for (int r = 0; r < rows; ++r) total[r] += value * before[k][std::int64_t{r} * stride];
  }
  for (int r = 0; r < rows; ++r) std::memcpy(totals + std::int64_t{r} * stride, &total[r], sizeof total[r]);
}

template <class Real>
RIATA_INLINE void triples(const std::int32_t* at, std::int64_t count, const Real* from, const Real* into, std::int32_t labels,
                          std::int32_t height, std::int32_t stride, std::int32_t low, std::int32_t high, Real* cube) noexcept {
  constexpr int together = 16, rows = 3;
  const std::int64_t square = std::int64_t{labels} * stride;
  for (std::int64_t t = 0; t < count; t += together) {
    const int here = static_cast<int>(count - t < together ? count - t : together);
    for (std::int32_t i = low; i < high; ++i) {
      Real* totals = cube + std::int64_t{i} * height * stride;
      for (std::int32_t h = 0; h < height; h += rows) {
        for (std::int32_t j = 0; j < stride; j += row_multiple) {
          const Real *before[together], *values[together];
          for (int k = 0; k < here; ++k) {
            const std::int64_t place = at[t + k] * square;
            before[k] = from + place - square + std::int64_t{h} * stride + i;
            values[k] = into + place + std::int64_t{i} * stride + j;
          }
          Real* to = totals + std::int64_t{h} * stride + j;
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

}  // namespace

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
                                   float* totals) noexcept {
  return pairs_backward(back, cube, labels, height, own, own_step, stride, weight, into, before, totals);
}
RIATA_CLONES double pair_steps_back(const double* back, const double* cube, std::int32_t labels, std::int32_t height, const double* own,
                                    std::int32_t own_step, std::int32_t stride, double weight, double* into, double* before,
                                    double* totals) noexcept {
  return pairs_backward(back, cube, labels, height, own, own_step, stride, weight, into, before, totals);
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

}  // namespace riata
