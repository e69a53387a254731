// Sums over all outputs of several columns of labels: log Z and posteriors.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <vector>

#include "core/kernels.hpp"
#include "core/numbers.hpp"
#include "inference/exact/chain_sums.hpp"
#include "inference/exact/factorial_scores.hpp"
#include "inference/exact/factorial_steps.hpp"

namespace riata {

// Forward-backward on the combinations of labels, with every position scaled to a sum of 1, as in ChainSums; it gives up if factors
// underflow. Exact inference on the product of the columns is what Sutton, Rohanimanesh & McCallum (2004), Sec. 2.2, call too expensive in
// general; with few columns, replacing one label at a time makes it affordable.
template <class Real>
class FactorialSums {
 public:
  explicit FactorialSums(const FactorialShape& shape) : shape_(shape), steps_(shape) {
    for (std::int64_t row = 0; row < shape.rows(); ++row) all_rows_.push_back(static_cast<std::int32_t>(row));
  }

  // edge(column, t): EdgeFactors of the pair within a column, of the step into token t > 0. Returns log Z, or NaN if it gave up.
  template <class Edge>
  double operator()(const FactorialScores<Real>& scores, Edge edge) {
    length_ = scores.length;
    const std::int64_t states = shape_.states();
    for (Numbers<Real>* one : {&own_, &alpha_, &into_, &posterior_}) one->resize(static_cast<std::size_t>(length_ * states));
    highest_.resize(static_cast<std::size_t>(length_));
    scale_.assign(static_cast<std::size_t>(length_), 0);
    for (std::int32_t t = 0; t < length_; ++t) scores.states(t, at(own_, t));
    exp_rows(own_.data(), length_, static_cast<std::int32_t>(states), highest_.data());
    double log_z = 0;
    if (!forward(edge, log_z) || !backward(edge)) return std::numeric_limits<double>::quiet_NaN();
    return log_z;
  }

  // After a call that did not give up: adds `times` times all posteriors to tables.
  template <class Edge>
  void add(const FactorialTables<Real>& to, Edge edge, double times) {
    for (std::int32_t t = 0; t < length_; ++t) to.add_states(shape_, t, at(posterior_, t), times);
    each_column(shape_, [&](ColumnId c) { add_within(c, to, edge, times); });
  }
  // Carries probabilities from token t - 1 to token t. shares: for every combination at token t - 1, the share of its probability that
  // counts. table(column): the factors of the step, some of which may be set to 0. out: for every combination at token t, the probability
  // that comes from these shares; [states] like shares.
  template <class Table>
  void carry(std::int32_t t, const std::vector<double>& shares, Table table, std::vector<double>& out) {
    const auto states = static_cast<std::size_t>(shape_.states());
    carried_.resize(states);
    for (std::size_t x = 0; x < states; ++x) carried_[x] = static_cast<Real>(double(at(alpha_, t - 1)[x]) * shares[x]);
    const Real* reached = steps_.replace_all(carried_.data(), table);
    for (std::size_t x = 0; x < states; ++x) out[x] = double(reached[x]) * double(at(into_, t)[x]);
  }
  // The posteriors of all combinations at token t, [states].
  const Real* posterior(std::int32_t t) const noexcept { return posterior_.data() + t * shape_.states(); }

 private:
  static constexpr Real least = sizeof(Real) == 4 ? Real(1e-30) : Real(1e-280);

  Real* at(Numbers<Real>& rows, std::int32_t t) const noexcept { return rows.data() + t * shape_.states(); }

  // out = from * own, divided by its sum, which is returned.
  Real weighed(const Real* from, const Real* own, Real* out) const noexcept {
    const std::int64_t states = shape_.states();
    Real sums[row_multiple] = {};
    for (std::int64_t x = 0; x < states; x += row_multiple) {
      for (std::int32_t y = 0; y < row_multiple; ++y) {
        out[x + y] = from[x + y] * own[x + y];
        sums[y] += out[x + y];
      }
    }
    Real sum = 0;
    for (const Real part : sums) sum += part;
    const Real by = 1 / sum;
    for (std::int64_t x = 0; x < states; ++x) out[x] *= by;
    return sum;
  }

  template <class Edge>
  bool forward(Edge edge, double& log_z) {
    const Numbers<Real> ones(static_cast<std::size_t>(shape_.states()), Real{1});
    for (std::int32_t t = 0; t < length_; ++t) {
      const Real* from = ones.data();
      if (t > 0) {
        from = steps_.replace_all(at(alpha_, t - 1), [&](ColumnId c) { return edge(c, t).forward; });
        each_column(shape_, [&](ColumnId c) { log_z += edge(c, t).highest; });
      }
      const Real sum = weighed(from, at(own_, t), at(alpha_, t));
      if (!(sum >= least)) return false;
      scale_[static_cast<std::size_t>(t)] = 1 / sum;
      log_z += double(highest_[static_cast<std::size_t>(t)]) + std::log(double(sum));
    }
    return true;
  }

  // Writes into[t] = own * beta, scaled so that alpha[t - 1] x factors x into[t] are the posteriors of steps; and the posteriors.
  template <class Edge>
  bool backward(Edge edge) {
    const std::int64_t states = shape_.states();
    Numbers<Real> beta(static_cast<std::size_t>(states), Real{1});
    for (std::int32_t t = length_ - 1; t >= 0; --t) {
      const Real sum = weighed(beta.data(), at(alpha_, t), at(posterior_, t));
      if (!(sum >= least)) return false;
      const Real by = scale_[static_cast<std::size_t>(t)] / sum;
      if (!std::isfinite(by)) return false;
      Real *into = at(into_, t), *own = at(own_, t);
      for (std::int64_t x = 0; x < states; ++x) into[x] = own[x] * beta[x];
      if (t > 0) {
        const Real* before = steps_.replace_all(into, [&](ColumnId c) { return edge(c, t).backward; });
        Real total = 0;
        for (std::int64_t x = 0; x < states; ++x) total += before[x];
        if (!(total >= least)) return false;
        for (std::int64_t x = 0; x < states; ++x) beta[static_cast<std::size_t>(x)] = before[x] / total;
      }
      for (std::int64_t x = 0; x < states; ++x) into[x] *= by;
    }
    return true;
  }

  // Adds the posteriors of pairs within column c. If they are added up over tokens, the factors, which are the same at all of them, are
  // multiplied in at the end.
  template <class Edge>
  void add_within(ColumnId c, const FactorialTables<Real>& to, Edge edge, double times) {
    const FactorId k(c.number());
    const std::int32_t labels = shape_.labels(c), stride = shape_.stride(c);
    const bool each = to.per_token[k.place()] != 0;
    pairs_.assign(static_cast<std::size_t>(shape_.table(k)), Real{0});
    const auto hand_on = [&](std::int32_t t) {
      const Real* factors = edge(c, t).forward;
      Real* out = to.table(shape_, k, t);
      for (std::int64_t x = 0; x < std::int64_t{labels} * stride; ++x)
        out[x] += static_cast<Real>(times) * factors[x] * pairs_[static_cast<std::size_t>(x)];
    };
    for (std::int32_t t = 1; t < length_; ++t) {
      const Real* from = steps_.replace_all(at(alpha_, t - 1), [&](ColumnId other) { return edge(other, t).forward; }, c);
      add_products(c, from, at(into_, t));
      if (!each) continue;
      hand_on(t);
      std::fill(pairs_.begin(), pairs_.end(), Real{0});
    }
    if (!each && length_ > 1) hand_on(1);
  }

  // pairs[i][j] += the sum over the labels of other columns of from[.., i, ..] * into[.., j, ..].
  void add_products(ColumnId c, const Real* from, const Real* into) {
    const std::int32_t labels = shape_.labels(c), stride = shape_.stride(c);
    if (c == shape_.inner()) {  // the kernel reads from one row before
      add_outer(all_rows_.data(), shape_.rows(), from + stride, into, labels, stride, pairs_.data());
      return;
    }
    const std::int64_t inner = shape_.step(c);
    found_.resize(static_cast<std::size_t>(stride));
    for (std::int64_t o = 0; o < shape_.outer(c); ++o, from += labels * inner, into += labels * inner) {
      for (std::int32_t i = 0; i < labels; ++i) {
        multiply_rows(into, from + i * inner, labels, static_cast<std::int32_t>(inner), found_.data());
        for (std::int32_t j = 0; j < labels; ++j)
          pairs_[static_cast<std::size_t>(std::int64_t{i} * stride + j)] += found_[static_cast<std::size_t>(j)];
      }
    }
  }

  const FactorialShape& shape_;
  FactorialSteps<Real, SumProduct<Real>> steps_;
  std::int32_t length_ = 0;
  Numbers<Real> own_, alpha_, into_, posterior_;  // [length][states]
  std::vector<Real> highest_, scale_;             // [length]
  Numbers<Real> carried_;                         // [states]
  Numbers<Real> pairs_, found_;                   // a table of pairs; a row of it
  std::vector<std::int32_t> all_rows_;            // 0, 1, ... to the number of rows - 1
};

}  // namespace riata
