// Solvers of max-margin problems that ask for sums over all outputs, instead of the output that violates its margin most.
#pragma once

#include <cstdint>
#include <functional>
#include <span>

#include "learning/margin/marginals.hpp"
#include "learning/margin/solver.hpp"

namespace riata {

template <class Real>
class SumsSolver : public MarginSolver<Real> {
 public:
  using typename MarginSolver<Real>::Pass;

  Pass pass(Hinge<Real>&, Vector<Real>&, std::span<const std::int64_t>, std::span<const double>, const std::function<void()>&) final {
    throw Error("RiataError", "this solver asks for sums over all outputs");
  }
  // As MarginSolver::pass. marginals: begun.
  virtual Pass pass(Marginals<Real>& marginals, Vector<Real>& weights, std::span<const std::int64_t> order, std::span<const double> caps,
                    const std::function<void()>& tell) = 0;
};

}  // namespace riata
