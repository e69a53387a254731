// A search space for one input: states, operators, a goal test and, while learning, the regret of a state.
#pragma once

#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "inference/search/node.hpp"

namespace riata {

// Features of one step, as (number in the weight vector, value).
using StepFeatures = std::vector<std::pair<std::int64_t, double>>;

class Space {
 public:
  virtual ~Space() = default;

  virtual StateId initial() = 0;
  virtual bool is_goal(StateId state) = 0;

  // Appends every operator of every node, with the score, key and heuristic of the node it would become. One call serves
  // a whole level of a beam. While learning, regret and y-goodness are filled in for the children of y-good nodes.
  // A space may leave out candidates that the ranking puts behind another one of equal key, instead of leaving that to
  // `merges`, and candidates that `ranking.width` others come before. Among equals, order of insertion decides.
  virtual void expand(const Tree& tree, std::span<const NodeId> frontier, const Ranking& ranking, bool learning,
                      std::vector<Candidate>& out) = 0;

  // The state that an operator leads to.
  virtual StateId apply(StateId state, ActionId action) = 0;

  // The least loss that any completion can still reach.
  virtual double initial_regret() = 0;
  virtual double regret(const Tree& tree, NodeId node) = 0;

  // Whether candidates of equal key are still to be merged: their states go on alike, and the better one is kept.
  virtual bool merges() const = 0;

  // The key of a node; asked only where candidates are to be merged.
  virtual std::int64_t key(const Tree&, NodeId) { return -1; }
  // Whether keys mean anything: merged here, or by the space itself.
  virtual bool keyed() const { return merges(); }

  // How far into the input a state reaches, for beams that compare equal prefixes.
  virtual std::int32_t covered(const Tree& tree, NodeId node) const { return tree[node].depth; }

  // The score of the step that led to a node, under the present weights.
  virtual double step_score(const Tree& tree, NodeId node) = 0;

  // Appends the features of the step that led to a node.
  virtual void features(const Tree& tree, NodeId node, StepFeatures& out) = 0;

  // Steps of equal identity have the same features; -1: nothing is known of that.
  virtual std::int64_t step_identity(const Tree&, NodeId) { return -1; }

  // While true, the engine looks aside, for siblings or children: every operator is to be listed, and nothing remembered.
  virtual void looking_aside(bool) {}

  // The weights have changed, and the search starts again: whatever was computed from them is stale.
  virtual void weights_changed() = 0;
};

}  // namespace riata
