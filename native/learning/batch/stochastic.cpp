#include "learning/batch/stochastic.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

namespace riata {
namespace {

constexpr double leaning = 5;  // how much the mean favours later weights (Shamir & Zhang 2013); 0: not at all
constexpr double far = 1e12;   // above this, the mean is rescaled

}  // namespace

template <class Real>
Stochastic<Real>::Stochastic(std::unique_ptr<SentenceGradient<Real>> gradient, std::span<const double> weights, double lambda,
                             const OutputLoss& loss)
    : gradient_(std::move(gradient)),
      there_(gradient_->there()),
      weights_(weights.begin(), weights.end()),
      lambda_(lambda),
      loss_(loss),
      w_(static_cast<std::size_t>(there_.room()), Real{0}),
      a_(w_.size(), Real{0}) {}

template <class Real>
void Stochastic<Real>::set(std::span<const double> at) {
  there_.each([&](std::int32_t i, std::int64_t place) {
    w_[static_cast<std::size_t>(place)] = static_cast<Real>(at[static_cast<std::size_t>(i)]);
  });
  std::fill(a_.begin(), a_.end(), Real{0});
  w_divisor_ = a_divisor_ = 1;
  w_fraction_ = 0;
  time_ = averaged_ = skipped_ = 0;
  averaging_ = false;
}

template <class Real>
std::vector<double> Stochastic<Real>::point() const {
  std::vector<double> out(static_cast<std::size_t>(size()));
  there_.each([&](std::int32_t i, std::int64_t at) {
    const double w = double(w_[static_cast<std::size_t>(at)]), a = double(a_[static_cast<std::size_t>(at)]);
    out[static_cast<std::size_t>(i)] = averaged_ > 0 ? (a + w_fraction_ * w) / a_divisor_ : w / w_divisor_;
  });
  return out;
}

template <class Real>
double Stochastic<Real>::epoch(std::span<const std::int64_t> order, double eta, bool averaging, const Poll& poll) {
  averaging_ = averaging;
  double value = 0;
  PollClock clock(gradient_->work());
  std::int64_t done = 0;
  for (const std::int64_t s : order) {
    const std::int64_t length = gradient_->length(s);
    if (clock.due(length) && !poll(done)) break;
    ++done;
    if (length > 0) value += step(s, eta / (1 + lambda_ * eta * static_cast<double>(time_)));
    ++time_;
  }
  return value;
}

// One step: the weights shrink, and move if the loss of the sentence is finite. If scores differ so much that factors underflow, the
// weights are not moved and the visit is counted, so that the caller can report it. The mean contains a share of w_, which changes with w_;
// the change is subtracted from a_, so that the mean stays the same.
template <class Real>
double Stochastic<Real>::step(std::int64_t s, double eta) {
  const double log_p = gradient_->open(s, w_.data(), 1 / w_divisor_);
  const OutputLoss::At at = loss_.at(log_p);
  const double weight = weights_.empty() ? 1.0 : weights_[static_cast<std::size_t>(s)];
  w_divisor_ /= 1 - eta * lambda_;
  if (averaging_ && averaged_ == 0) {
    std::fill(a_.begin(), a_.end(), Real{0});
    a_divisor_ = w_divisor_;
    w_fraction_ = 1;
  }
  if (std::isfinite(log_p)) {
    const RowMoves<Real> moves(there_, w_.data(), averaging_ ? a_.data() : nullptr, -w_fraction_);
    gradient_->move(-eta * (weight * at.times) * w_divisor_, moves);
  }
  skipped_ += std::isnan(log_p);
  if (averaging_) average();
  return weight * at.value;
}

// Moves the mean towards the present weights.
template <class Real>
void Stochastic<Real>::average() {
  const double mu = (1.0 + leaning) / (static_cast<double>(++averaged_) + leaning);
  if (averaged_ == 1) return;
  a_divisor_ /= 1 - mu;
  w_fraction_ += mu * a_divisor_ / w_divisor_;
  if (a_divisor_ <= far) return;
  for (Real& value : a_) value = static_cast<Real>(double(value) / a_divisor_);  // before it exceeds single precision
  w_fraction_ /= a_divisor_;
  a_divisor_ = 1;
}

template class Stochastic<float>;
template class Stochastic<double>;

}  // namespace riata
