#include "inference/search/engine.hpp"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdio>
#include <numeric>
#include <string>
#include <unordered_map>

#include "core/error.hpp"

namespace riata {
namespace {

using Clock = std::chrono::steady_clock;

constexpr std::int32_t polled = 1 << 14;  // number of nodes between two polls

constexpr std::int64_t small = 64;  // number of survivors up to which scanning them is faster than a hash table

std::atomic<std::int64_t> runs = 0;

}  // namespace

std::int64_t searches_run() noexcept { return runs.load(std::memory_order_relaxed); }

NodeId Search::run(Learner* learner, Recorder* recorder) {
  const bool learning = learner != nullptr;
  runs.fetch_add(1, std::memory_order_relaxed);
  const bool timed = !learning && limits_.seconds < std::numeric_limits<double>::infinity();
  const auto began = timed ? Clock::now() : Clock::time_point{};
  begin(learning, recorder != nullptr);
  NodeId last;
  while (!queue_.empty()) {
    ranking_.margin = learning ? learner->margin() : 0;
    queue_.remove_front(tree_, space_, ranking_, front_);  // node <- RemoveFront(nodes)
    if (recorder) recorder->at_front(*this, front_);
    at_goal_ = std::all_of(front_.begin(), front_.end(), [&](NodeId id) { return tree_[id].goal; });
    last = front_.front();
    if (learning) {
      const Learner::Next next = learn(*learner, recorder);
      if (next == Learner::Next::stop) return last;
      if (next == Learner::Next::restart) continue;
    }
    if (at_goal_ && queue_.ends_at_goal()) return last;  // if GoalTest(node) then return node
    if (timed && std::chrono::duration<double>(Clock::now() - began).count() > limits_.seconds) return best_goal();
    expand_front(learning, recorder);
  }
  if (tree_[last].goal) return last;
  if (gave_up_ && learning) good_goals(last, most_good);  // throws if the y-good goals are too deep as well
  if (learning) learner->at_dead_end(*this, last);
  if (gave_up_ && !learning) too_deep();
  return {};
}

// Clears the last run: the tree and the queue then contain only the initial node. If the run is watched, candidates are not cut early, so
// that the recorder sees them all.
void Search::begin(bool learning, bool watched) {
  tree_.clear();
  queue_.clear();
  ranking_ = {0, watched ? unbounded : queue_.width()};
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
}

// Asks the learner about the front. If it restarts the search, the queue contains the siblings afterwards.
Learner::Next Search::learn(Learner& learner, Recorder* recorder) {
  const std::int64_t good_here = std::count_if(front_.begin(), front_.end(), [&](NodeId id) { return tree_[id].good; });
  good_ -= good_here;
  const bool lost = good_here == 0 && !good_pending();         // none of nodes + {node} is y-good
  const bool wrong = at_goal_ && !tree_[front_.front()].good;  // GoalTest(node) and node is not y-good
  // sibs <- siblings(node, y); w <- update(w, x, sibs, node + nodes)
  const Learner::Verdict verdict = learner.at_front(*this, front_, lost, wrong);
  if (verdict.siblings.empty()) return verdict.next;
  if (verdict.next == Learner::Next::restart) rescore(verdict.siblings);
  if (recorder) recorder->restarted(*this, verdict.siblings);
  if (verdict.next == Learner::Next::go_on) front_ = verdict.siblings;
  if (verdict.next != Learner::Next::restart) return verdict.next;
  queue_.clear();
  good_ = 0;
  enqueue(verdict.siblings);  // nodes <- MakeQueue(sibs)
  return verdict.next;
}

// Adds the children of the front to the queue. Goals of a level wait in the queue until all survivors are goals.
void Search::expand_front(bool learning, Recorder* recorder) {
  open_.clear();
  next_.clear();
  for (const NodeId id : front_) {
    if (tree_[id].goal && queue_.ends_at_goal())
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

// Whether a node is too deep to be expanded. Hill-climbing has no other end than a local maximum, so there it is an error.
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

// The goal with the highest rank in the tree, whether it has been dequeued or not.
NodeId Search::best_goal() const {
  NodeId best;
  for (NodeId id(0); id.number() < tree_.size(); ++id) {
    if (tree_[id].goal && (!best || ranking_.beats(tree_[id], tree_[best]))) best = id;
  }
  if (best) return best;
  char seconds[32];
  std::snprintf(seconds, sizeof seconds, "%g", limits_.seconds);
  throw Error("SearchError", std::string("the search reached no goal within ") + seconds + " seconds.",
              "Give more seconds, or use a narrower queue: greedy reaches a goal soonest.");
}

// Turns candidates into nodes: merges them by key, and keeps no more than the queue can keep.
void Search::admit() {
  const std::int64_t width = queue_.width();
  const bool all = !space_.merges() && static_cast<std::int64_t>(candidates_.size()) <= width;
  if (!all && width <= small) {
    keep_best(width);
  } else {
    if (space_.merges()) merge();
    keep_best_of_many(width);
  }
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

// Keeps the best `width` candidates, one per key if the space merges. Candidates of equal rank stay in order of insertion.
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

// Keeps the best `width` of candidates whose keys differ, in their order, by the same rule: no others become nodes, of which each takes
// memory.
void Search::keep_best_of_many(std::int64_t width) {
  if (static_cast<std::int64_t>(candidates_.size()) <= width) return;
  std::vector<std::size_t> order(candidates_.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  const auto end = order.begin() + width;
  std::nth_element(order.begin(), end, order.end(), [&](std::size_t a, std::size_t b) {
    if (ranking_.beats(candidates_[a], candidates_[b])) return true;
    return a < b && !ranking_.beats(candidates_[b], candidates_[a]);
  });
  std::sort(order.begin(), end);
  std::vector<Candidate> kept;
  for (auto at = order.begin(); at != end; ++at) kept.push_back(candidates_[*at]);
  candidates_.swap(kept);
}

// Keeps one candidate per key: the best, and the first of several.
void Search::merge() {
  std::unordered_map<std::int64_t, std::size_t> at;
  std::vector<Candidate> kept;
  for (const Candidate& candidate : candidates_) {
    const auto [place, fresh] = at.emplace(candidate.key, kept.size());
    if (!fresh && !ranking_.beats(candidate, kept[place->second])) continue;
    if (!fresh) kept[place->second].parent = {};  // beaten; the better candidate keeps its own place in the order
    place->second = kept.size();
    kept.push_back(candidate);
  }
  std::erase_if(kept, [](const Candidate& candidate) { return !candidate.parent; });
  candidates_ = std::move(kept);
}

void Search::rescore(std::span<const NodeId> nodes) {
  space_.weights_changed();
  // Scores only compare nodes of one queue, so the score of a common prefix does not matter: scores start again at 0.
  if (nodes.size() == 1) {
    tree_[nodes[0]].score = 0;
    return;
  }
  std::vector<double> scores;
  for (NodeId id : nodes) {
    double score = 0;
    for (; tree_[id].parent; id = tree_[id].parent) score += space_.step_score(tree_, id);
    scores.push_back(score);
  }
  for (std::size_t i = 0; i < nodes.size(); ++i) tree_[nodes[i]].score = scores[i];
}

NodeId run_on(std::int64_t sentence, Search& search, Learner* learner, Recorder* recorder) {
  try {
    const NodeId goal = search.run(learner, recorder);
    if (!goal && learner == nullptr)
      throw Error("SearchError", "the search ended without a goal.", "Use a wider beam, or exact search where there is one.");
    return goal;
  } catch (const Error& error) {
    throw Error(error.kind(), "sentence " + std::to_string(sentence) + ": " + error.what(), error.remedy());
  }
}

}  // namespace riata
