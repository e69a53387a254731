// The hinge loss of sentences on any structure: the output that violates its margin most, as a plane below the loss.
#pragma once

#include <algorithm>
#include <cstdint>
#include <span>
#include <vector>

#include "inference/structure.hpp"
#include "learning/chosen_loss.hpp"
#include "models/difference.hpp"

namespace riata {

// With margins scaled by the loss (Taskar, Guestrin & Koller 2003), H(w) is the largest loss(y) - w.d(y) over all outputs y, where d(y) are
// the features of the truth minus those of y. With slacks scaled by the loss (Tsochantaridis et al. 2005), it is the largest
// loss(y) (1 - w.d(y)). Both are at least 0, since the truth is an output too. The output that is found gives a plane, offset - w.slope,
// which touches H at the present weights and is below H everywhere. Solvers see planes only.
// Sentences whose truth the structure cannot give have no hinge loss, and are left out.
template <class Real>
class Hinge {
 public:
  Hinge(ChosenLoss loss, bool scales_slack) : loss_(std::move(loss)), scales_slack_(scales_slack) {}

  // Weights and structure must outlive the questions.
  void begin(Structure<Real>& structure, const Vector<Real>& weights) {
    structure_ = &structure;
    weights_ = &weights;
    loss_.begin(structure);
  }
  const Structure<Real>& structure() const noexcept { return *structure_; }

  // Finds the plane of a sentence, which must have a token, and returns H. The plane of the truth is 0 everywhere.
  double open(std::int64_t s) {
    slope_.clear();
    offset_ = 0;
    found_.resize(static_cast<std::size_t>(structure_->corpus().length(s)));
    structure_->open(s);
    const Codes truth = structure_->target();
    if (!std::ranges::equal(truth, structure_->corpus().gold_of(s))) return 0;
    if (!find(truth)) return 0;
    delta_.clear();
    structure_->difference(truth, found_, false, delta_);
    const double loss = loss_.above_target(*structure_, found_);
    if (scales_slack_) {
      for (auto& [place, value] : delta_) value *= loss;
    }
    slope_.add(delta_);
    const double hinge = loss - weights_->dot(slope_.entries());
    if (hinge <= 0) {  // the constraint forbids the truth, and it is still ahead of all others
      slope_.clear();
      return 0;
    }
    offset_ = loss;
    return hinge;
  }

  const SummedDifference& slope() const noexcept { return slope_; }
  double offset() const noexcept { return offset_; }
  // How many labels of tokens are wrong in the output found; -1 if unknown.
  std::int64_t wrong() const { return structure_->wrong(found_); }

 private:
  // Returns false if this is the truth.
  bool find(Codes truth) {
    if (scales_slack_) {
      structure_->best_by_slack(found_);
    } else if (loss_.is_zero_one()) {
      structure_->open_list(2);
      for (int n = 0; n < 2; ++n) {
        if (!structure_->next(found_)) return false;
        if (!std::ranges::equal(truth, found_)) return true;
      }
    } else {
      structure_->augment(1);
      structure_->best(found_);
    }
    return !std::ranges::equal(truth, found_);
  }

  ChosenLoss loss_;
  bool scales_slack_;
  Structure<Real>* structure_ = nullptr;
  const Vector<Real>* weights_ = nullptr;
  std::vector<std::int32_t> found_;
  Difference delta_;
  SummedDifference slope_;
  double offset_ = 0;
};

}  // namespace riata
