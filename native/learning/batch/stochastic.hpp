// Stochastic gradient descent on a loss, one sentence after another, with averaged weights, for any structure.
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

// Steps of eta / (1 + lambda eta t) on loss / S + lambda / 2 |w|^2, where S is the number of sentences; if asked for, the mean of the
// weights of all later steps, in which later weights count more. Weights and mean are scaled vectors (Bottou's representation), so that the
// cost of a step depends only on the features of the sentence.
template <class Real>
class Stochastic {
 public:
  // weights: [sentences], or empty. lambda: 2 c2 / S.
  Stochastic(std::unique_ptr<SentenceGradient<Real>> gradient, std::span<const double> weights, double lambda, const OutputLoss& loss);

  std::int64_t size() const noexcept { return there_.size(); }
  std::int64_t sentences() const noexcept { return gradient_->sentences(); }
  void set(std::span<const double> at);  // starts again from a point
  // One pass in this order. Returns the sum of the losses of the sentences, each before its step. averaging: whether the weights of this
  // pass enter the mean.
  double epoch(std::span<const std::int64_t> order, double eta, bool averaging, const Poll& poll);
  std::vector<double> point() const;  // the mean if there is one, otherwise the weights
  // The number of visits since `set` that moved no weight because factors could not represent the scores of the sentence.
  std::int64_t skipped() const noexcept { return skipped_; }

 private:
  double step(std::int64_t s, double eta);
  void average();

  std::unique_ptr<SentenceGradient<Real>> gradient_;
  const RowWeights& there_;
  std::vector<double> weights_;
  double lambda_;
  OutputLoss loss_;
  Numbers<Real> w_, a_;  // the weights are w_ / w_divisor_, their mean is (a_ + w_fraction_ w_) / a_divisor_
  double w_divisor_ = 1, a_divisor_ = 1, w_fraction_ = 0;
  std::int64_t time_ = 0, averaged_ = 0;  // number of steps, and of steps since averaging began
  std::int64_t skipped_ = 0;
  bool averaging_ = false;
};

extern template class Stochastic<float>;
extern template class Stochastic<double>;

}  // namespace riata
