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

  // How far y-good nodes are down-weighted at the moment (ALMA; 0 otherwise).
  virtual double margin() const = 0;

  // lost: no y-good node is pending. wrong: the front is a goal and not y-good.
  virtual Verdict at_front(Search& search, std::span<const NodeId> front, bool lost, bool wrong) = 0;

  // The search has come to a dead end: nothing is left to expand, and no goal was reached. `last` was the front's best.
  virtual void at_dead_end(Search& search, NodeId last) = 0;
};

// Sees what happens, for people to look at. Where there is none, nothing is recorded.
class Recorder {
 public:
  virtual ~Recorder() = default;
  virtual void at_front(const Search& search, std::span<const NodeId> front) = 0;
  virtual void restarted(const Search& search, std::span<const NodeId> siblings) = 0;      // now rescored
  virtual void expanded(const Search& search, std::span<const Candidate> candidates) = 0;  // before any is cut
  virtual void enqueued(const Search& search, std::span<const NodeId> nodes) = 0;
};

class Search {
 public:
  Search(Space& space, Queue& queue, const Limits& limits = {}) : space_(space), queue_(queue), limits_(limits) {}

  // Figure 1 without a learner, Figure 2 with one. Returns the goal dequeued first; -1 where nothing is left to expand.
  NodeId run(Learner* learner = nullptr, Recorder* recorder = nullptr);

  // For the runs to come. A run that gives up paths for their depth, and reaches no goal by others, is an error.
  void limit_depth(std::int32_t most) noexcept { limits_.max_depth = most; }

  static constexpr std::int64_t most_good = 64;  // y-good states that are followed at once, the best of them, unless told otherwise

  // siblings(node, y): from the last y-good ancestor forward, through children of unchanged regret, to the same depth.
  // The scores are under the present weights. Throws NoGoodChild where there is none: the space's regret contradicts itself.
  std::vector<NodeId> siblings(NodeId node);

  // The siblings of the best node of a front, as far on as the front is. Goals that wait for the rest of their level count as being of its
  // depth. Where equal prefixes compete, what is covered counts, not the depth; some siblings may then cover more than the front.
  std::vector<NodeId> siblings(std::span<const NodeId> front, std::int64_t most = most_good);

  // What an update compares: y-good states, and the nodes that they compete with, y-good ones among them.
  struct Match {
    std::vector<NodeId> siblings, rivals;
  };

  // Of the siblings of a front. They compete with all that is pending; where equal prefixes compete, with the front, if they cover as much
  // as it does. If they all cover more, they were merged away when they were made, and what absorbed them is what they compete with.
  Match match(std::span<const NodeId> siblings, std::span<const NodeId> front);

  // The best y-good states that compete with a front: those in it, and those that lead there from the start, of which `most` are
  // followed. One search follows them once, so its fronts must not go back to less cover. None: no y-good state covers as much as the
  // front.
  std::vector<NodeId> good_beside(std::span<const NodeId> front, std::int64_t most);

  // How far on a node is, in the order in which its queue takes nodes: in operations, or in cover and then in the operations since.
  // Where equal prefixes compete, only nodes of equal standing do.
  std::int64_t standing(NodeId node) const;

  // The y-good goals that the last y-good ancestor of a node leads to, `most` at once.
  std::vector<NodeId> good_goals(NodeId node, std::int64_t most);

  // forced decoding: the y-good goals, from the start of the last run; their scores are under the present weights.
  std::vector<NodeId> forced();

  // Every child of these nodes, parent by parent, so that none is merged away; in the tree, but not in the queue.
  struct Child {
    NodeId node;
    std::int64_t key;
  };
  std::vector<Child> children(std::span<const NodeId> nodes);

  // Scores of nodes under the present weights, counted from their last common ancestor.
  void rescore(std::span<const NodeId> nodes);

  const Tree& tree() const noexcept { return tree_; }
  Space& space() noexcept { return space_; }
  const Ranking& ranking() const noexcept { return ranking_; }
  std::vector<NodeId> pending() const { return queue_.pending(); }

  // Whether the whole front is goals, and the search about to end: goals may lie at different depths.
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
  bool gave_up_ = false;                      // a path of this run was as deep as can be
  std::int64_t good_ = 0;                     // y-good nodes in the queue, if it keeps all
  std::vector<Candidate> candidates_, kept_;  // buffers, kept from step to step
  std::vector<NodeId> front_, open_, next_;
  std::vector<std::vector<NodeId>> good_levels_;  // as good_beside has followed them: by depth; or one, where equal prefixes compete
};

// A run of the search for one sentence; its errors say which one it was. Without a learner there must be a goal.
NodeId run_on(std::int64_t sentence, Search& search, Learner* learner = nullptr, Recorder* recorder = nullptr);

// How often `Search::run` has been called in this process: every search counts, whatever its space, queue and learner.
std::int64_t searches_run() noexcept;

}  // namespace riata
