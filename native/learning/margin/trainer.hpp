// Max-margin learning over a corpus: the weights, a solver of the problem, and a certificate of how good the weights are.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "core/poll.hpp"
#include "inference/model.hpp"
#include "learning/margin/marginals.hpp"
#include "learning/margin/solver.hpp"

namespace riata {

// What is known of a point: the objective, which is minimised, and a lower bound of its minimum (NaN: unknown).
struct Certificate {
  double primal, dual;
};

template <class Real>
class MarginTrainer {
 public:
  // The weights of the initial model must be 0. c: times the weights of sentences, the caps of solvers.
  MarginTrainer(const Model<Real>& initial, std::unique_ptr<MarginSolver<Real>> solver, ChosenLoss loss, bool scales_slack, double c);

  // The data of all passes. The spans, [sentences] and [labels], may be empty.
  struct Data {
    Corpus corpus;
    std::span<const double> sentence_weights, class_weights;
  };

  // One pass over the sentences in the given order; all sentences must be in it.
  typename MarginSolver<Real>::Pass epoch(const Data& data, std::span<const std::int64_t> order, const Poll& poll);
  // The objective and the dual objective at the last weights, or at their average; takes a pass.
  Certificate certify(const Data& data, bool average, const Poll& poll);
  // The dual objective at the last weights, which does not take a pass.
  double dual() const { return solver_->dual_offset(false) - weights_.squared_length() / 2; }

  // Goes on with another C.
  void set_c(double c);

  std::unique_ptr<Model<Real>> averaged() const { return made(weights_.average()); }
  std::unique_ptr<Model<Real>> last() const { return made(weights_.last()); }
  const MarginSolver<Real>& solver() const noexcept { return *solver_; }

 private:
  std::vector<double> caps(const Data& data) const;
  std::unique_ptr<Model<Real>> made(Numbers<Real> flat) const;

  std::unique_ptr<Model<Real>> model_;
  std::unique_ptr<MarginSolver<Real>> solver_;
  ChosenLoss loss_;
  bool scales_slack_;
  double c_;
  Vector<Real> weights_;
  Marginals<Real> marginals_;  // for solvers that ask for sums
};

extern template class MarginTrainer<float>;
extern template class MarginTrainer<double>;

}  // namespace riata
