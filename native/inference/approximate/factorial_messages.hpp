// Approximate sums over all outputs of several columns of labels: loopy belief propagation and tree reparameterisation.
#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "inference/exact/factorial_scores.hpp"

namespace riata {

// How sums over all outputs are computed. loopy: all messages at once, from those of the round before (Pearl 1988; Murphy, Weiss & Jordan
// 1999). trp: one spanning tree after the other is calibrated (Wainwright, Jaakkola & Willsky 2003), the schedule that Sutton,
// Rohanimanesh & McCallum (2004) train with: for each column in turn, its chain with all that hangs on it.
enum class SumsBy : std::int32_t { exact, loopy, trp };
SumsBy sums_by(const std::string& name);

// Messages between the labels of neighbouring tokens and columns, in double precision. Where the graph is a tree (one token, or no factors
// between columns), the results are exact.
// Differs: reparameterisation is expressed by messages, to which it is equivalent (Wainwright et al. 2003, Sec. III).
class FactorialMessages {
 public:
  FactorialMessages(const FactorialShape& shape, SumsBy how);

  // The scores must not change until `add` has been called. Returns Bethe's approximation of log Z; NaN if the messages vanish.
  template <class Real>
  double operator()(const FactorialScores<Real>& scores);
  // Adds `times` times all approximate posteriors to tables.
  template <class Real>
  void add(const FactorialTables<Real>& to, double times) const;

  bool converged() const noexcept { return converged_; }  // whether the last call did
  std::int32_t rounds() const noexcept { return rounds_; }

  static constexpr std::int32_t most_rounds = 200;
  static constexpr double tolerance = 1e-9;  // largest change of a message, which sums to 1, in the last round

 private:
  // A factor at a token, which joins two variables. A variable is a column at a token, numbered token x columns + column.
  struct Edge {
    FactorId factor;
    std::int32_t token, left, right;
    std::vector<double> table;                  // [left labels][right labels] factors, at most 1
    std::vector<double> to_left, to_right;      // messages, each with the sum 1
    std::vector<double> next_left, next_right;  // messages of the present round
  };
  // A message along an edge: to its right variable, or to its left.
  struct Step {
    std::int32_t edge;
    bool to_right;
  };

  std::int32_t labels(std::int32_t variable) const noexcept { return shape_.labels(ColumnId(variable % shape_.columns())); }
  void make_trees();
  void make_tree(std::int32_t column);
  double pass(const Step& step, bool at_once);
  std::vector<double> without(std::int32_t variable, std::int32_t edge) const;
  std::vector<double> belief(std::int32_t variable) const;
  std::vector<double> pair_belief(std::int32_t edge) const;
  double bethe() const;
  void run();

  const FactorialShape& shape_;
  SumsBy how_;
  std::int32_t length_ = 0, rounds_ = 0;
  bool converged_ = true;
  double shift_ = 0;                      // the sum of all that was subtracted from scores
  std::vector<std::vector<double>> own_;  // [variables][labels] factors of labels, at most 1
  std::vector<Edge> edges_;
  std::vector<std::vector<std::int32_t>> around_;  // [variables] edges of each
  std::vector<std::vector<Step>> trees_;           // messages of each spanning tree, in order: to its root, and back
};

}  // namespace riata
