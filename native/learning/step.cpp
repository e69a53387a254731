#include "learning/step.hpp"

#include <cmath>

namespace riata {

StepSpec StepSpec::of(const Settings& settings) {
  StepSpec spec;
  spec.how = settings.choice<How>(
      "step", {{"perceptron", How::perceptron}, {"alma", How::alma}, {"mira", How::mira}, {"subgradient", How::subgradient}});
  spec.alpha = settings.number("alpha");
  spec.b = settings.number("B");
  spec.c = settings.number("C");
  spec.p = settings.number("p");
  spec.normalised = settings.choice<bool>("threshold", {{"plain", false}, {"normalised", true}});
  spec.record = settings.flag("record");
  return spec;
}

// Daumé & Marcu 2005, Sec. 3.4: (1 - alpha) B / sqrt(k) is subtracted from y-good nodes; in a p-norm, sqrt(p - 1) times that.
template <class Real>
double Stepper<Real>::margin() const noexcept {
  if (spec_.how != How::alma) return 0;
  const double b = spec_.b > 0 ? spec_.b : 1 / spec_.alpha;
  return (1 - spec_.alpha) * b * std::sqrt(spec_.p - 1) / std::sqrt(generation_);
}

template <class Real>
bool Stepper<Real>::violates(const Difference& delta) const {
  const double length = weights_->length(delta);
  return weights_->dot(delta) <= threshold(length) + rounding(length);
}

template <class Real>
void Stepper<Real>::step(const Difference& delta, double cost) {
  if (weight_ == 0 || delta.empty() || (augments() && updated_)) return;
  const double length = weights_->length(delta);
  const double size = size_of(delta, length, cost);
  if (size <= 0) return;  // MIRA and subgradient: the margin is large enough already
  updated_ = true;
  ++stats_.updates;
  stats_.largest_difference = std::max(stats_.largest_difference, length);
  if (weights_->dot(delta) > threshold(length) + rounding(length)) ++stats_.non_violating;
  if (spec_.record) recorded_.push_back(delta);
  if (augments()) return pegasos_.step(*weights_, &delta, size, examples_);
  weights_->add(delta, size);
  if (spec_.how == How::alma) {
    weights_->project();
    generation_ += 1;
  }
}

template <class Real>
void Stepper<Real>::end() {
  if (!augments()) return weights_->tick();
  if (!updated_) pegasos_.step(*weights_, nullptr, 0, examples_);  // steps along differences have ticked
}

// The search compares scores that are rounded to Real. Scores that differ by no more than the rounding are a tie, which counts against the
// truth.
template <class Real>
double Stepper<Real>::rounding(double length) const noexcept {
  return std::max(cancelled, double(std::numeric_limits<Real>::epsilon()) * weights_->norm() * length);
}

template <class Real>
double Stepper<Real>::pace(double length) const noexcept {
  if (spec_.how != How::alma) return 1;
  return (spec_.c > 0 ? spec_.c : std::sqrt(2.0)) / std::sqrt((spec_.p - 1) * generation_) / std::max(1.0, length);
}

template <class Real>
double Stepper<Real>::size_of(const Difference& delta, double length, double cost) const {
  switch (spec_.how) {
    case How::perceptron:  // Eq. 2
      return weight_;
    case How::alma:  // Eq. 3: w <- proj(w + C / sqrt(k) proj(delta)); Gentile 2001 for other norms
      return weight_ * pace(length);
    case How::mira: {  // the smallest step that makes the margin equal to the cost; at most C
      const double shortfall = cost - weights_->dot(delta);
      const double most = weight_ * (spec_.c > 0 ? spec_.c : 1.0);
      return shortfall > cancelled ? std::min(most, shortfall / (length * length)) : 0;
    }
    case How::subgradient:  // C times the weight of the example, where the hinge loss is above 0
      return cost - weights_->dot(delta) > cancelled ? weight_ * spec_.c : 0;
  }
  return 0;
}

template <class Real>
LeastMargins Stepper<Real>::recorded_margins() const {
  LeastMargins least;
  for (const Difference& delta : recorded_) least.take(weights_->dot(delta), weights_->length(delta));
  return least;
}

template class Stepper<float>;
template class Stepper<double>;

}  // namespace riata
