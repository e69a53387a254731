// Visits the sentences of a chain in which every step is normalised by itself, given the true label before.
#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>
#include <vector>

#include "inference/structures/chain_potentials.hpp"
#include "inference/structures/local.hpp"

namespace riata {

template <class Real>
class LocalVisitor final : public Visitor {
 public:
  explicit LocalVisitor(ChainPotentials<Real>& of) : of_(of), stride_(of.layout_.stride), sums_(of.layout_.labels) {}

  // Writes the probabilities of labels to the sentence's rows of into_.
  std::optional<double> open(std::int64_t s) override {
    s_ = s;
    const std::int64_t length = of_.instances_.length(s);
    node_.resize(static_cast<std::size_t>((length + 1) * stride_));
    if (length > 0) of_.tokens_.score(s, node_.data());
    double log_p = 0;
    for (std::int64_t t = 0; t < length; ++t) {
      const Real* own = node_.data() + t * stride_;
      const Real* pair = t == 0 ? nullptr : pairs(t, length);
      log_p -= (t == 0 ? sums_(own) : sums_(own, pair)) - double(own[gold(t)]) - (t == 0 ? 0.0 : double(pair[gold(t)]));
      sums_.probabilities(into(t));
    }
    return log_p;
  }

  void take(double times) override {
    for (std::int64_t t = 0; t < of_.instances_.length(s_); ++t) {
      Real *row = into(t), *difference = of_.difference_.data() + (of_.row(s_) + t) * stride_;
      for (std::int64_t j = 0; j < stride_; ++j) row[j] *= static_cast<Real>(times);
      std::copy_n(row, stride_, difference);
      difference[gold(t)] -= static_cast<Real>(times);
    }
  }

  // The sum over the labels of one step cannot underflow, so the methods without logarithms are used.
  double open_in_logarithms(std::int64_t s) override { return *open(s); }
  void take_in_logarithms(double times) override { take(times); }

 private:
  std::int32_t gold(std::int64_t t) const noexcept {
    return of_.instances_.labels[static_cast<std::size_t>(of_.instances_.starts[s_] + t)];
  }
  Real* into(std::int64_t t) noexcept { return of_.into_.data() + (of_.row(s_) + t) * stride_; }

  // The scores of all labels of token t after the true label before it, stored behind the scores of the tokens.
  const Real* pairs(std::int64_t t, std::int64_t length) {
    Real* out = node_.data() + length * stride_;
    const std::int64_t from = std::int64_t{gold(t - 1)} * stride_;
    std::fill_n(out, stride_, Real{0});
    for (const std::int64_t row : of_.contexts_.rows[static_cast<std::size_t>(of_.context(of_.instances_.starts[s_] + t))])
      of_.tokens_.add(row + from, out);
    for (std::int64_t j = 0; j < of_.layout_.labels; ++j) out[j] += of_.constraint_.follow[static_cast<std::size_t>(from + j)];
    return out;
  }

  ChainPotentials<Real>& of_;
  std::int64_t stride_, s_ = 0;  // s_: the open sentence
  LocalSums<Real> sums_;
  std::vector<Real> node_;  // [tokens + 1][stride] scores of labels; the last row is for `pairs`
};

}  // namespace riata
