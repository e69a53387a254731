// The likelihood of chains, learnt from one sentence after another: stochastic gradient descent with averaged weights.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "core/numbers.hpp"
#include "core/poll.hpp"
#include "inference/constraint.hpp"
#include "inference/exact/chain_sums.hpp"
#include "inference/structures/chain_pairs.hpp"
#include "models/row_sum.hpp"
#include "models/weights.hpp"

namespace riata {

// Steps of eta / (1 + lambda eta t) on -log P / S + lambda / 2 |w|^2, S the number of sentences, and from the second pass on the mean of
// all weights since then, the later ones counting more (Bottou's representation: weights and their mean are scaled vectors, so that a step
// costs what the sentence has features).
template <class Real>
class ChainStochastic {
 public:
  // index and instances must outlive it, and the instances have labels. weights: of sentences, or empty. lambda: 2 c2 / S.
  ChainStochastic(const FeatureIndex& index, const Instances& instances, std::int32_t labels, std::int32_t given_size,
                  const Constraint<Real>& constraint, std::span<const double> weights, Pairs pairs, double lambda);

  std::int64_t size() const noexcept { return there_.size(); }
  std::int64_t sentences() const noexcept { return instances_.sentences(); }
  void set(std::span<const double> at);  // starts anew from a point
  // One pass in this order; the sum of -log P of the sentences, each before its step. averaging: from here on.
  double epoch(std::span<const std::int64_t> order, double eta, bool averaging, const Poll& poll);
  std::vector<double> point() const;  // the mean, once there is one

 private:
  double step(std::int64_t s, double eta);
  void add(std::int64_t row, const Real* values, double times);

  const FeatureIndex& index_;
  const Instances& instances_;
  Layout layout_;
  Constraint<Real> constraint_;
  std::vector<double> weights_;
  double lambda_;
  RowWeights there_;
  EdgeContexts contexts_;
  RowReader<const Layout> rows_;
  Numbers<Real> w_, a_;  // weights are w_ / w_divisor_, their mean (a_ + w_fraction_ w_) / a_divisor_
  double w_divisor_ = 1, a_divisor_ = 1, w_fraction_ = 0;
  std::int64_t time_ = 0, averaged_ = 0;  // steps, and those since averaging began
  bool averaging_ = false;
  ChainSums<Real> sums_;
  RowSum<Real> sum_;
  std::vector<Real> node_, alpha_, into_, difference_, factors_, turned_, expected_, scores_;
  std::vector<Real> known_node_, known_alpha_, known_into_, known_posterior_;  // of the labellings that have the known labels
  std::vector<double> highest_;
  std::vector<std::int32_t> here_;  // [contexts] the place of a context among those of the sentence; -1
  std::vector<std::int32_t> used_;  // contexts of the sentence
};

}  // namespace riata
