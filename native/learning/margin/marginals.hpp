// Distributions over the outputs of sentences whose logarithms are sums of losses and scores: what solvers ask that need all outputs.
#pragma once

#include <algorithm>
#include <cstdint>
#include <memory>
#include <span>
#include <utility>

#include "core/error.hpp"
#include "inference/model.hpp"
#include "learning/chosen_loss.hpp"
#include "models/difference.hpp"

namespace riata {

// An output y has a probability proportional to exp(times * loss(y) + v.features(y)). The vector v is `scores`, a vector beside the weights
// that are learnt, with the same places. The expected plane, a mean of planes by probability, is a point of the dual problem.
template <class Real>
class Marginals {
 public:
  explicit Marginals(ChosenLoss loss) : loss_(std::move(loss)), scores_({}, 2, Vector<Real>::Keeps::average) {}

  // Model and corpus must outlive the questions. weights: those that are learnt; they grow with the features that are found.
  void begin(Model<Real>& model, const Corpus& corpus, std::span<const double> class_weights, Vector<Real>& weights) {
    if (!loss_.adds_up())
      throw Error("UnsupportedError", "this solver needs a loss that adds up over parts.", "Use solver=frank-wolfe, or another loss.");
    weights_ = &weights;
    model.grow(corpus, scores_);
    structure_ = model.over(corpus, scores_, true);
    structure_->weigh_classes(class_weights);
    structure_->count_improbable();
    loss_.begin(*structure_);
  }
  void end() { structure_.reset(); }
  const Corpus& corpus() const noexcept { return structure_->corpus(); }

  // v, at one place. The places from before a call of open() must exist; `changed` follows the last change before it.
  void set(std::int64_t place, double value) noexcept { scores_.set(static_cast<std::size_t>(place), static_cast<Real>(value)); }
  void changed() noexcept { scores_.changed(); }
  std::size_t size() const noexcept { return scores_.size(); }

  // Finds the expected plane of a sentence, which must have a token. Returns false if the structure cannot give the truth.
  bool open(std::int64_t s, double times) {
    scores_.grow(weights_->size());
    slope_.clear();
    structure_->open(s);
    const Codes truth = structure_->target();
    if (!std::ranges::equal(truth, structure_->corpus().gold_of(s))) return false;
    delta_.clear();
    structure_->features(truth, delta_);
    const double of_truth = scores_.dot(delta_);
    if (times != 0) structure_->augment(times);
    log_ratio_ = structure_->sums(1) - of_truth;
    structure_->take_expected(delta_);
    slope_.add(delta_);
    offset_ = structure_->expected_loss();
    weights_->grow(scores_.size());
    return true;
  }

  const SummedDifference& slope() const noexcept { return slope_; }
  double offset() const noexcept { return offset_; }
  // log Z minus v.features(truth).
  double log_ratio() const noexcept { return log_ratio_; }

 private:
  ChosenLoss loss_;
  Vector<Real> scores_;
  Vector<Real>* weights_ = nullptr;
  std::unique_ptr<Structure<Real>> structure_;
  Difference delta_;
  SummedDifference slope_;
  double offset_ = 0, log_ratio_ = 0;
};

}  // namespace riata
