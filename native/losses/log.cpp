// The log loss: -log P of the truth, which a conditional random field minimises (Lafferty et al. 2001); and of each label by itself
// (Kakade, Teh & Roweis 2002).
#include "losses/output_loss.hpp"

namespace riata {
namespace {

OutputLoss::At minus_log(double log_p) { return {-log_p, 1}; }

const RegisteredLoss of_output({.name = "log", .at = minus_log, .linear = true});
const RegisteredLoss of_labels({.name = "pointwise-log", .at = minus_log, .pointwise = true});

}  // namespace
}  // namespace riata
