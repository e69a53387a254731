// Solvers of max-margin problems, by name: passes over sentences that lower 1/2 |w|^2 + sum of caps * hinge losses.
#pragma once

#include <cstdint>
#include <functional>
#include <limits>
#include <span>

#include "core/registry.hpp"
#include "core/settings.hpp"
#include "learning/margin/hinge.hpp"
#include "models/vector.hpp"

namespace riata {

// One convention for all solvers: the objective is P(w) = 1/2 |w|^2 + sum over sentences of cap * H(w), where the cap of a sentence is C
// times its weight. With n sentences of weight 1 this is C n times lambda/2 |w|^2 + 1/n sum H, where lambda = 1 / (C n).
template <class Real>
class MarginSolver {
 public:
  virtual ~MarginSolver() = default;

  struct Pass {
    std::int64_t updates = 0;  // sentences that changed the weights, or will
    // The objective at the weights from before the pass, if the weights did not change within the pass; otherwise NaN.
    double primal = std::numeric_limits<double>::quiet_NaN();
    double gap = std::numeric_limits<double>::quiet_NaN();  // an estimate of primal minus dual, if there is one
    bool finished = false;                                  // whether another pass would change nothing
  };

  // One pass over the sentences in the given order. The weights start from 0 and are changed by the solver alone. hinge: begun with a
  // structure over these weights. caps: [sentences]. tell: called after every sentence.
  virtual Pass pass(Hinge<Real>& hinge, Vector<Real>& weights, std::span<const std::int64_t> order, std::span<const double> caps,
                    const std::function<void()>& tell) = 0;

  // The sum of offsets that belongs to the present weights, or to their average: the dual objective is this minus 1/2 |w|^2. NaN if the
  // solver does not know a point of the dual problem.
  virtual double dual_offset(bool) const { return std::numeric_limits<double>::quiet_NaN(); }

  // Multiplies all caps by a number. Solvers that cannot go on from there refuse.
  virtual void rescale(double, Vector<Real>&) { throw Error("UnsupportedError", "this solver cannot go on with another C."); }

  // How many numbers are stored beside the weights.
  virtual std::int64_t stored() const { return 0; }
};

template <class Real>
using MarginSolvers = Registry<MarginSolver<Real>, const Settings&>;

// Registers the solver of a file under the name that recipes use.
#define RIATA_MARGIN_SOLVER(name, Class)                                                                                                   \
  namespace {                                                                                                                              \
  const MarginSolvers<float>::Entry single_entry(name, [](const Settings& settings) { return std::make_unique<Class<float>>(settings); }); \
  const MarginSolvers<double>::Entry double_entry(name,                                                                                    \
                                                  [](const Settings& settings) { return std::make_unique<Class<double>>(settings); });     \
  }

}  // namespace riata
