// The queue of Figure 1 of Daumé & Marcu 2005: which nodes are kept, and which come out next.
#pragma once

#include <cstdint>
#include <limits>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "core/settings.hpp"
#include "inference/search/node.hpp"
#include "inference/search/space.hpp"

namespace riata {

inline constexpr std::int64_t unbounded = std::numeric_limits<std::int64_t>::max();

class Queue {
 public:
  virtual ~Queue() = default;
  virtual void clear() = 0;
  virtual bool empty() const = 0;

  // Adds new nodes, in order of insertion; may drop some of the pending nodes.
  virtual void enqueue(const Tree& tree, Space& space, const Ranking& ranking, std::span<const NodeId> nodes) = 0;

  // RemoveFront: one node, or a whole level of a beam, best first.
  virtual void remove_front(const Tree& tree, Space& space, const Ranking& ranking, std::vector<NodeId>& front) = 0;

  // All pending nodes, in no order.
  virtual std::vector<NodeId> pending() const = 0;

  // How many candidates of one expansion can survive; the others never become nodes.
  virtual std::int64_t width() const { return unbounded; }

  // Whether every node that is enqueued comes out again.
  virtual bool keeps_all() const { return false; }

  // Whether only states that cover prefixes of equal length compete with each other.
  virtual bool by_prefix() const { return false; }

  // Whether dequeuing a goal ends the search.
  virtual bool ends_at_goal() const { return true; }
};

// How much of the input a node covers, as beams by prefix compare it: goals come last, whatever they cover.
inline std::int32_t prefix_of(const Tree& tree, const Space& space, NodeId node) {
  return tree[node].goal ? std::numeric_limits<std::int32_t>::max() : space.covered(tree, node);
}

// The name and the settings of a queue.
struct QueueSpec {
  std::string name = "beam";
  std::int64_t width = 5;         // of a beam
  std::string by = "operations";  // what a beam compares: operations, prefix, or all pending nodes (pending)
  bool merge = true;              // whether only the best of the states with the same continuations is kept

  static QueueSpec of(const Settings& settings) {
    return {settings.word("queue"), settings.whole("beam"), settings.word("beam_by"), settings.flag("merge")};
  }

  // Whether the search ends at the first goal that it reaches, whatever its score, so that no state needs a second visit.
  bool blind() const { return name == "depth-first" || name == "breadth-first"; }

  // Whether the front is all that is left of one level, so that no state is reached again.
  bool by_level() const { return name == "greedy" || (name == "beam" && by != "pending"); }

  // Whether a space remembers the states that a search has expanded, to leave out the same states with a lower score.
  bool remembers() const { return merge && !by_level(); }
};

// Throws Error if there is no such queue.
std::unique_ptr<Queue> make_queue(const QueueSpec& spec);

}  // namespace riata
