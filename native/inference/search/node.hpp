// Nodes of a search: what the queue contains, and the tree of all nodes, which leads back to the start.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <vector>

#include "core/id.hpp"

namespace riata {

struct NodeKind;
struct StateKind;
using NodeId = Id<NodeKind>;    // a node of the tree of a search
using StateId = Id<StateKind>;  // a state of a space; the space decides how states are numbered
using ActionId = std::int32_t;  // an operator; the space decides what its number means, mostly a label or a code

// A possible step: an operator applied to a node. It is not a node yet.
struct Candidate {
  double score;      // g of the node that it would become
  double heuristic;  // h of the node that it would become
  std::int64_t key;  // states of equal key are merged if the space merges
  double regret;     // filled in for children of y-good nodes
  NodeId parent;
  ActionId action;
  bool good;  // y-good: its regret equals that of the initial state
};

struct Node {
  double score = 0;      // g = w . features of the path
  double heuristic = 0;  // h
  double regret = 0;
  NodeId parent;         // none for the initial node
  ActionId action = -1;  // the operator that led here
  StateId state;
  std::int32_t depth = 0;  // number of operations so far
  bool goal = false;
  bool good = false;  // y-good; always false during decoding
};

// The order of nodes: by score; at equal scores during learning, y-good nodes come last; then by age. Scores that differ only by rounding
// count as equal: a few rounding errors are subtracted from y-good nodes.
struct Ranking {
  static constexpr double roundings = 8 * std::numeric_limits<double>::epsilon();
  static constexpr double last = 1e30;                            // a margin that puts y-good nodes behind all others, in any precision
  double margin = 0;                                              // subtracted from y-good nodes during learning (ALMA)
  std::int64_t width = std::numeric_limits<std::int64_t>::max();  // how many candidates of one expansion can survive

  template <class N>  // Node or Candidate
  double rank(const N& node) const noexcept {
    const double sum = node.score + node.heuristic;
    return node.good ? sum - margin - roundings * std::max(1.0, std::abs(sum)) : sum;
  }

  // Whether a comes before b. At a complete tie, the one that was inserted first does; the caller must know which.
  template <class N>
  bool beats(const N& a, const N& b) const noexcept {
    const double x = rank(a), y = rank(b);
    return x != y ? x > y : !a.good && b.good;
  }
};

// The tree of one search. Ids are in order of insertion, which decides ties.
class Tree {
 public:
  NodeId add(const Node& node) {
    nodes_.push_back(node);
    return NodeId(nodes_.size() - 1);
  }
  const Node& operator[](NodeId id) const noexcept { return nodes_[id.place()]; }
  Node& operator[](NodeId id) noexcept { return nodes_[id.place()]; }
  std::int32_t size() const noexcept { return static_cast<std::int32_t>(nodes_.size()); }
  void clear() noexcept { nodes_.clear(); }

  // The actions from the start to a node.
  std::vector<ActionId> path(NodeId id) const {
    std::vector<ActionId> actions;
    for (; (*this)[id].parent; id = (*this)[id].parent) actions.push_back((*this)[id].action);
    return {actions.rbegin(), actions.rend()};
  }

 private:
  std::vector<Node> nodes_;
};

}  // namespace riata
