// Visits the sentences of a first-order chain for losses of single labels: P of a label is a sum over all labellings that have it.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <optional>
#include <span>
#include <vector>

#include "core/kernels.hpp"
#include "inference/exact/chain_log_sums.hpp"
#include "inference/structures/chain_potentials.hpp"

namespace riata {

// The gradient of the sum over t of -c_t log P(y_t) in one sweep in each direction (Kakade, Teh & Roweis 2002). With g the posteriors of
// labels, x those of label pairs, and C the sum of all c:
//   A_t(j) = (sum over i of P(i at t - 1 | j at t) A_(t-1)(i)) + [j is true] c_t / P(y_t)      what tokens up to t say of label j at t
//   B_t(i) = (sum over j of P(j at t + 1 | i at t) B_(t+1)(j)) + [i is true] c_t / P(y_t)      the same of tokens from t on
// the gradient of the score of a label is g_t(j) (C - A_t(j) - B_t(j) + [j is true] c_t / P(y_t)), of a pair x_t(i, j) (C - A_(t-1)(i) -
// B_t(j)). Since x_t(i, j) = alpha_(t-1)(i) factor(i, j) into_t(j), the gradient of pairs is a sum of two products of a number of i and one
// of j, which stand in the two blocks of rows that a sentence has.
template <class Real>
class ChainLabelVisitor final : public LabelVisitor {
 public:
  explicit ChainLabelVisitor(ChainPotentials<Real>& of) : of_(of), stride_(of.layout_.stride), sums_(of.layout_.labels, of.limited()) {}

  std::optional<std::span<const double>> open(std::int64_t s) override {
    enter(s);
    if (length_ == 0) return std::span<const double>();
    node_.resize(static_cast<std::size_t>(length_) * stride_);
    of_.tokens_.score(s, node_.data());
    const double log_z = sums_(length_, node_.data(), of_.edges(s), of_.alpha_.data() + first_, of_.into_.data() + first_, posterior(0));
    if (!std::isfinite(log_z)) return std::nullopt;
    double inverse = 0;
    for (std::int32_t t = 0; t < length_; ++t) {
      if (!known(t)) continue;
      const double p = double(posterior(t)[gold(t)]);
      if (!(p >= least)) return std::nullopt;
      inverse += 1 / p;
      log_p_[static_cast<std::size_t>(t)] = std::min(std::log(p), 0.0);
    }
    if (!(largest_into() * inverse <= most)) return std::nullopt;
    return log_p_;
  }

  void take(std::span<const double> times) override {
    if (length_ == 0) return;
    const auto cells = static_cast<std::size_t>(length_) * stride_;
    for (auto* rows : {&ahead_, &back_}) rows->resize(cells);
    for (auto* row : {&from_, &own_}) row->resize(stride_);
    shares_.resize(static_cast<std::size_t>(length_));
    double all = 0;
    for (std::int32_t t = 0; t < length_; ++t) {
      const auto at = static_cast<std::size_t>(t);
      shares_[at] = known(t) ? static_cast<Real>(times[at] * std::exp(-log_p_[at])) : Real{0};
      if (known(t)) all += times[at];
    }
    sweep_ahead();
    sweep_back();
    Real *alpha = of_.alpha_.data() + first_, *into = of_.into_.data() + first_, *difference = posterior(0);
    Real *second_alpha = of_.alpha_.data() + second_, *second_into = of_.into_.data() + second_;
    const auto sum = static_cast<Real>(all);
    for (std::size_t k = 0; k < cells; ++k) {
      second_alpha[k] = alpha[k];
      second_into[k] = -into[k] * back_[k];
      alpha[k] *= sum - ahead_[k];
      difference[k] *= sum - ahead_[k] - back_[k];
    }
    for (std::int32_t t = 0; t < length_; ++t) {
      if (known(t)) posterior(t)[gold(t)] += static_cast<Real>(times[static_cast<std::size_t>(t)]);  // g c / P, where g is P
    }
  }

  std::span<const double> open_in_logarithms(std::int64_t s) override {
    enter(s);
    slow_node_.resize(static_cast<std::size_t>(length_) * stride_);
    of_.tokens_.score(s, slow_node_.data());
    logs_(
        static_cast<std::size_t>(length_), static_cast<std::size_t>(of_.layout_.labels),
        [&](std::size_t t, std::size_t j) { return double(slow_node_[t * stride_ + j]); },
        [&](std::size_t t, std::size_t i, std::size_t j) { return pair(t, i, j); });
    for (std::int32_t t = 0; t < length_; ++t) {
      if (known(t))
        log_p_[static_cast<std::size_t>(t)] = logs_.log_posterior(static_cast<std::size_t>(t), static_cast<std::size_t>(gold(t)));
    }
    return log_p_;
  }

  // The same two sweeps with g A and g B, which are never more than C, in place of A and B: conditional probabilities of labels take them
  // from token to token, and nothing is divided by a small P.
  void take_in_logarithms(std::span<const double> times) override {
    if (length_ == 0) return;
    const auto labels = static_cast<std::size_t>(of_.layout_.labels), cells = static_cast<std::size_t>(length_) * labels;
    for (const std::int64_t from : {first_, second_}) {
      for (auto* table : {&of_.alpha_, &of_.into_})
        std::fill_n(table->begin() + from, static_cast<std::size_t>(length_) * stride_, Real{0});
    }
    for (auto* rows : {&slow_ahead_, &slow_back_}) rows->assign(cells, 0);
    double all = 0;
    for (std::int32_t t = 0; t < length_; ++t) {
      if (!known(t)) continue;
      const auto place = static_cast<std::size_t>(t) * labels + static_cast<std::size_t>(gold(t));
      slow_ahead_[place] = slow_back_[place] = times[static_cast<std::size_t>(t)];
      all += times[static_cast<std::size_t>(t)];
    }
    const auto length = static_cast<std::size_t>(length_);
    for (std::size_t t = 1; t < length; ++t) {
      each_pair(t, [&](std::size_t i, std::size_t j, double score) {
        slow_ahead_[t * labels + j] += logs_.after(t, i, j, score) * slow_ahead_[(t - 1) * labels + i];
      });
    }
    for (std::size_t t = length - 1; t > 0; --t) {
      each_pair(t, [&](std::size_t i, std::size_t j, double score) {
        const double before = logs_.before(t, i, j, score), ahead = logs_.after(t, i, j, score) * slow_ahead_[(t - 1) * labels + i],
                     back = before * slow_back_[t * labels + j];
        slow_back_[(t - 1) * labels + i] += back;
        of_.slow_expected()[pair_place(t, i, j)] += all * logs_.posterior(t, i, j, score) - ahead - back;
      });
    }
    for (std::size_t t = 0; t < length; ++t) {
      for (std::size_t j = 0; j < labels; ++j) {
        const auto both = slow_ahead_[t * labels + j] + slow_back_[t * labels + j];
        posterior(0)[t * stride_ + j] = static_cast<Real>(all * logs_.posterior(t, j) - both);
      }
      const auto at = static_cast<std::int32_t>(t);
      if (known(at)) posterior(at)[gold(at)] += static_cast<Real>(times[t]);
    }
  }

 private:
  // Of P. Factors c of exponential losses are scaled, so that they are hardly more than 1, and c / P can be represented.
  static constexpr double least = sizeof(Real) == 4 ? 1e-25 : 1e-200;
  // Of `into` times A or B, which are no more than all c / P together.
  static constexpr double most = sizeof(Real) == 4 ? 1e30 : 1e290;

  void enter(std::int64_t s) {
    s_ = s;
    length_ = static_cast<std::int32_t>(of_.instances_.length(s));
    first_ = of_.row(s) * static_cast<std::int64_t>(stride_);
    second_ = of_.known_row(s) * static_cast<std::int64_t>(stride_);
    log_p_.assign(static_cast<std::size_t>(length_), 0);
  }
  std::int32_t gold(std::int32_t t) const noexcept {
    return of_.instances_.labels[static_cast<std::size_t>(of_.instances_.starts[s_] + t)];
  }
  bool known(std::int32_t t) const noexcept { return gold(t) != unknown_label; }
  std::size_t at(std::int32_t t) const noexcept { return static_cast<std::size_t>(t) * stride_; }
  Real* posterior(std::int32_t t) noexcept { return of_.difference_.data() + first_ + static_cast<std::int64_t>(at(t)); }
  const Real* alpha(std::int32_t t) const noexcept { return of_.alpha_.data() + first_ + static_cast<std::int64_t>(at(t)); }
  const Real* into(std::int32_t t) const noexcept { return of_.into_.data() + first_ + static_cast<std::int64_t>(at(t)); }

  double largest_into() const noexcept {
    Real largest = 0;
    for (const Real *at = into(1), *end = into(length_); at < end; ++at) largest = std::max(largest, *at);
    return double(largest);
  }
  // own_ = over / posteriors at t; 0 where these vanish. What posteriors near 0 are multiplied by may be 0 too, so it must be finite.
  void divide(const Real* over, std::int32_t t) {
    constexpr Real finite = std::numeric_limits<Real>::max();
    const Real* posteriors = posterior(t);
    for (std::size_t j = 0; j < stride_; ++j) own_[j] = posteriors[j] > 0 ? std::min(over[j] / posteriors[j], finite) : Real{0};
  }
  void sweep_ahead() {
    std::fill_n(ahead_.data(), stride_, Real{0});
    for (std::int32_t t = 0; t < length_; ++t) {
      Real* out = ahead_.data() + at(t);
      if (t > 0) {
        divide(into(t), t);
        const Real *before = ahead_.data() + at(t - 1), *weights = alpha(t - 1);
        for (std::size_t i = 0; i < stride_; ++i) from_[i] = weights[i] * before[i];
        weigh_rows(from_.data(), of_.edges(s_)(t).forward, of_.layout_.labels, own_.data(), static_cast<std::int32_t>(stride_), out);
      }
      if (known(t)) out[gold(t)] += shares_[static_cast<std::size_t>(t)];
    }
  }
  void sweep_back() {
    std::fill_n(back_.data() + at(length_ - 1), stride_, Real{0});
    for (std::int32_t t = length_ - 1; t >= 0; --t) {
      Real* out = back_.data() + at(t);
      if (t + 1 < length_) {
        divide(alpha(t), t);
        const Real *after = back_.data() + at(t + 1), *weights = into(t + 1);
        for (std::size_t j = 0; j < stride_; ++j) from_[j] = weights[j] * after[j];
        weigh_rows(from_.data(), of_.edges(s_)(t + 1).backward, of_.layout_.labels, own_.data(), static_cast<std::int32_t>(stride_), out);
      }
      if (known(t)) out[gold(t)] += shares_[static_cast<std::size_t>(t)];
    }
  }

  double pair(std::size_t t, std::size_t i, std::size_t j) const {
    return double(of_.scores_[pair_place(t, i, j)]) + double(of_.constraint_.follow[i * stride_ + j]);
  }
  std::size_t pair_place(std::size_t t, std::size_t i, std::size_t j) const {
    const std::int64_t context = of_.context(of_.instances_.starts[s_] + static_cast<std::int64_t>(t));
    return static_cast<std::size_t>(context * of_.square()) + i * stride_ + j;
  }
  // visit(i, j, score) for all labels i at t - 1 and j at t. score: of the pair and of j.
  template <class Visit>
  void each_pair(std::size_t t, Visit visit) const {
    const auto labels = static_cast<std::size_t>(of_.layout_.labels);
    for (std::size_t i = 0; i < labels; ++i) {
      for (std::size_t j = 0; j < labels; ++j) visit(i, j, pair(t, i, j) + double(slow_node_[t * stride_ + j]));
    }
  }

  ChainPotentials<Real>& of_;
  std::size_t stride_;
  std::int64_t s_ = 0, first_ = 0, second_ = 0;  // the open sentence, and where its blocks of rows start in the tables of the batch
  std::int32_t length_ = 0;
  ChainSums<Real> sums_;
  ChainLogSums logs_;
  std::vector<double> log_p_;                   // [length]
  std::vector<Real> node_, slow_node_;          // [length][stride]
  std::vector<Real> ahead_, back_;              // [length][stride] A and B
  std::vector<Real> shares_, from_, own_;       // [length] c / P; [stride], [stride]: working memory
  std::vector<double> slow_ahead_, slow_back_;  // [length][labels] g A and g B
};

}  // namespace riata
