#include "inference/search/engine.hpp"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdio>
#include <iterator>
#include <numeric>
#include <string>
#include <unordered_map>

#include "core/error.hpp"

namespace riata {
namespace {

using Clock = std::chrono::steady_clock;

constexpr NodeId polled = 1 << 14;  // nodes between two polls

// Tells the space that the engine looks aside.
class Aside {
 public:
  explicit Aside(Space& space) : space_(space) { space_.looking_aside(true); }
  ~Aside() { space_.looking_aside(false); }
  Aside(const Aside&) = delete;
  Aside& operator=(const Aside&) = delete;

 private:
  Space& space_;
};

constexpr std::int64_t small = 64;  // up to here a scan of the survivors is faster than a hash table

std::atomic<std::int64_t> runs = 0;

// Keeps the `most` that come before the others, in the order in which they stood; at a tie the one that stood first comes first.
template <class Item, class Beats>
void keep_first(std::vector<Item>& items, std::int64_t most, Beats beats) {
  if (static_cast<std::int64_t>(items.size()) <= most) return;
  std::vector<std::size_t> order(items.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) { return beats(items[a], items[b]); });
  order.resize(static_cast<std::size_t>(most));
  std::sort(order.begin(), order.end());
  std::vector<Item> kept;
  for (const std::size_t place : order) kept.push_back(items[place]);
  items = std::move(kept);
}

}  // namespace

std::int64_t searches_run() noexcept { return runs.load(std::memory_order_relaxed); }

NodeId Search::run(Learner* learner, Recorder* recorder) {
  const bool learning = learner != nullptr;
  runs.fetch_add(1, std::memory_order_relaxed);
  const bool timed = !learning && limits_.seconds < std::numeric_limits<double>::infinity();
  const auto began = timed ? Clock::now() : Clock::time_point{};
  const auto is_goal = [&](NodeId id) { return tree_[id].goal; };
  const auto is_good = [&](NodeId id) { return tree_[id].good; };
  tree_.clear();
  queue_.clear();
  ranking_ = {0, recorder ? unbounded : queue_.width()};  // whoever watches sees what is cut, too

  Node start;
  start.state = space_.initial();
  start.goal = space_.is_goal(start.state);
  start.good = learning;
  start.regret = learning ? space_.initial_regret() : 0;
  if (!queue_.ends_at_goal() && !start.goal)
    throw Error("UnsupportedError", "hill-climbing starts from a complete output, but the initial state is no goal.",
                "Use a queue that builds outputs, such as beam.");
  next_ = {tree_.add(start)};
  good_levels_ = {next_};
  good_ = 0;
  gave_up_ = false;
  enqueue(next_);  // nodes <- MakeQueue(MakeNode(problem, initial))
  NodeId last = -1;

  while (!queue_.empty()) {
    ranking_.margin = learning ? learner->margin() : 0;
    queue_.remove_front(tree_, space_, ranking_, front_);  // node <- RemoveFront(nodes)
    const std::vector<NodeId>& front = front_;
    if (recorder) recorder->at_front(*this, front);
    const bool at_goal = at_goal_ = std::all_of(front.begin(), front.end(), is_goal);
    last = front.front();

    if (learning) {
      const bool good_here = std::any_of(front.begin(), front.end(), is_good);
      good_ -= std::count_if(front.begin(), front.end(), is_good);
      const bool lost = !good_here && !good_pending();  // none of nodes + {node} is y-good
      const bool wrong = at_goal && !tree_[last].good;  // GoalTest(node) and node is not y-good
      // sibs <- siblings(node, y); w <- update(w, x, sibs, node + nodes)
      Learner::Verdict verdict = learner->at_front(*this, front, lost, wrong);
      if (verdict.next == Learner::Next::stop) return last;
      if (verdict.next == Learner::Next::restart) {
        rescore(verdict.siblings);
        if (recorder) recorder->restarted(*this, verdict.siblings);
        queue_.clear();
        good_ = 0;
        enqueue(verdict.siblings);  // nodes <- MakeQueue(sibs)
        continue;
      }
    }
    if (at_goal && queue_.ends_at_goal()) return last;  // if GoalTest(node) then return node

    if (timed && std::chrono::duration<double>(Clock::now() - began).count() > limits_.seconds) return best_goal();
    open_.clear();
    next_.clear();  // goals of a level wait in the queue until every survivor is one
    for (const NodeId id : front) {
      if (is_goal(id) && queue_.ends_at_goal())
        next_.push_back(id);
      else if (!given_up(id))
        open_.push_back(id);
    }
    candidates_.clear();
    space_.expand(tree_, open_, ranking_, learning, candidates_);  // next <- Operators(node)
    if (recorder) recorder->expanded(*this, candidates_);
    admit();
    enqueue(next_);  // nodes <- Enqueue(problem, nodes, next)
    if (recorder) recorder->enqueued(*this, next_);
  }
  if (tree_[last].goal) return last;
  if (gave_up_ && learning) good_goals(last, most_good);  // is the truth less deep? Else this is an error
  if (learning) learner->at_dead_end(*this, last);
  if (gave_up_ && !learning) too_deep();
  return -1;
}

// Whether a node is too deep to be expanded. A climb has no other end than a summit.
bool Search::given_up(NodeId id) {
  if (tree_[id].depth < limits_.max_depth) return false;
  if (!queue_.ends_at_goal())
    throw Error("SearchError", "hill-climbing still goes up after " + std::to_string(limits_.max_depth) + " steps.",
                "Do steps add up to the score of the state that they lead to? If so, raise the setting max_depth.");
  gave_up_ = true;
  return true;
}

void Search::too_deep() const {
  throw Error("SearchError", "no goal was reached within " + std::to_string(limits_.max_depth) + " steps.",
              "Is is_goal(x, s) ever true? Where steps can be undone, define key(x, s); where outputs need so many steps, raise the "
              "setting max_depth.");
}

void Search::enqueue(std::span<const NodeId> nodes) {
  for (const NodeId id : nodes) good_ += tree_[id].good;
  queue_.enqueue(tree_, space_, ranking_, nodes);
}

bool Search::good_pending() const {
  if (queue_.keeps_all()) return good_ > 0;
  const std::vector<NodeId> pending = queue_.pending();
  return std::any_of(pending.begin(), pending.end(), [&](NodeId id) { return tree_[id].good; });
}

// The goal of the highest rank in the tree, whether it was dequeued or not.
NodeId Search::best_goal() const {
  NodeId best = -1;
  for (NodeId id = 0; id < tree_.size(); ++id) {
    if (tree_[id].goal && (best < 0 || ranking_.beats(tree_[id], tree_[best]))) best = id;
  }
  if (best >= 0) return best;
  char seconds[32];
  std::snprintf(seconds, sizeof seconds, "%g", limits_.seconds);
  throw Error("SearchError", std::string("the search reached no goal within ") + seconds + " seconds.",
              "Give more seconds, or use a narrower queue: greedy reaches a goal soonest.");
}

// Candidates become nodes: merged by key, and no more than the queue can keep.
void Search::admit() {
  const std::int64_t width = queue_.width();
  const bool all = !space_.merges() && static_cast<std::int64_t>(candidates_.size()) <= width;
  if (!all && width <= small)
    keep_best(width);
  else if (space_.merges())
    merge();
  for (const Candidate& candidate : candidates_) next_.push_back(add(candidate));
}

NodeId Search::add(const Candidate& candidate) {
  if (tree_.size() >= limits_.max_nodes)
    throw Error("SearchError", "the search made " + std::to_string(limits_.max_nodes) + " nodes without reaching a goal.",
                "Use a narrower queue, or raise max_nodes.");
  if (limits_.poll && tree_.size() % polled == polled - 1) limits_.poll();
  const std::int32_t depth = tree_[candidate.parent].depth + 1;
  if (depth > limits_.max_depth) too_deep();
  const StateId state = space_.apply(tree_[candidate.parent].state, candidate.action);
  return tree_.add({candidate.score, candidate.heuristic, candidate.regret, candidate.parent, candidate.action, state, depth,
                    space_.is_goal(state), candidate.good});
}

// The best `width` candidates, one per key where the space merges, in order of insertion among equals.
void Search::keep_best(std::int64_t width) {
  std::vector<Candidate>& kept = kept_;  // best first
  kept.clear();
  const bool merging = space_.merges();
  const auto full = static_cast<std::size_t>(width);
  for (const Candidate& candidate : candidates_) {
    if (kept.size() == full && !ranking_.beats(candidate, kept.back())) continue;
    if (merging) {
      const auto same = std::find_if(kept.begin(), kept.end(), [&](const Candidate& c) { return c.key == candidate.key; });
      if (same != kept.end()) {
        if (!ranking_.beats(candidate, *same)) continue;
        kept.erase(same);
      }
    }
    auto place = kept.end();
    while (place != kept.begin() && ranking_.beats(candidate, *(place - 1))) --place;
    kept.insert(place, candidate);
    if (kept.size() > full) kept.pop_back();
  }
  candidates_.swap(kept);
}

// One candidate per key: the best, and among equals the first.
void Search::merge() {
  std::unordered_map<std::int64_t, std::size_t> at;
  std::vector<Candidate> kept;
  for (const Candidate& candidate : candidates_) {
    const auto [place, fresh] = at.emplace(candidate.key, kept.size());
    if (!fresh && !ranking_.beats(candidate, kept[place->second])) continue;
    if (!fresh) kept[place->second].parent = -1;  // beaten: the better one keeps its own place in the order
    place->second = kept.size();
    kept.push_back(candidate);
  }
  std::erase_if(kept, [](const Candidate& candidate) { return candidate.parent < 0; });
  candidates_ = std::move(kept);
}

NodeId Search::last_good(NodeId node) const {
  while (!tree_[node].good) node = tree_[node].parent;  // the initial node is y-good
  return node;
}

std::int64_t Search::standing(NodeId node) const {
  if (!queue_.by_prefix()) return tree_[node].depth;
  const std::int64_t covered = prefix_of(tree_, space_, node);
  std::int64_t since = 0;
  for (; !tree_[node].goal && tree_[node].parent >= 0 && space_.covered(tree_, tree_[node].parent) == covered; node = tree_[node].parent)
    ++since;
  return (covered << 32) + since;
}

std::int64_t Search::standing(std::span<const NodeId> front) const {
  std::int64_t most = standing(front.front());
  if (queue_.by_prefix()) return most;  // all alike
  for (const NodeId id : front) most = std::max(most, standing(id));
  return most;
}

// Appends the y-good children of nodes to a level, and keeps the best of it, in order of insertion.
void Search::add_good_children(std::span<const NodeId> nodes, std::int64_t most, std::vector<NodeId>& level) {
  const Aside aside(space_);
  candidates_.clear();
  space_.expand(tree_, nodes, {}, true, candidates_);
  std::erase_if(candidates_, [](const Candidate& c) { return !c.good; });
  if (candidates_.empty() && level.empty()) throw NoGoodChild();
  if (space_.merges()) merge();
  keep_first(candidates_, most, [](const Candidate& a, const Candidate& b) { return Ranking{}.beats(a, b); });
  for (const Candidate& candidate : candidates_) level.push_back(add(candidate));
  keep_first(level, most, [&](NodeId a, NodeId b) { return Ranking{}.beats(tree_[a], tree_[b]); });
}

// From y-good nodes forward, through children of unchanged regret, until each is a goal or `stop` says so.
template <class Stop>
std::vector<NodeId> Search::follow_good(std::vector<NodeId> level, std::int64_t most, Stop stop) {
  while (true) {
    std::vector<NodeId> open, next;
    for (const NodeId id : level) (!stop(id) && !tree_[id].goal ? open : next).push_back(id);
    if (open.empty()) return level;
    add_good_children(open, most, next);
    level = std::move(next);
  }
}

std::vector<NodeId> Search::siblings(NodeId node) {
  return follow_good({last_good(node)}, most_good, [&](NodeId id) { return tree_[id].depth >= tree_[node].depth; });
}

std::vector<NodeId> Search::siblings(std::span<const NodeId> front, std::int64_t most) {
  const std::int64_t reached = standing(front);
  return follow_good({last_good(front.front())}, most, [&](NodeId id) { return standing(id) >= reached; });
}

Search::Match Search::match(std::span<const NodeId> siblings, std::span<const NodeId> front) {
  Match out;
  if (!queue_.by_prefix()) {
    const std::vector<NodeId> pending = queue_.pending();
    out.siblings.assign(siblings.begin(), siblings.end());
    out.rivals.assign(front.begin(), front.end());
    out.rivals.insert(out.rivals.end(), pending.begin(), pending.end());
    return out;
  }
  const std::int64_t reached = standing(front);
  for (const NodeId id : siblings) {
    if (standing(id) == reached) out.siblings.push_back(id);
  }
  if (!out.siblings.empty()) {
    out.rivals.assign(front.begin(), front.end());
    return out;
  }
  std::int64_t least = std::numeric_limits<std::int64_t>::max();  // of those absorbed, what comes first competes first
  for (const NodeId id : siblings) {
    const std::vector<NodeId> absorbers = absorbers_of(id);
    const std::int64_t at = standing(id);
    if (absorbers.empty() || at > least) continue;
    if (at < least) out = {};
    least = at;
    out.siblings.push_back(id);
    out.rivals.insert(out.rivals.end(), absorbers.begin(), absorbers.end());
  }
  if (out.siblings.empty()) out.siblings.assign(siblings.begin(), siblings.end());
  return out;
}

// The nodes of the last expansion that a y-good state was merged with: there is one at most.
std::vector<NodeId> Search::absorbers_of(NodeId good) {
  std::vector<NodeId> out;
  if (!space_.keyed()) return out;
  const std::int64_t key = space_.key(tree_, good);
  for (const NodeId id : next_) {
    if (!tree_[id].good && prefix_of(tree_, space_, id) == prefix_of(tree_, space_, good) && space_.key(tree_, id) == key)
      out.push_back(id);
  }
  return out;
}

std::vector<NodeId> Search::good_beside(std::span<const NodeId> front, std::int64_t most) {
  std::vector<NodeId> out;
  for (const NodeId id : front) {
    if (tree_[id].good) out.push_back(id);
  }
  const std::int64_t reached = standing(front);
  if (queue_.by_prefix()) {
    std::vector<NodeId>& level = good_levels_.front();
    level = follow_good(std::move(level), most, [&](NodeId id) { return standing(id) >= reached; });
    std::copy_if(level.begin(), level.end(), std::back_inserter(out), [&](NodeId id) { return standing(id) == reached; });
    return out;
  }
  while (static_cast<std::int64_t>(good_levels_.size()) <= reached) {
    const auto depth = static_cast<std::int64_t>(good_levels_.size());
    good_levels_.push_back(follow_good(good_levels_.back(), most, [&](NodeId id) { return tree_[id].depth >= depth; }));
  }
  const std::vector<NodeId>& level = good_levels_[static_cast<std::size_t>(reached)];
  out.insert(out.end(), level.begin(), level.end());
  return out;
}

std::vector<NodeId> Search::good_goals(NodeId node, std::int64_t most) { return follow_good({last_good(node)}, most, never); }

std::vector<NodeId> Search::forced() {
  tree_[0].good = true;
  tree_[0].regret = space_.initial_regret();
  return follow_good({0}, most_good, never);
}

std::vector<Search::Child> Search::children(std::span<const NodeId> nodes) {
  const Aside aside(space_);
  std::vector<Child> out;
  for (const NodeId id : nodes) {
    candidates_.clear();
    space_.expand(tree_, {&id, 1}, {ranking_.margin}, true, candidates_);  // with no limit of width
    for (const Candidate& candidate : candidates_) out.push_back({add(candidate), candidate.key});
  }
  return out;
}

void Search::rescore(std::span<const NodeId> nodes) {
  space_.weights_changed();
  // Scores compare nodes of one queue only, so a common prefix counts for nothing: count from the restart on.
  if (nodes.size() == 1) {
    tree_[nodes[0]].score = 0;
    return;
  }
  std::vector<double> scores;
  for (NodeId id : nodes) {
    double score = 0;
    for (; tree_[id].parent >= 0; id = tree_[id].parent) score += space_.step_score(tree_, id);
    scores.push_back(score);
  }
  for (std::size_t i = 0; i < nodes.size(); ++i) tree_[nodes[i]].score = scores[i];
}

NodeId run_on(std::int64_t sentence, Search& search, Learner* learner, Recorder* recorder) {
  try {
    const NodeId goal = search.run(learner, recorder);
    if (goal < 0 && learner == nullptr)
      throw Error("SearchError", "the search ended without a goal.", "Use a wider beam, or exact search where there is one.");
    return goal;
  } catch (const Error& error) {
    throw Error(error.kind(), "sentence " + std::to_string(sentence) + ": " + error.what(), error.remedy());
  }
}

}  // namespace riata
