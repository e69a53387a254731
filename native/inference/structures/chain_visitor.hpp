// Visits the sentences of a first-order chain that is normalised over all labellings of a sentence.
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <optional>
#include <vector>

#include "inference/exact/chain_log_sums.hpp"
#include "inference/structures/chain_potentials.hpp"

namespace riata {

template <class Real>
class ChainVisitor final : public Visitor {
 public:
  explicit ChainVisitor(ChainPotentials<Real>& of) : of_(of), stride_(of.layout_.stride), sums_(of.layout_.labels, of.limited()) {}

  std::optional<double> open(std::int64_t s) override {
    enter(s);
    if (length_ == 0) return 0;
    node_.resize(static_cast<std::size_t>(cells()));
    of_.tokens_.score(s, node_.data());
    double truth = known() ? of_.tokens_.score_of_truth(s, node_.data()) : 0;
    const double log_z = sums_(length_, node_.data(), of_.edges(s), of_.alpha_.data() + first_, into(), difference());
    if (!known() && std::isfinite(log_z)) truth = open_known();
    if (!std::isfinite(log_z) || !std::isfinite(truth)) return std::nullopt;
    return truth - log_z;
  }

  void take(double times) override {
    if (known()) of_.tokens_.take_truth(s_, Real{1}, difference());
    if (times != 1) {
      Real *differences = difference(), *pairs = into();
      for (std::int64_t k = 0; k < cells(); ++k) {
        differences[k] *= static_cast<Real>(times);
        pairs[k] *= static_cast<Real>(times);
      }
    }
    if (known()) return;
    Real* pairs = of_.into_.data() + known_;
    for (std::int64_t k = 0; k < cells(); ++k) pairs[k] *= static_cast<Real>(-times);
  }

  double open_in_logarithms(std::int64_t s) override {
    enter(s);
    const double log_z = open_in_logarithms(slow_[0], false);
    if (!known()) return open_in_logarithms(slow_[1], true) - log_z;
    return of_.tokens_.score_of_truth(s, slow_[0].node.data()) - log_z;
  }

  void take_in_logarithms(double times) override {
    std::fill_n(difference(), cells(), Real{0});
    clear_pairs(first_);
    add(slow_[0], times);
    if (known()) return of_.tokens_.take_truth(s_, static_cast<Real>(times), difference());
    clear_pairs(known_);
    add(slow_[1], -times);
  }

 private:
  // Sums in logarithms, and the label scores that they were computed from.
  struct Slow {
    std::vector<Real> node;  // [length][stride]
    ChainLogSums sums;
  };

  void enter(std::int64_t s) {
    s_ = s;
    length_ = static_cast<std::int32_t>(of_.instances_.length(s));
    first_ = of_.row(s) * stride_;
    known_ = of_.known_row(s) * stride_;
  }
  bool known() const noexcept { return known_ < 0; }  // whether all labels of the sentence are known
  std::int64_t cells() const noexcept { return length_ * stride_; }
  Real* into() noexcept { return of_.into_.data() + first_; }
  Real* difference() noexcept { return of_.difference_.data() + first_; }

  // Sums over the labellings that agree with the known labels. Subtracts their posteriors from the difference and returns their log Z.
  double open_known() {
    of_.tokens_.score(s_, node_.data());
    of_.tokens_.keep_known(s_, node_.data());
    posterior_.resize(static_cast<std::size_t>(cells()));
    const double log_z =
        sums_(length_, node_.data(), of_.edges(s_), of_.alpha_.data() + known_, of_.into_.data() + known_, posterior_.data());
    if (!std::isfinite(log_z)) return log_z;
    for (std::int64_t k = 0; k < cells(); ++k) difference()[k] -= posterior_[static_cast<std::size_t>(k)];
    return log_z;
  }

  double pair(std::size_t t, std::size_t i, std::size_t j) const {
    const auto stride = static_cast<std::size_t>(stride_);
    return double(of_.scores_[pair_place(t, i, j)]) + double(of_.constraint_.follow[i * stride + j]);
  }
  std::size_t pair_place(std::size_t t, std::size_t i, std::size_t j) const {
    const std::int64_t context = of_.context(of_.instances_.starts[s_] + static_cast<std::int64_t>(t));
    return static_cast<std::size_t>(context * of_.square()) + i * static_cast<std::size_t>(stride_) + j;
  }

  double open_in_logarithms(Slow& slow, bool keep_known) {
    slow.node.resize(static_cast<std::size_t>(cells()));
    of_.tokens_.score(s_, slow.node.data());
    if (keep_known) of_.tokens_.keep_known(s_, slow.node.data());
    return slow.sums(
        static_cast<std::size_t>(length_), static_cast<std::size_t>(of_.layout_.labels),
        [&](std::size_t t, std::size_t j) { return double(slow.node[t * static_cast<std::size_t>(stride_) + j]); },
        [&](std::size_t t, std::size_t i, std::size_t j) { return pair(t, i, j); });
  }

  // Adds `times` times the posteriors of labels to the difference, and those of label pairs to slow_expected.
  void add(const Slow& slow, double times) {
    std::vector<double>& expected = of_.slow_expected();
    const auto length = static_cast<std::size_t>(length_), labels = static_cast<std::size_t>(of_.layout_.labels),
               stride = static_cast<std::size_t>(stride_);
    for (std::size_t t = 0; t < length; ++t) {
      for (std::size_t j = 0; j < labels; ++j) difference()[t * stride + j] += static_cast<Real>(times * slow.sums.posterior(t, j));
      for (std::size_t i = 0; t > 0 && i < labels; ++i) {
        for (std::size_t j = 0; j < labels; ++j) {
          const double score = pair(t, i, j) + double(slow.node[t * stride + j]);
          expected[pair_place(t, i, j)] += times * slow.sums.posterior(t, i, j, score);
        }
      }
    }
  }

  // Sets rows of the batch to zero, so that they do not contribute to the expected pairs.
  void clear_pairs(std::int64_t from) {
    for (auto* table : {&of_.alpha_, &of_.into_}) std::fill_n(table->begin() + from, cells(), Real{0});
  }

  ChainPotentials<Real>& of_;
  std::int64_t stride_;
  // The open sentence; where its rows start in the tables of the batch; and where the rows of its second sum start (negative: none).
  std::int64_t s_ = 0, first_ = 0, known_ = 0;
  std::int32_t length_ = 0;
  ChainSums<Real> sums_;
  std::vector<Real> node_, posterior_;
  std::array<Slow, 2> slow_;  // over all labellings, and over those that agree with the known labels
};

}  // namespace riata
