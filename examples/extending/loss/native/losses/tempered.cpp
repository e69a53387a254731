// A tempered log loss: (1 - P^q) / q, which is -log P for q = 0. It is bounded, so that a sentence that cannot be learnt counts for little.
#include <cmath>

#include "losses/output_loss.hpp"

namespace riata {
namespace {

OutputLoss::At tempered(double log_p) {
  constexpr double q = 0.1;
  const double power = std::exp(q * log_p);
  return {(1 - power) / q, power};
}

const RegisteredLoss entered({"tempered", tempered});

}  // namespace
}  // namespace riata
