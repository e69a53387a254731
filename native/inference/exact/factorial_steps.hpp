// Steps from all combinations of labels at one token to those at the next, one column after the other.
#pragma once

#include <algorithm>
#include <cstdint>
#include <limits>
#include <vector>

#include "core/kernels.hpp"
#include "core/numbers.hpp"
#include "inference/exact/factorial_shape.hpp"

namespace riata {

// What a step adds up, and how: sums of products of factors, or the highest sum of scores.
template <class Real>
struct SumProduct {
  static constexpr Real nothing = 0;
  static Real join(Real a, Real b) noexcept { return a + b; }
  static Real times(Real a, Real b) noexcept { return a * b; }
  static void row(const Real* from, const Real* table, std::int32_t labels, std::int32_t stride, const Real* ones, Real* out) noexcept {
    weigh_rows(from, table, labels, ones, stride, out);
  }
};
template <class Real>
struct MaxPlus {
  static constexpr Real nothing = -std::numeric_limits<Real>::infinity();
  static Real join(Real a, Real b) noexcept { return std::max(a, b); }
  static Real times(Real a, Real b) noexcept { return a + b; }
  static void row(const Real* from, const Real* table, std::int32_t labels, std::int32_t stride, const Real*, Real* out) noexcept {
    constexpr std::int32_t at_once = 128;
    const Real* rows[at_once];
    for (std::int32_t first = 0; first < labels; first += at_once) {
      const std::int32_t count = std::min(at_once, labels - first);
      for (std::int32_t i = 0; i < count; ++i) rows[i] = table + std::int64_t{first + i} * stride;
      if (first == 0) {
        max_plus(from, rows, count, stride, out);
        continue;
      }
      for (std::int32_t i = 0; i < count; ++i) {
        for (std::int32_t j = 0; j < stride; ++j) out[j] = std::max(out[j], from[first + i] + rows[i][j]);
      }
    }
  }
};

// The scores of steps are sums over columns. So a step replaces one old label after the other by a new one: this takes (states) x (sum of
// the numbers of labels) operations, instead of the square of the number of combinations.
template <class Real, class Algebra>
class FactorialSteps {
 public:
  explicit FactorialSteps(const FactorialShape& shape)
      : shape_(shape), ones_(static_cast<std::size_t>(shape.stride(shape.inner())), Real{1}) {
    for (auto& one : room_) one.resize(static_cast<std::size_t>(shape.states()));
  }

  // out[.., j, ..] = the join over i of in[.., i, ..] times table[i][j], on the axis of column c; both are [states] and differ.
  void replace(ColumnId c, const Real* in, const Real* table, Real* out) const noexcept {
    const std::int32_t labels = shape_.labels(c), stride = shape_.stride(c);
    if (c == shape_.inner()) {
      for (std::int64_t row = 0; row < shape_.rows(); ++row, in += stride, out += stride)
        Algebra::row(in, table, labels, stride, ones_.data(), out);
      return;
    }
    const std::int64_t inner = shape_.step(c);
    for (std::int64_t o = 0; o < shape_.outer(c); ++o, in += labels * inner, out += labels * inner) {
      std::fill_n(out, labels * inner, Algebra::nothing);
      for (std::int32_t i = 0; i < labels; ++i) {
        for (std::int32_t j = 0; j < labels; ++j) {
          const Real by = table[std::int64_t{i} * stride + j];
          const Real* const from = in + i * inner;
          Real* const to = out + j * inner;
          for (std::int64_t x = 0; x < inner; ++x) to[x] = Algebra::join(to[x], Algebra::times(from[x], by));
        }
      }
    }
  }

  // Replaces the labels of all columns except one, or of all; table(column): [labels][stride]. Returns the result, [states], which is valid
  // until the next call.
  template <class Table>
  const Real* replace_all(const Real* in, Table table, ColumnId except = ColumnId()) noexcept {
    std::size_t next = 0;
    for (ColumnId c(0); c.number() < shape_.columns(); ++c) {
      if (c == except) continue;
      Real* const out = room_[next].data();
      replace(c, in, table(c), out);
      in = out;
      next = 1 - next;
    }
    return in;
  }

 private:
  const FactorialShape& shape_;
  Numbers<Real> ones_;     // [stride of the innermost column]
  Numbers<Real> room_[2];  // [states]
};

}  // namespace riata
