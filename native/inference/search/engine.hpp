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

// The regret of a space contradicts itself: it rises on every operator of a y-good state.
class NoGoodChild : public Error {
 public:
  NoGoodChild()
      : Error("SearchError", "a y-good state has no y-good child: its regret rises on every operator.",
              "regret(x, s, y) must be the least loss that any completion of s can reach.") {}
};

struct Limits {
  std::int64_t max_nodes = 1'000'000;                                 // of one search; past it the search is an error, not a guess
  std::int32_t max_depth = std::numeric_limits<std::int32_t>::max();  // a path of so many steps goes no further
  double seconds = std::numeric_limits<double>::infinity();  // for decoding; then the best goal so far is returned, or it is an error
  std::function<void()> poll = {};                           // called now and then from a long search; throws to end it
};

inline Limits limits_of(const Settings& settings) {
  Limits limits;
  limits.max_nodes = settings.whole("max_nodes");
  if (settings.number("seconds") > 0) limits.seconds = settings.number("seconds");  // 0: no limit
  return limits;
}

class Search;

// Whoever learns from a search: asked each time the front is taken from the queue.
class Learner {
 public:
  virtual ~Learner() = default;

  enum class Next { go_on, restart, stop };

  struct Verdict {
    Next next = Next::go_on;
    std::vector<NodeId> siblings = {};  // to restart from
  };

  // What is taken off the scores of y-good nodes at the moment (ALMA; 0 otherwise).
  virtual double margin() const = 0;

  // What to do after looking at the front. lost: no y-good node is pending. wrong: the best node of the front is a goal and not y-good.
  virtual Verdict at_front(Search& search, std::span<const NodeId> front, bool lost, bool wrong) = 0;

  // Called where nothing is left to expand, and no goal was reached. last: the best node of the last front.
  virtual void at_dead_end(Search& search, NodeId last) = 0;
};

// Records what a search does, for traces. A search without a recorder records nothing.
class Recorder {
 public:
  virtual ~Recorder() = default;
  virtual void at_front(const Search& search, std::span<const NodeId> front) = 0;
  virtual void restarted(const Search& search, std::span<const NodeId> siblings) = 0;      // whose scores are new
  virtual void expanded(const Search& search, std::span<const Candidate> candidates) = 0;  // all, before some are cut
  virtual void enqueued(const Search& search, std::span<const NodeId> nodes) = 0;
};

class Search {
 public:
  Search(Space& space, Queue& queue, const Limits& limits = {}) : space_(space), queue_(queue), limits_(limits) {}

  // Figure 1 without a learner, Figure 2 with one. Returns the goal dequeued first; none where nothing is left to expand.
  NodeId run(Learner* learner = nullptr, Recorder* recorder = nullptr);

  // Limits the steps of a path in the runs to come. A run that reaches no goal, and has given up a path that was too long, is an error.
  void limit_depth(std::int32_t most) noexcept { limits_.max_depth = most; }

  static constexpr std::int64_t most_good = 64;  // y-good states that are followed at once, the best of them, unless told otherwise

  // siblings(node, y) of Figure 2: from the last y-good ancestor of the node forward, through children of unchanged regret, to the depth of
  // the node; at most `most` states are followed. Their scores are under the present weights. Throws NoGoodChild where a y-good state has
  // no y-good child, so that the regret of the space contradicts itself.
  std::vector<NodeId> siblings(NodeId node, std::int64_t most);

  // The siblings of the best node of a front, as deep as the deepest node of the front: a goal that waits for the rest of its level counts
  // as deep as the level. Where equal prefixes compete, they cover as much as the front, or more.
  std::vector<NodeId> siblings(std::span<const NodeId> front, std::int64_t most);

  // What an update compares: y-good states, and the nodes that they compete with, y-good ones among them.
  struct Match {
    std::vector<NodeId> siblings, rivals;
  };

  // Which siblings of a front compete with which nodes. All siblings compete with the front and all other pending nodes. Where equal
  // prefixes compete, siblings that cover as much as the front compete with the front alone. If all siblings cover more than the front,
  // they were merged with other nodes when they were made, and compete with these nodes.
  Match match(std::span<const NodeId> siblings, std::span<const NodeId> front);

  // The y-good states that compete with a front: the y-good nodes of the front, and at most `most` y-good states that are followed from the
  // start to where the front is. A search follows them once, so later calls must not ask for a front that covers less. Empty where no
  // y-good state covers as much as the front.
  std::vector<NodeId> good_beside(std::span<const NodeId> front, std::int64_t most);

  // How far on a node is, in the order in which its queue takes nodes: the number of operations; or, where equal prefixes compete, first
  // how much it covers and then the operations since it began to cover that. There, only nodes of equal standing compete.
  std::int64_t standing(NodeId node) const;

  // The y-good goals that the last y-good ancestor of a node leads to; at most `most` states are followed.
  std::vector<NodeId> good_goals(NodeId node, std::int64_t most);

  // Forced decoding: the y-good goals that the start of the last run leads to. Their scores are under the present weights.
  std::vector<NodeId> forced();

  // Every child of these nodes, parent by parent, none of them merged. The children are in the tree, but not in the queue.
  struct Child {
    NodeId node;
    std::int64_t key;
  };
  std::vector<Child> children(std::span<const NodeId> nodes);

  // Sets the scores of nodes to what the present weights give; they have a start in common, and what it scores may be left out.
  void rescore(std::span<const NodeId> nodes);

  const Tree& tree() const noexcept { return tree_; }
  Space& space() noexcept { return space_; }
  const Ranking& ranking() const noexcept { return ranking_; }
  std::vector<NodeId> pending() const { return queue_.pending(); }

  // Whether all nodes of the front are goals, which may have different depths, so that the search is about to end.
  bool at_goal() const noexcept { return at_goal_; }

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
  void merge();
  NodeId last_good(NodeId node) const;
  std::vector<NodeId> absorbers_of(NodeId good);
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
  std::int64_t good_ = 0;                     // y-good nodes in the queue, if it keeps all
  std::vector<Candidate> candidates_, kept_;  // buffers, kept from step to step
  std::vector<NodeId> front_, open_, next_;
  // The y-good states that good_beside follows, by depth; where equal prefixes compete, there is one level, of those it came to last.
  std::vector<std::vector<NodeId>> good_levels_;
};

// Runs the search for one sentence, whose number is part of the errors. Without a learner, a search that reaches no goal is an error.
NodeId run_on(std::int64_t sentence, Search& search, Learner* learner = nullptr, Recorder* recorder = nullptr);

// How often `Search::run` has been called in this process: every search counts, whatever its space, queue and learner.
std::int64_t searches_run() noexcept;

}  // namespace riata
