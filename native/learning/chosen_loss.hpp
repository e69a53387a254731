// The loss that a learner asks for by name, on any structure.
#pragma once

#include <algorithm>
#include <string>
#include <vector>

#include "core/settings.hpp"
#include "inference/structure.hpp"

namespace riata {

// Losses that add up over the parts of an output are counted by the structure, which adds them to scores. Losses of whole outputs are
// counted here: search does not know them, so that they serve learners that list outputs.
class ChosenLoss {
 public:
  ChosenLoss() = default;
  // Settings without a loss: the structure's own.
  explicit ChosenLoss(const Settings& settings) {
    if (!settings.has("loss")) return;
    name_ = settings.word("loss");
    if (name_ == "cost-matrix") costs_ = settings.numbers("costs");
    static const std::vector<std::string> known{"auto", "hamming", "cost-matrix", "segments", "zero-one", "span"};
    if (std::ranges::find(known, name_) == known.end()) throw Error("SettingError", "setting 'loss' has the value '" + name_ + "'");
  }

  // Tells the structure what to count; once, before sentences are opened.
  template <class Real>
  void begin(Structure<Real>& structure) const {
    if (name_ == "hamming") structure.count_tokens();
    if (name_ == "cost-matrix") structure.cost_labels(costs_);
  }

  // Whether the structure can add the loss to scores.
  bool adds_up() const noexcept { return !is_zero_one() && name_ != "span"; }
  bool is_zero_one() const noexcept { return name_ == "zero-one"; }

  // By how much an output of the open sentence is worse than the target.
  template <class Real>
  double above_target(Structure<Real>& structure, Codes output) const {
    if (adds_up()) return structure.loss(output) - structure.least_loss();
    const Codes truth = structure.target();
    if (is_zero_one()) return std::equal(truth.begin(), truth.end(), output.begin()) ? 0 : 1;
    return std::max(0.0, structure.span_loss(output) - structure.span_loss(truth));
  }

 private:
  std::string name_ = "auto";
  std::vector<double> costs_;
};

}  // namespace riata
