// The loss of one sentence under the potentials of any structure: of its whole output, or of its labels one by one.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <memory>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "core/error.hpp"
#include "inference/potentials.hpp"
#include "losses/output_loss.hpp"

namespace riata {

// What one visit found. All numbers but `highest` are divided by e^scale.
struct VisitedLoss {
  double value = 0;
  double times = 0;                                           // factor of the parts of the truth that are not counted beforehand
  double highest = -std::numeric_limits<double>::infinity();  // the largest -log P
};

// Visits sentences of the present batch, and adds their gradients to its tables if they are asked for. Every thread has its own object.
class SentenceLoss {
 public:
  // potentials and weights ([sentences]) must outlive the object. scale: of exponential losses, whose numbers are divided by e^scale.
  // takes: whether gradients are added.
  SentenceLoss(Potentials& potentials, std::span<const double> weights, const OutputLoss& loss, double scale, bool takes)
      : potentials_(potentials), weights_(weights), loss_(loss), scale_(scale), takes_(takes) {}
  virtual ~SentenceLoss() = default;

  // Returns nothing if factors underflow or overflow; then the caller must use logarithms.
  virtual std::optional<VisitedLoss> visit(std::int64_t s) = 0;
  virtual VisitedLoss visit_in_logarithms(std::int64_t s) = 0;

 protected:
  double weight(std::int64_t s) const noexcept { return weights_[static_cast<std::size_t>(s)]; }

  // Adds the loss of one probability, and returns the factor of its gradient.
  double add(double weight, double log_p, VisitedLoss& to) const {
    if (weight == 0) return 0;
    const OutputLoss::At at = loss_.at(log_p);
    const double size = loss_.exponential ? weight * std::exp(-log_p - scale_) : weight;
    to.highest = std::max(to.highest, -log_p);
    to.value += size * at.value;
    return size * at.times;
  }

  Potentials& potentials_;
  std::span<const double> weights_;
  const OutputLoss& loss_;
  double scale_;
  bool takes_;
};

class WholeLoss final : public SentenceLoss {
 public:
  using SentenceLoss::SentenceLoss;

  std::optional<VisitedLoss> visit(std::int64_t s) override {
    const std::optional<double> log_p = visitor_->open(s);
    if (!log_p) return std::nullopt;
    const VisitedLoss found = loss_of(s, *log_p);
    if (takes_) visitor_->take(found.times);
    return found;
  }
  VisitedLoss visit_in_logarithms(std::int64_t s) override {
    const VisitedLoss found = loss_of(s, visitor_->open_in_logarithms(s));
    if (takes_) visitor_->take_in_logarithms(found.times);
    return found;
  }

 private:
  // log_p does not include the score of the parts of the truth that are counted beforehand.
  VisitedLoss loss_of(std::int64_t s, double log_p) const {
    VisitedLoss found;
    found.times = add(weight(s), loss_.linear ? log_p : log_p + potentials_.shared_score(s), found);
    return found;
  }

  std::unique_ptr<Visitor> visitor_ = potentials_.visitor();
};

class LabelsLoss final : public SentenceLoss {
 public:
  LabelsLoss(Potentials& potentials, std::span<const double> weights, const OutputLoss& loss, double scale, bool takes)
      : SentenceLoss(potentials, weights, loss, scale, takes), visitor_(potentials.label_visitor()) {
    if (!visitor_) throw Error("UnsupportedError", "losses of single labels need potentials that were made for them.");
  }

  std::optional<VisitedLoss> visit(std::int64_t s) override {
    const auto log_p = visitor_->open(s);
    if (!log_p) return std::nullopt;
    const VisitedLoss found = loss_of(s, *log_p);
    if (takes_) visitor_->take(times_);
    return found;
  }
  VisitedLoss visit_in_logarithms(std::int64_t s) override {
    const VisitedLoss found = loss_of(s, visitor_->open_in_logarithms(s));
    if (takes_) visitor_->take_in_logarithms(times_);
    return found;
  }

 private:
  VisitedLoss loss_of(std::int64_t s, std::span<const double> log_p) {
    VisitedLoss found;
    times_.clear();
    for (const double one : log_p) times_.push_back(add(weight(s), one, found));
    return found;
  }

  std::unique_ptr<LabelVisitor> visitor_;
  std::vector<double> times_;  // [tokens] of the open sentence
};

inline std::unique_ptr<SentenceLoss> sentence_loss(Potentials& potentials, std::span<const double> weights, const OutputLoss& loss,
                                                   double scale, bool takes) {
  if (loss.pointwise) return std::make_unique<LabelsLoss>(potentials, weights, loss, scale, takes);
  return std::make_unique<WholeLoss>(potentials, weights, loss, scale, takes);
}

}  // namespace riata
