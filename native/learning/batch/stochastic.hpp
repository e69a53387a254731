// A loss that is learnt from one sentence after another: stochastic gradient descent with averaged weights, on any structure.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "core/numbers.hpp"
#include "core/poll.hpp"
#include "inference/sentence_gradient.hpp"
#include "losses/output_loss.hpp"

namespace riata {

// Steps of eta / (1 + lambda eta t) on loss / S + lambda / 2 |w|^2, S the number of sentences, and from the second pass on the mean of
// all weights since then, the later ones counting more (Bottou's representation: weights and their mean are scaled vectors, so that a step
// costs what the sentence has features).
template <class Real>
class Stochastic {
 public:
  // weights: of sentences, or empty. lambda: 2 c2 / S.
  Stochastic(std::unique_ptr<SentenceGradient<Real>> gradient, std::span<const double> weights, double lambda, const OutputLoss& loss);

  std::int64_t size() const noexcept { return there_.size(); }
  std::int64_t sentences() const noexcept { return gradient_->sentences(); }
  void set(std::span<const double> at);  // starts anew from a point
  // One pass in this order. Returns the sum of the losses of the sentences, each before its step. averaging: whether the mean of the
  // weights is taken from here on.
  double epoch(std::span<const std::int64_t> order, double eta, bool averaging, const Poll& poll);
  std::vector<double> point() const;  // the mean, once there is one
  // Visits since `set` that moved no weight because the scores of the sentence were beyond what factors can hold.
  std::int64_t skipped() const noexcept { return skipped_; }

 private:
  double step(std::int64_t s, double eta);
  void average();

  std::unique_ptr<SentenceGradient<Real>> gradient_;
  const RowWeights& there_;
  std::vector<double> weights_;
  double lambda_;
  OutputLoss loss_;
  Numbers<Real> w_, a_;  // weights are w_ / w_divisor_, their mean (a_ + w_fraction_ w_) / a_divisor_
  double w_divisor_ = 1, a_divisor_ = 1, w_fraction_ = 0;
  std::int64_t time_ = 0, averaged_ = 0;  // steps, and those since averaging began
  std::int64_t skipped_ = 0;
  bool averaging_ = false;
};

extern template class Stochastic<float>;
extern template class Stochastic<double>;

}  // namespace riata
