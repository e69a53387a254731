// The log loss: -log P of the truth, which a conditional random field minimises (Lafferty et al. 2001).
#include "losses/output_loss.hpp"

namespace riata {
namespace {

const RegisteredLoss log_loss({"log", [](double log_p) { return OutputLoss::At{-log_p, 1}; }, true});

}  // namespace
}  // namespace riata
