// Nodes of a search: what the queue holds, and the tree that leads back to the start.
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
using StateId = Id<StateKind>;  // a state of a space, which numbers them as it likes
using ActionId = std::int32_t;  // an operator: what its number means is the space's, mostly a label or a code

// A step that could be taken: an operator applied to a node, not yet a node itself.
struct Candidate {
  double score;      // g of the node it would become
  double heuristic;  // h of the node it would become
  std::int64_t key;  // states of equal key are merged, where the space merges
  double regret;     // of it; known for children of y-good nodes
  NodeId parent;
  ActionId action;
  bool good;  // y-good: its regret equals the initial state's
};

struct Node {
  double score = 0;      // g = w . features of the path
  double heuristic = 0;  // h
  double regret = 0;
  NodeId parent;         // none for the initial node
  ActionId action = -1;  // that led here
  StateId state;
  std::int32_t depth = 0;  // operations so far
  bool goal = false;
  bool good = false;  // y-good (always false while decoding)
};

// The order of nodes: by score; at equal score against the truth, while learning; then by age. Sums that rounding alone tells apart are
// equal: a few roundings are taken off y-good nodes.
struct Ranking {
  static constexpr double roundings = 8 * std::numeric_limits<double>::epsilon();
  double margin = 0;                                              // taken off y-good nodes while learning (ALMA)
  std::int64_t width = std::numeric_limits<std::int64_t>::max();  // candidates of one expansion that can survive

  template <class N>  // Node or Candidate
  double rank(const N& node) const noexcept {
    const double sum = node.score + node.heuristic;
    return node.good ? sum - margin - roundings * std::max(1.0, std::abs(sum)) : sum;
  }

  // By how much a node is ahead of a y-good one; 0 is a tie.
  double violation(const Node& node, const Node& good) const noexcept {
    return (node.score + node.heuristic) - (good.score + good.heuristic - margin);
  }

  // Whether a comes before b; at a full tie the one inserted first does, which the caller knows.
  template <class N>
  bool beats(const N& a, const N& b) const noexcept {
    const double x = rank(a), y = rank(b);
    return x != y ? x > y : !a.good && b.good;
  }
};

// The tree of one search. Ids are in order of insertion, which is what ties fall back on.
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
