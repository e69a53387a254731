// The states that a search by levels has kept, as a graph with all operators that lead from one to another.
#pragma once

#include <cstdint>
#include <span>
#include <unordered_map>
#include <vector>

#include "inference/search/engine.hpp"

namespace riata {

// Paths from the start to a goal are outputs. At temperature T, an output has the probability exp(score / T) / Z among those of the graph.
// Paths that were merged into better ones count too, so an unbounded beam over states that are merged gives exact probabilities. Without
// merging, the graph is the tree of the paths that were kept. Only for queues by level.
class Lattice : public Recorder {
 public:
  struct Edge {
    std::int32_t from, to;  // places in nodes()
    ActionId action;
    double score;
    double probability = 0;  // of taking this edge from its first node; set by `weigh`
  };

  // by_key: whether states of equal key are one state of the graph, even if their numbers differ.
  Lattice(Space& space, const QueueSpec& queue, bool by_key = false)
      : space_(space), merges_(queue.merge), by_prefix_(queue.name == "beam" && queue.by == "prefix"), by_key_(by_key) {}

  // Must be called before every search.
  void clear() noexcept {
    order_.clear();
    places_.clear();
  }

  void at_front(const Search&, std::span<const NodeId> front) override {
    for (const NodeId id : front) {
      if (places_.emplace(id, static_cast<std::int32_t>(order_.size())).second) order_.push_back(id);
    }
  }
  void restarted(const Search&, std::span<const NodeId>) override {}
  void expanded(const Search&, std::span<const Candidate>) override {}
  void enqueued(const Search&, std::span<const NodeId>) override {}

  // Builds the graph; must be called after the search, before its tree changes.
  void build(const Search& search);

  // Computes the probabilities of edges and nodes.
  void weigh(double temperature);

  // The nodes in the order in which they left the queue, so that edges lead from earlier to later nodes; and the edges, in the order of
  // their first nodes.
  const std::vector<Node>& nodes() const noexcept { return nodes_; }
  const std::vector<Edge>& edges() const noexcept { return edges_; }
  // log Z; set by `weigh`.
  double log_sum() const noexcept { return to_come_.front(); }
  double probability(std::int32_t node) const noexcept { return probability_[static_cast<std::size_t>(node)]; }

 private:
  // What distinguishes the states of one level.
  struct Mark {
    std::int32_t level;
    StateId state;
    std::int64_t key;
    bool operator==(const Mark&) const = default;
  };
  struct Hash {
    std::size_t operator()(const Mark& mark) const noexcept;
  };
  Mark mark(std::int32_t depth, StateId state, std::int64_t key) const noexcept {
    return {by_prefix_ ? 0 : depth, by_key_ ? StateId() : state, key};  // equal prefixes meet at any depth
  }

  void add_tree(const Tree& tree);
  void add_kept(const Tree& tree);

  Space& space_;
  bool merges_, by_prefix_, by_key_;
  std::vector<NodeId> order_;
  std::unordered_map<NodeId, std::int32_t> places_;  // node -> place in order_
  std::vector<Node> nodes_;
  std::vector<Edge> edges_;
  // [nodes] log of the sum over paths from the node to a goal; probability of reaching the node.
  std::vector<double> to_come_, probability_;
  std::unordered_map<Mark, std::int32_t, Hash> kept_;
  std::vector<Candidate> candidates_;
};

// Throws for queues that do not keep levels.
void check_keeps_levels(const QueueSpec& queue);

}  // namespace riata
