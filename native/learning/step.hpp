// The size of an update: steps of the perceptron, of ALMA, of MIRA and of subgradients along a difference of features.
#pragma once

#include <algorithm>
#include <cstdint>
#include <limits>
#include <vector>

#include "core/settings.hpp"
#include "learning/pegasos.hpp"
#include "models/difference.hpp"
#include "models/vector.hpp"

namespace riata {

enum class How { perceptron, alma, mira, subgradient };

struct StepSpec {
  How how = How::perceptron;
  double alpha = 0.9;       // ALMA: 1 asks for no margin, values near 0 for the largest (the paper's text has this the wrong way round)
  double b = 0;             // ALMA: B; 0 means 1 / alpha
  double c = 0;             // ALMA: C (0 means sqrt 2); MIRA: the largest step (0 means 1); subgradient: the weight of hinge losses
  double p = 2;             // ALMA: the norm in which differences of features are measured
  bool normalised = false;  // ALMA: whether the truth must be ahead by the margin times max(1, |delta|), the length of the difference
  bool record = false;      // whether the difference of every update is kept

  static StepSpec of(const Settings& settings);
};

// Counts and measures over a whole training.
struct StepStats {
  std::int64_t updates = 0;
  std::int64_t non_violating = 0;  // updates whose difference already scored above zero (and above the margin)
  double largest_difference = 0;   // R: the largest |delta|_p
};

// The least w . delta, and the least w . delta / max(1, |delta|), over several differences.
struct LeastMargins {
  double raw = std::numeric_limits<double>::infinity();
  double normalised = std::numeric_limits<double>::infinity();

  // ahead = w . delta, length = |delta|
  void take(double ahead, double length) noexcept {
    raw = std::min(raw, ahead);
    normalised = std::min(normalised, ahead / std::max(1.0, length));
  }
};

template <class Real>
class Stepper {
 public:
  // The weights must have the norm p of the spec, and must outlive the stepper.
  Stepper(const StepSpec& spec, Vector<Real>& weights) : spec_(spec), weights_(&weights) {}
  // Without weights: set_weights must be called before the first step.
  explicit Stepper(const StepSpec& spec) : spec_(spec) {}
  void set_weights(Vector<Real>& weights) noexcept { weights_ = &weights; }

  // Must be called before every pass. examples: how many there are in all.
  void begin_pass(std::int64_t examples) noexcept { examples_ = static_cast<double>(examples); }
  // Must be called before every example. Its weight multiplies the steps of perceptron, ALMA and subgradient, and the largest step of MIRA.
  void begin(double weight) noexcept {
    updated_ = false;
    weight_ = weight;
  }

  // By how much the truth must be ahead (ALMA; 0 for others), of differences of length 1 and less.
  double margin() const noexcept;
  // Whether the truth is ahead by less than the margin of this difference.
  bool violates(const Difference& delta) const;
  // Makes one step along a difference. cost: of the competitors; only MIRA and subgradient use it. Of subgradient steps, an example makes
  // one.
  void step(const Difference& delta, double cost);
  // Must be called after every example of training: counts the weights in their average.
  void end();
  // The size of a step along a difference of this length. 1 for MIRA and subgradient, whose steps depend on more than the length.
  double pace(double length) const noexcept;

  const StepSpec& spec() const noexcept { return spec_; }
  // Whether the cost of competitors counts, above that of the truth, and the search looks for the best sum of score and loss.
  bool augments() const noexcept { return spec_.how == How::subgradient; }
  const Vector<Real>& weights() const noexcept { return *weights_; }
  bool ignores() const noexcept { return weight_ == 0; }  // whether the present example has weight 0
  bool updated() const noexcept { return updated_; }      // whether the present example caused a step
  const StepStats& stats() const noexcept { return stats_; }
  // The least margins of the present weights over the differences of all updates; only if `record` is set.
  LeastMargins recorded_margins() const;

 private:
  double rounding(double length) const noexcept;
  double threshold(double length) const noexcept { return margin() * (spec_.normalised ? std::max(1.0, length) : 1.0); }
  double size_of(const Difference& delta, double length, double cost) const;

  StepSpec spec_;
  Vector<Real>* weights_ = nullptr;
  StepStats stats_;
  std::vector<Difference> recorded_;
  double generation_ = 1;  // k of Eq. 3
  double weight_ = 1;      // of the present example
  bool updated_ = false;
  Pegasos pegasos_;
  double examples_ = 1;  // of a pass
};

extern template class Stepper<float>;
extern template class Stepper<double>;

}  // namespace riata
