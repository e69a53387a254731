// Search, and search that learns: Figures 1 and 2 of Daumé & Marcu 2005, once, for every space and queue.
#pragma once

#include <cstdint>
#include <functional>
#include <limits>
#include <span>
#include <vector>

#include "core/error.hpp"
#include "inference/search/node.hpp"
#include "inference/search/queue.hpp"
#include "inference/search/space.hpp"

namespace riata {

// The regret of a space is inconsistent: it rises with every operator of a y-good state.
class NoGoodChild : public Error {
 public:
  NoGoodChild()
      : Error("SearchError", "a y-good state has no y-good child: its regret rises on every operator.",
              "regret(x, s, y) must be the least loss that any completion of s can reach.") {}
};

struct Limits {
  std::int64_t max_nodes = 1'000'000;                                 // nodes of one search; exceeding it is an error
  std::int32_t max_depth = std::numeric_limits<std::int32_t>::max();  // paths of so many steps are not continued
  // Time limit of decoding. When it is reached, the best goal so far is returned; if there is none, it is an error.
  double seconds = std::numeric_limits<double>::infinity();
  std::function<void()> poll = {};  // called at intervals from a long search; throws to end the search
};

inline Limits limits_of(const Settings& settings) {
  Limits limits;
  limits.max_nodes = settings.whole("max_nodes");
  if (settings.number("seconds") > 0) limits.seconds = settings.number("seconds");  // 0: no limit
  return limits;
}

class Search;

// Learns from a search: it is asked each time the front is taken from the queue.
class Learner {
 public:
  virtual ~Learner() = default;

  enum class Next { go_on, restart, stop };

  struct Verdict {
    Next next = Next::go_on;
    std::vector<NodeId> siblings = {};  // nodes to restart from; with go_on, the nodes to expand instead of the front, if there are any
  };

  // What is subtracted from the scores of y-good nodes at present (ALMA; 0 for others).
  virtual double margin() const = 0;

  // Decides how to go on after the front was taken. lost: no y-good node is left in the front or the queue. wrong: the best node of the
  // front is a goal and not y-good.
  virtual Verdict at_front(Search& search, std::span<const NodeId> front, bool lost, bool wrong) = 0;

  // Called if there is nothing left to expand and no goal was reached. last: the best node of the last front.
  virtual void at_dead_end(Search& search, NodeId last) = 0;
};

// Records what a search does, for traces. A search without a recorder records nothing.
class Recorder {
 public:
  virtual ~Recorder() = default;
  virtual void at_front(const Search& search, std::span<const NodeId> front) = 0;
  virtual void restarted(const Search& search, std::span<const NodeId> siblings) = 0;      // siblings have new scores
  virtual void expanded(const Search& search, std::span<const Candidate> candidates) = 0;  // all candidates, before some are cut
  virtual void enqueued(const Search& search, std::span<const NodeId> nodes) = 0;
};

class Search {
 public:
  Search(Space& space, Queue& queue, const Limits& limits = {}) : space_(space), queue_(queue), limits_(limits) {}

  // Figure 1 without a learner, Figure 2 with one. Returns the first goal that is dequeued; none if there is nothing left to expand.
  NodeId run(Learner* learner = nullptr, Recorder* recorder = nullptr);

  // Limits the steps of a path in the following runs. A run that reaches no goal after giving up a path that was too long is an error.
  void limit_depth(std::int32_t most) noexcept { limits_.max_depth = most; }

  static constexpr std::int64_t most_good = 64;  // default of how many y-good states are followed at once; the best are kept

  // siblings(node, y) of Figure 2: follows children of unchanged regret from the last y-good ancestor of the node to the depth of the node.
  // At most `most` states are followed at once. Their scores are computed with the present weights. Throws NoGoodChild if a y-good state
  // has no y-good child, so that the regret of the space is inconsistent.
  std::vector<NodeId> siblings(NodeId node, std::int64_t most);

  // The siblings of the best node of a front, as deep as the deepest node of the front: a goal that waits for the rest of its level counts
  // as deep as the level. If prefixes of equal length compete, the siblings cover as much of the input as the front, or more.
  std::vector<NodeId> siblings(std::span<const NodeId> front, std::int64_t most);

  // What an update compares: y-good states, and the nodes that they compete with, which may include y-good nodes.
  struct Match {
    std::vector<NodeId> siblings, rivals;
  };

  // Determines which siblings of a front compete with which nodes. In general, all siblings compete with the front and all other pending
  // nodes. If prefixes of equal length compete, siblings that cover as much as the front compete with the front only. If all siblings cover
  // more than the front, they were merged with other nodes when they were created, and compete with these nodes.
  Match match(std::span<const NodeId> siblings, std::span<const NodeId> front);

  // The y-good states that compete with a front: the y-good nodes of the front, and at most `most` y-good states that are followed from the
  // start to the position of the front. They are followed once per search, so later calls must not pass a front that covers less. Empty if
  // no y-good state covers as much as the front.
  std::vector<NodeId> good_beside(std::span<const NodeId> front, std::int64_t most);

  // The position of a node in the order in which its queue takes nodes: the number of operations; or, if prefixes of equal length compete,
  // how much of the input it covers and then the number of operations since it began to cover that. In the second case, only nodes of equal
  // standing compete.
  std::int64_t standing(NodeId node) const;

  // The y-good goals that the last y-good ancestor of a node leads to; at most `most` states are followed at once.
  std::vector<NodeId> good_goals(NodeId node, std::int64_t most);

  // Forced decoding: the y-good goals that the start of the last run leads to. Their scores are computed with the present weights.
  std::vector<NodeId> forced();

  // All children of these nodes, parent by parent, none of them merged. The children are added to the tree, but not to the queue.
  struct Child {
    NodeId node;
    std::int64_t key;
  };
  std::vector<Child> children(std::span<const NodeId> nodes);

  // Recomputes the scores of nodes with the present weights. The nodes share a common beginning, whose score may be left out.
  void rescore(std::span<const NodeId> nodes);

  const Tree& tree() const noexcept { return tree_; }
  Space& space() noexcept { return space_; }
  const Ranking& ranking() const noexcept { return ranking_; }
  std::vector<NodeId> pending() const { return queue_.pending(); }
  // The nodes that were taken from the queue last.
  std::span<const NodeId> front() const noexcept { return front_; }

  // Whether all nodes of the front are goals, possibly of different depths, so that the search is about to end.
  bool at_goal() const noexcept { return at_goal_; }

  // The nodes of the last expansion with which a y-good state was merged; at most one.
  std::vector<NodeId> absorbers_of(NodeId good);

 private:
  void begin(bool learning, bool watched);
  Learner::Next learn(Learner& learner, Recorder* recorder);
  void expand_front(bool learning, Recorder* recorder);
  NodeId best_goal() const;
  [[noreturn]] void too_deep() const;
  bool given_up(NodeId id);
  bool good_pending() const;
  void enqueue(std::span<const NodeId> nodes);
  void admit();
  NodeId add(const Candidate& candidate);
  void keep_best(std::int64_t width);
  void keep_best_of_many(std::int64_t width);
  void merge();
  NodeId last_good(NodeId node) const;
  std::int64_t standing(std::span<const NodeId> front) const;
  void add_good_children(std::span<const NodeId> nodes, std::int64_t most, std::vector<NodeId>& level);
  template <class Stop>
  std::vector<NodeId> follow_good(std::vector<NodeId> level, std::int64_t most, Stop stop);
  static bool never(NodeId) noexcept { return false; }

  Space& space_;
  Queue& queue_;
  Limits limits_;
  Tree tree_;
  Ranking ranking_;
  bool at_goal_ = false;
  bool gave_up_ = false;                      // whether a path of this run was given up because it was too long
  std::int64_t good_ = 0;                     // number of y-good nodes in the queue, if the queue keeps all nodes
  std::vector<Candidate> candidates_, kept_;  // buffers that are reused
  std::vector<NodeId> front_, open_, next_;
  // The y-good states that good_beside follows, by depth. If prefixes of equal length compete, there is only one level, the last that was
  // reached.
  std::vector<std::vector<NodeId>> good_levels_;
};

// Runs the search for one sentence, whose number is part of error messages. Without a learner, a search that reaches no goal is an error.
NodeId run_on(std::int64_t sentence, Search& search, Learner* learner = nullptr, Recorder* recorder = nullptr);

// How many times Search::run has been called in this process, for any space, queue and learner.
std::int64_t searches_run() noexcept;

}  // namespace riata
