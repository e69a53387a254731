// A search space for one input: states, operators, a goal test and, during learning, the regret of a state.
#pragma once

#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "inference/search/node.hpp"

namespace riata {

// Features of one step: (place in the weight vector, value).
using StepFeatures = std::vector<std::pair<std::int64_t, double>>;

class Space {
 public:
  virtual ~Space() = default;

  virtual StateId initial() = 0;
  virtual bool is_goal(StateId state) = 0;

  // Appends the candidates of all operators of all nodes, with the score, key and heuristic of the node that each would become. One call
  // handles a whole level of a beam. During learning, regret and y-goodness are filled in at least for the children of y-good nodes. A
  // space may leave out candidates that rank behind another candidate of equal key, instead of leaving that to merges(), and candidates
  // that rank behind ranking.width others. At equal ranks, the order of insertion decides.
  virtual void expand(const Tree& tree, std::span<const NodeId> frontier, const Ranking& ranking, bool learning,
                      std::vector<Candidate>& out) = 0;

  // The state that an operator leads to.
  virtual StateId apply(StateId state, ActionId action) = 0;

  // The least loss that any completion of a state can still reach.
  virtual double initial_regret() = 0;
  virtual double regret(const Tree& tree, NodeId node) = 0;

  // Whether the engine must merge candidates of equal key, whose states have the same continuations; the better one is kept. False if the
  // queue asks for no merging.
  virtual bool merges() const = 0;

  // The key of a node; called only if candidates are merged.
  virtual std::int64_t key(const Tree&, NodeId) { return -1; }
  // Whether keys are defined: the engine or the space itself merges states.
  virtual bool keyed() const { return merges(); }

  // How much of the input a state covers, for beams that compare prefixes.
  virtual std::int32_t covered(const Tree& tree, NodeId node) const { return tree[node].depth; }

  // The score of the step that led to a node, under the present weights.
  virtual double step_score(const Tree& tree, NodeId node) = 0;

  // Appends the features of the step that led to a node.
  virtual void features(const Tree& tree, NodeId node, StepFeatures& out) = 0;

  // Steps of equal identity have the same features; -1: unknown.
  virtual std::int64_t step_identity(const Tree&, NodeId) { return -1; }

  // While true, the engine lists siblings or children for a learner: the space must list every operator and must not remember anything.
  virtual void looking_aside(bool) {}

  // Called when the weights have changed and the search starts again: anything computed from them is invalid.
  virtual void weights_changed() = 0;
};

}  // namespace riata
