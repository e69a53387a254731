// Learning from whole outputs that exact search finds: a step away from the best output, or from all outputs.
#pragma once

#include <cmath>
#include <cstdint>
#include <utility>
#include <vector>

#include "inference/structure.hpp"
#include "learning/step.hpp"

namespace riata {

// If the best output is wrong, or within the margin of ALMA, makes one step away from it, or from all outputs weighted by their
// probabilities (`from_all`; Daumé & Marcu 2005, Sec. 4.1). The margin is subtracted from the truth once, as in the paper, not once per
// part.
template <class Real>
class OutputStep {
 public:
  OutputStep(bool from_all, Stepper<Real>& stepper) : from_all_(from_all), stepper_(stepper) {}

  void begin(Structure<Real>& structure) noexcept { structure_ = &structure; }

  void visit(std::int64_t s) {
    std::vector<std::int32_t> away(static_cast<std::size_t>(structure_->corpus().length(s)));
    structure_->open(s);
    if (!structure_->rival(stepper_.margin(), away)) return;
    const Codes truth = structure_->target();
    Difference delta;
    structure_->difference(truth, away, false, delta);
    sum_up(delta);
    if (from_all_) delta = to_truth_from_all(stepper_.pace(stepper_.weights().length(delta)));
    double cost = 0;
    if (stepper_.spec().how == How::mira)
      cost = (from_all_ ? structure_->expected_loss() : structure_->loss(away)) - structure_->least_loss();
    stepper_.step(delta, cost);
  }

 private:
  static constexpr double least = 1e-6;  // features with smaller expectations are ignored

  // Scores are measured in steps of the learner: the weights of ALMA stay in the unit ball, so with plain scores all outputs would be about
  // equally likely.
  Difference to_truth_from_all(double pace) {
    Difference delta;
    structure_->features(structure_->target(), delta);
    structure_->sums(1 / pace);
    structure_->take_expected(delta);
    sum_up(delta);
    std::erase_if(delta, [](const auto& entry) { return std::abs(entry.second) < least; });
    return delta;
  }

  bool from_all_;
  Stepper<Real>& stepper_;
  Structure<Real>* structure_ = nullptr;
};

}  // namespace riata
