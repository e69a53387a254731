// The exponential loss (Altun, Johnson & Hofmann 2003): 1 / P - 1 of the truth, or of each label by itself.
// Differs: the paper has 1 / P for single labels, which adds 1 for every label and moves no minimum.
#include <cmath>

#include "losses/output_loss.hpp"

namespace riata {
namespace {

// Value and minus the slope, times P; 1 - P without cancellation where P is near 1.
OutputLoss::At above_one(double log_p) { return {-std::expm1(log_p), 1}; }

const RegisteredLoss of_output({.name = "exp", .at = above_one, .exponential = true});
const RegisteredLoss of_labels({.name = "pointwise-exp", .at = above_one, .exponential = true, .pointwise = true});

}  // namespace
}  // namespace riata
