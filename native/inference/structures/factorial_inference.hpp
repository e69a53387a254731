// Sums over all outputs of one sentence after another: exact, by factors or logarithms, or approximate.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <vector>

#include "inference/approximate/factorial_messages.hpp"
#include "inference/exact/chain_sums.hpp"
#include "inference/exact/factorial_log_sums.hpp"
#include "inference/exact/factorial_scores.hpp"
#include "inference/exact/factorial_sums.hpp"

namespace riata {

// The factors of a table of pairs within a column.
template <class Real>
struct StepTable {
  Numbers<Real> forward, backward;
  double highest = 0;

  void fill(const Real* scores, std::int32_t labels) {
    forward.assign(static_cast<std::size_t>(labels) * padded(labels), Real{0});
    backward.assign(forward.size(), Real{0});
    highest = make_edge_factors(scores, labels, forward.data(), backward.data());
  }
  EdgeFactors<Real> factors() const noexcept { return {forward.data(), backward.data(), highest}; }
};

template <class Real>
class FactorialInference {
 public:
  // The shape must outlive the object.
  FactorialInference(const FactorialShape& shape, SumsBy how)
      : shape_(shape), how_(how), sums_(shape), slow_sums_(shape), messages_(shape, how), own_(static_cast<std::size_t>(shape.columns())) {}

  // Returns log Z. The scores must not change until `add` has been called.
  double open(const FactorialScores<Real>& scores) {
    scores_ = &scores;
    if (how_ != SumsBy::exact) return messages_(scores);
    make_tables();
    const double log_z = sums_(scores, edges());
    by_logarithms_ = !std::isfinite(log_z);
    return by_logarithms_ ? slow_sums_(scores) : log_z;
  }

  // Adds `times` times all posteriors to tables.
  void add(const FactorialTables<Real>& to, double times) {
    if (how_ != SumsBy::exact)
      messages_.add(to, times);
    else if (by_logarithms_)
      slow_sums_.add(*scores_, to, times);
    else
      sums_.add(to, edges(), times);
  }

  // For exact sums: writes the posteriors of all combinations at token t to out, [states].
  void posterior(std::int32_t t, double* out) {
    if (by_logarithms_) return slow_sums_.posterior(t, out);
    std::copy_n(sums_.posterior(t), shape_.states(), out);
  }

  // For exact sums: carries probabilities from token t - 1 to token t. shares: [states] for every combination at token t - 1, the share of
  // its probability that counts; goes(column, i, j): whether a step from label i to label j counts. out: [states] for every combination at
  // token t, the probability that comes from these shares.
  template <class Goes>
  void carry(std::int32_t t, const std::vector<double>& shares, Goes goes, std::vector<double>& out) {
    if (by_logarithms_) return slow_sums_.carry(*scores_, t, shares, goes, out);
    going_.resize(static_cast<std::size_t>(shape_.columns()));
    const auto table = [&](ColumnId c) {
      const std::int32_t labels = shape_.labels(c), stride = shape_.stride(c);
      const Real* factors = edges()(c, t).forward;
      Numbers<Real>& some = going_[c.place()];
      some.assign(factors, factors + std::int64_t{labels} * stride);
      for (std::int32_t i = 0; i < labels; ++i) {
        for (std::int32_t j = 0; j < labels; ++j) {
          if (!goes(c, i, j)) some[static_cast<std::size_t>(std::int64_t{i} * stride + j)] = 0;
        }
      }
      return static_cast<const Real*>(some.data());
    };
    sums_.carry(t, shares, table, out);
  }

  // Whether the sums of the open sentence are what they are meant to be: exact ones always are.
  bool converged() const noexcept { return how_ == SumsBy::exact || messages_.converged(); }

 private:
  auto edges() const {
    return [this](ColumnId c, std::int32_t t) {
      const std::vector<StepTable<Real>>& own = own_[c.place()];
      return own[own.size() == 1 ? 0 : static_cast<std::size_t>(t)].factors();
    };
  }
  void make_tables() {
    each_column(shape_, [&](ColumnId c) {
      const bool each = scores_->per_token[c.place()] != 0;
      std::vector<StepTable<Real>>& tables = own_[c.place()];
      tables.resize(each ? static_cast<std::size_t>(scores_->length) : 1);
      for (std::size_t t = 0; t < tables.size(); ++t)
        tables[t].fill(scores_->table(FactorId(c.number()), static_cast<std::int32_t>(t)), shape_.labels(c));
    });
  }

  const FactorialShape& shape_;
  SumsBy how_;
  FactorialSums<Real> sums_;
  FactorialLogSums slow_sums_;
  FactorialMessages messages_;
  std::vector<std::vector<StepTable<Real>>> own_;  // [columns][tokens, or 1]
  std::vector<Numbers<Real>> going_;               // [columns] factors of the steps that count
  const FactorialScores<Real>* scores_ = nullptr;
  bool by_logarithms_ = false;
};

}  // namespace riata
