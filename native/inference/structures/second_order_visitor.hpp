// Visits the sentences of a chain that reads two labels back.
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <optional>
#include <vector>

#include "inference/structures/second_order_potentials.hpp"
#include "inference/structures/second_order_slow_sums.hpp"

namespace riata {

template <class Real>
class SecondOrderVisitor final : public Visitor {
 public:
  explicit SecondOrderVisitor(SecondOrderPotentials<Real>& of)
      : of_(of), stride_(of.layout_.stride), square_(of.square()), sums_(of.layout_.labels) {}

  std::optional<double> open(std::int64_t s) override {
    enter(s);
    if (length_ == 0) return 0;
    of_.score(s, node_.data());
    double truth = of_.complete(s) ? of_.tokens_.score_of_truth(s, node_.data()) : 0;
    const double log_z = sum(false);
    if (!std::isfinite(log_z)) return std::nullopt;
    if (!of_.complete(s)) {
      of_.score(s, node_.data());
      of_.tokens_.keep_known(s, node_.data());
      truth = sum(true);
    }
    if (!std::isfinite(truth)) return std::nullopt;
    return truth - log_z;
  }

  void take(double times) override {
    const Real weight = static_cast<Real>(times);
    Real* out = difference();
    for (std::int64_t k = 0; k < length_ * stride_; ++k) out[k] = posterior_[0][static_cast<std::size_t>(k)] * weight;
    if (of_.complete(s_)) {
      of_.tokens_.take_truth(s_, weight, out);
    } else {
      for (std::int64_t k = 0; k < length_ * stride_; ++k) out[k] -= posterior_[1][static_cast<std::size_t>(k)] * weight;
    }
    for (const bool second : {false, true}) {
      const Real factor = second ? -weight : weight;
      Real* into = of_.into_.data() + of_.row(s_, second) * square_;
      for (std::int64_t k = square_; k < length_ * square_ && factor != 1 && !(second && of_.complete(s_)); ++k) into[k] *= factor;
    }
    for (std::int64_t t = 1; t < length_; ++t) take_pairs(t, weight);
  }

  double open_in_logarithms(std::int64_t s) override {
    enter(s);
    of_.score(s, node_.data());
    const double truth = of_.complete(s) ? of_.tokens_.score_of_truth(s, node_.data()) : 0, log_z = slow_[0].open(of_, s, node_);
    if (of_.complete(s)) return truth - log_z;
    of_.tokens_.keep_known(s, node_.data());
    return slow_[1].open(of_, s, node_) - log_z;
  }

  void take_in_logarithms(double times) override {
    const std::int64_t rows = of_.rows_needed(s_);
    for (auto* table : {&of_.from_, &of_.into_}) std::fill_n(table->begin() + of_.row(s_, false) * square_, rows * square_, Real{0});
    std::fill(of_.sparse(start_), of_.sparse(start_ + length_), Real{0});
    std::fill_n(difference(), length_ * stride_, Real{0});
    slow_[0].add(of_, times, difference());
    if (of_.complete(s_))
      of_.tokens_.take_truth(s_, static_cast<Real>(times), difference());
    else
      slow_[1].add(of_, -times, difference());
  }

 private:
  void enter(std::int64_t s) {
    s_ = s;
    start_ = of_.instances_.starts[s];
    length_ = of_.instances_.length(s);
    for (auto* rows : {&node_, &posterior_[0], &posterior_[1]}) rows->resize(static_cast<std::size_t>(length_ * stride_));
    own_.resize(static_cast<std::size_t>(length_ * square_));
    highest_.resize(static_cast<std::size_t>(length_));
    for (auto& shares : shares_) shares.resize(static_cast<std::size_t>(length_));
    for (auto& pairs : pairs_) pairs.resize(static_cast<std::size_t>(place_of_pairs(length_)));
  }
  Real* difference() noexcept { return of_.difference_.data() + (start_ - of_.base()) * stride_; }

  // The place of the first sparse weight of token t among the sparse weights of the sentence.
  std::int64_t place_of_pairs(std::int64_t t) const noexcept {
    return of_.steps_.sparse().before(start_ + t) - of_.steps_.sparse().before(start_);
  }
  // Adds `times` times the posteriors of the sparse weights of token t to those of the batch.
  void take_pairs(std::int64_t t, Real times) {
    Real* out = of_.sparse(start_ + t);
    const std::int64_t from = place_of_pairs(t), count = place_of_pairs(t + 1) - from;
    const Real share = shares_[0][static_cast<std::size_t>(t)] * times, other = shares_[1][static_cast<std::size_t>(t)] * -times;
    const Real *all = pairs_[0].data() + from, *known = pairs_[1].data() + from;
    for (std::int64_t k = 0; k < count; ++k) out[k] = all[k] * share;
    for (std::int64_t k = 0; k < count && !of_.complete(s_); ++k) out[k] += known[k] * other;
  }

  // Computes log Z and fills the tables; NaN if logarithms are needed. second: over the labellings that agree with the known labels.
  double sum(bool second) {
    const std::int64_t at = of_.row(s_, second) * square_;
    const SparsePairs<Real>& sparse_pairs = of_.steps_.sparse();
    const auto step = [&](std::int32_t t) { return of_.cube(of_.steps_.context(start_ + t), cube_); };
    std::int32_t made = 0;  // last token whose pairs have their factors
    const auto own = [&](std::int32_t t) -> PairFactors<Real> {
      const Real* node = node_.data() + t * stride_;
      if (!sparse_pairs.any(start_ + t)) return {node, 0, 0};
      Real* rows = own_.data() + t * square_;
      if (t > made) highest_[static_cast<std::size_t>(t)] = sparse_pairs.factors(start_ + t, node, rows);
      made = std::max(made, t);
      return {rows, of_.layout_.stride, highest_[static_cast<std::size_t>(t)]};
    };
    const auto pairs = [&](std::int32_t t, const Real* back, Real share) {
      const Real* from = of_.from_.data() + at + t * square_;
      Real* out = pairs_[second].data() + place_of_pairs(t);
      shares_[second][static_cast<std::size_t>(t)] = share;
      sparse_pairs.each_weight(start_ + t, [&](std::int64_t, std::int32_t cell, Real) { *out++ = from[cell] * back[cell]; });
    };
    return sums_(static_cast<std::int32_t>(length_), node_.data(), step, own, of_.from_.data() + at, of_.into_.data() + at,
                 posterior_[second].data(), pairs);
  }

  SecondOrderPotentials<Real>& of_;
  std::int64_t stride_, square_;
  std::int64_t s_ = 0, start_ = 0, length_ = 0;  // the open sentence, its first token and its number of tokens
  SecondOrderSums<Real> sums_;
  std::vector<Real> node_, own_;  // [length][stride], [length][labels][stride]
  // The following have two parts: for sums over all labellings, and over those that agree with the known labels.
  std::array<std::vector<Real>, 2> posterior_;  // [length][stride]
  // [sparse weights of the sentence, token by token] products that, times the share of the token, are posteriors.
  std::array<std::vector<Real>, 2> pairs_;
  std::array<std::vector<Real>, 2> shares_;  // [length]
  std::vector<double> highest_;              // [length] the highest score of label pairs, which the factors do not contain
  typename SecondOrderPotentials<Real>::Cube cube_;
  std::array<SecondOrderSlowSums<Real>, 2> slow_;
};

}  // namespace riata
