#include "inference/search/lattice.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <string>

#include "core/error.hpp"

namespace riata {

std::size_t Lattice::Hash::operator()(const Mark& mark) const noexcept {
  std::uint64_t mixed = static_cast<std::uint64_t>(mark.key) * 0x9e3779b97f4a7c15u;
  mixed ^= (static_cast<std::uint64_t>(static_cast<std::uint32_t>(mark.level)) << 32 | static_cast<std::uint32_t>(mark.state.number())) *
           0xc2b2ae3d27d4eb4fu;
  return static_cast<std::size_t>(mixed ^ mixed >> 29);
}

void Lattice::build(const Search& search) {
  const Tree& tree = search.tree();
  nodes_.clear();
  edges_.clear();
  for (const NodeId id : order_) nodes_.push_back(tree[id]);
  if (merges_)
    add_kept(tree);
  else
    add_tree(tree);
}

// Adds an edge from the parent of every node.
void Lattice::add_tree(const Tree& tree) {
  for (std::size_t i = 0; i < order_.size(); ++i) {
    const Node& node = nodes_[i];
    if (node.parent)
      edges_.push_back({places_.at(node.parent), static_cast<std::int32_t>(i), node.action, node.score - tree[node.parent].score});
  }
  std::stable_sort(edges_.begin(), edges_.end(), [](const Edge& a, const Edge& b) { return a.from < b.from; });
}

// Adds every operator that leads from a node to a state that was kept, whichever path it was kept with.
void Lattice::add_kept(const Tree& tree) {
  kept_.clear();
  for (std::size_t i = 0; i < order_.size(); ++i) {
    const Node& node = nodes_[i];
    if (node.parent) kept_.emplace(mark(node.depth, node.state, space_.key(tree, order_[i])), static_cast<std::int32_t>(i));
  }
  space_.looking_aside(true);
  for (std::size_t i = 0; i < order_.size(); ++i) {
    if (nodes_[i].goal) continue;
    candidates_.clear();
    space_.expand(tree, {&order_[i], 1}, {}, false, candidates_);
    for (const Candidate& candidate : candidates_) {
      const StateId state = space_.apply(nodes_[i].state, candidate.action);
      const auto found = kept_.find(mark(nodes_[i].depth + 1, state, candidate.key));
      if (found != kept_.end())
        edges_.push_back({static_cast<std::int32_t>(i), found->second, candidate.action, candidate.score - nodes_[i].score});
    }
  }
  space_.looking_aside(false);
}

void Lattice::weigh(double temperature) {
  constexpr double never = -std::numeric_limits<double>::infinity();
  to_come_.assign(nodes_.size(), never);
  auto last = edges_.end();
  for (std::size_t i = nodes_.size(); i-- > 0;) {
    auto first = last;
    while (first != edges_.begin() && (first - 1)->from == static_cast<std::int32_t>(i)) --first;
    const auto through = [&](const Edge& edge) { return edge.score / temperature + to_come_[static_cast<std::size_t>(edge.to)]; };
    double best = never, sum = 0;
    for (auto edge = first; edge != last; ++edge) best = std::max(best, through(*edge));
    if (best > never) {
      for (auto edge = first; edge != last; ++edge) sum += edge->probability = std::exp(through(*edge) - best);
      for (auto edge = first; edge != last; ++edge) edge->probability /= sum;
      to_come_[i] = best + std::log(sum);
    } else {
      for (auto edge = first; edge != last; ++edge) edge->probability = 0;
    }
    if (nodes_[i].goal) to_come_[i] = 0;
    last = first;
  }
  probability_.assign(nodes_.size(), 0);
  probability_[0] = 1;
  for (const Edge& edge : edges_)
    probability_[static_cast<std::size_t>(edge.to)] += probability_[static_cast<std::size_t>(edge.from)] * edge.probability;
}

void check_keeps_levels(const QueueSpec& queue) {
  if (queue.by_level()) return;
  const std::string by = queue.name == "beam" ? " by '" + queue.by + "'" : "";
  throw Error("UnsupportedError", "confidence is the share of what a beam keeps; the queue '" + queue.name + "'" + by + " keeps no levels.",
              "Use the queue beam by operations or by prefix.");
}

}  // namespace riata
