// Sums over all outputs of several columns of labels, in logarithms: slower than with factors, but for scores of any size.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <vector>

#include "core/log_sum.hpp"
#include "inference/exact/factorial_scores.hpp"

namespace riata {

class FactorialLogSums {
 public:
  explicit FactorialLogSums(const FactorialShape& shape) : shape_(shape) {}

  // Returns log Z. The scores must not change until `add` has been called.
  template <class Real>
  double operator()(const FactorialScores<Real>& scores) {
    length_ = scores.length;
    const std::int64_t states = shape_.states();
    for (std::vector<double>* one : {&own_, &alpha_, &beta_}) one->assign(static_cast<std::size_t>(length_ * states), 0);
    std::vector<Real> row(static_cast<std::size_t>(states));
    for (std::int32_t t = 0; t < length_; ++t) {
      scores.states(t, row.data());
      std::copy(row.begin(), row.end(), at(own_, t));
    }
    for (std::int32_t t = 0; t < length_; ++t) {
      std::vector<double> from(static_cast<std::size_t>(states), 0);
      if (t > 0) {
        from.assign(at(alpha_, t - 1), at(alpha_, t - 1) + states);
        each_column(shape_, [&](ColumnId c) { replace(c, table(scores, c, t, false), from); });
      }
      for (std::int64_t x = 0; x < states; ++x) at(alpha_, t)[x] = from[static_cast<std::size_t>(x)] + at(own_, t)[x];
    }
    for (std::int32_t t = length_ - 1; t > 0; --t) {
      std::vector<double> from(static_cast<std::size_t>(states));
      for (std::int64_t x = 0; x < states; ++x) from[static_cast<std::size_t>(x)] = at(beta_, t)[x] + at(own_, t)[x];
      each_column(shape_, [&](ColumnId c) { replace(c, table(scores, c, t, true), from); });
      std::copy(from.begin(), from.end(), at(beta_, t - 1));
    }
    return log_z_ = log_sum(std::span<const double>(at(alpha_, length_ - 1), static_cast<std::size_t>(states)));
  }

  // Adds `times` times all posteriors to tables.
  template <class Real>
  void add(const FactorialScores<Real>& scores, const FactorialTables<Real>& to, double times) {
    std::vector<double> posteriors(static_cast<std::size_t>(shape_.states()));
    for (std::int32_t t = 0; t < length_; ++t) {
      posterior(t, posteriors.data());
      to.add_states(shape_, t, posteriors.data(), times);
    }
    for (std::int32_t t = 1; t < length_; ++t) each_column(shape_, [&](ColumnId c) { add_within(scores, c, t, to, times); });
  }
  // As FactorialSums::carry. goes(column, i, j): whether a step from label i to label j counts.
  template <class Real, class Goes>
  void carry(const FactorialScores<Real>& scores, std::int32_t t, const std::vector<double>& shares, Goes goes, std::vector<double>& out) {
    std::vector<double> from(shares.size());
    for (std::size_t x = 0; x < from.size(); ++x) from[x] = at(alpha_, t - 1)[x] + std::log(shares[x]);
    each_column(shape_, [&](ColumnId c) {
      const auto score = table(scores, c, t, false);
      replace(
          c, [&](std::int32_t i, std::int32_t j) { return goes(c, i, j) ? score(i, j) : -std::numeric_limits<double>::infinity(); }, from);
    });
    for (std::size_t x = 0; x < from.size(); ++x) out[x] = std::exp(from[x] + at(own_, t)[x] + at(beta_, t)[x] - log_z_);
  }
  // Writes the posteriors of all combinations at token t to out, [states].
  void posterior(std::int32_t t, double* out) {
    for (std::int64_t x = 0; x < shape_.states(); ++x) out[x] = std::exp(at(alpha_, t)[x] + at(beta_, t)[x] - log_z_);
  }

 private:
  double* at(std::vector<double>& rows, std::int32_t t) const noexcept { return rows.data() + t * shape_.states(); }

  // score(i, j) of a pair within column c at the step into token t; from the later label to the earlier one if `back`.
  template <class Real>
  auto table(const FactorialScores<Real>& scores, ColumnId c, std::int32_t t, bool back) const {
    return [from = scores.table(FactorId(c.number()), t), stride = shape_.stride(c), back](std::int32_t i, std::int32_t j) {
      return double(from[std::int64_t{back ? j : i} * stride + (back ? i : j)]);
    };
  }

  // Replaces the label of column c in all states; score(old label, new label).
  template <class Score>
  void replace(ColumnId c, Score score, std::vector<double>& states) {
    const std::int32_t labels = shape_.labels(c);
    const std::int64_t inner = shape_.step(c), size = c == shape_.inner() ? shape_.stride(c) : labels * inner;
    std::vector<double> terms(static_cast<std::size_t>(labels)), out(states.size(), -std::numeric_limits<double>::infinity());
    for (std::int64_t o = 0; o < shape_.outer(c); ++o) {
      for (std::int64_t x = 0; x < inner; ++x) {
        const std::size_t first = static_cast<std::size_t>(o * size + x);
        for (std::int32_t j = 0; j < labels; ++j) {
          for (std::int32_t i = 0; i < labels; ++i)
            terms[static_cast<std::size_t>(i)] = states[first + static_cast<std::size_t>(i * inner)] + score(i, j);
          out[first + static_cast<std::size_t>(j * inner)] = log_sum(terms);
        }
      }
    }
    states.swap(out);
  }

  template <class Real>
  void add_within(const FactorialScores<Real>& scores, ColumnId c, std::int32_t t, const FactorialTables<Real>& to, double times) {
    std::vector<double> from(at(alpha_, t - 1), at(alpha_, t - 1) + shape_.states());
    each_column(shape_, [&](ColumnId other) {
      if (other != c) replace(other, table(scores, other, t, false), from);
    });
    const std::int32_t labels = shape_.labels(c);
    const std::int64_t inner = shape_.step(c), size = c == shape_.inner() ? shape_.stride(c) : labels * inner;
    const auto score = table(scores, c, t, false);
    Real* out = to.table(shape_, FactorId(c.number()), t);
    for (std::int64_t o = 0; o < shape_.outer(c); ++o) {
      for (std::int64_t x = 0; x < inner; ++x) {
        for (std::int32_t i = 0; i < labels; ++i) {
          for (std::int32_t j = 0; j < labels; ++j) {
            const std::int64_t into = o * size + x + j * inner;
            const double log_p =
                from[static_cast<std::size_t>(o * size + x + i * inner)] + score(i, j) + at(own_, t)[into] + at(beta_, t)[into];
            out[std::int64_t{i} * shape_.stride(c) + j] += static_cast<Real>(times * std::exp(log_p - log_z_));
          }
        }
      }
    }
  }

  const FactorialShape& shape_;
  std::int32_t length_ = 0;
  double log_z_ = 0;
  std::vector<double> own_, alpha_, beta_;  // [length][states]
};

}  // namespace riata
