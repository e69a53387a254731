#include "inference/search/trace.hpp"

#include <algorithm>
#include <functional>
#include <map>
#include <set>

#include "core/error.hpp"

namespace riata {

namespace {

constexpr std::int64_t share = 8;  // of the room that is left, a step takes one of so many parts

}  // namespace

TraceRecorder::TraceRecorder(Space& space, const QueueSpec& queue, bool learning, TraceBounds bounds)
    : space_(space),
      drops_(queue.name == "beam" || queue.name == "greedy" || queue.name == "hill-climb"),
      learning_(learning),
      bounds_(std::move(bounds)),
      room_(bounds_.states) {}

void TraceRecorder::look(const Search& search) {
  const Tree& tree = search.tree();
  if (tree.size() > bounds_.states)
    throw Error("SearchError", "the search has more than " + std::to_string(bounds_.states) + " states, too many to show.",
                "Show a narrower beam, or a shorter input.");
  for (NodeId id(trace_.nodes.size()); id.number() < tree.size(); ++id) {
    Node node = tree[id];
    if (learning_) node.regret = !node.parent ? space_.initial_regret() : space_.regret(tree, id);
    trace_.nodes.push_back(node);
  }
}

void TraceRecorder::at_front(const Search& search, std::span<const NodeId> front) {
  bounds_.poll();
  look(search);
  if (!trace_.steps.empty()) note_pruned(search, front);
  Trace::Step step;
  step.front.assign(front.begin(), front.end());
  step.margin = search.ranking().margin;
  trace_.steps.push_back(std::move(step));
}

// Notes the nodes that the queue has dropped: `waiting_` minus the front and what is still pending.
void TraceRecorder::note_pruned(const Search& search, std::span<const NodeId> front) {
  if (!drops_) return;
  for (const NodeId id : front) waiting_.erase(id);
  const std::vector<NodeId> pending = search.pending();
  for (const NodeId id : pending) waiting_.erase(id);
  std::vector<NodeId>& pruned = trace_.steps.back().pruned;
  pruned.assign(waiting_.begin(), waiting_.end());
  std::sort(pruned.begin(), pruned.end());
  waiting_ = {pending.begin(), pending.end()};
}

void TraceRecorder::judged(bool lost, bool wrong) {
  trace_.steps.back().lost = lost;
  trace_.steps.back().wrong = wrong;
}

void TraceRecorder::restarted(const Search& search, std::span<const NodeId> siblings) {
  for (const NodeId id : siblings) trace_.steps.back().restart.push_back({id, search.tree()[id].score});
  waiting_ = {siblings.begin(), siblings.end()};
}

void TraceRecorder::expanded(const Search&, std::span<const Candidate> candidates) {
  candidates_.assign(candidates.begin(), candidates.end());
}

void TraceRecorder::enqueued(const Search& search, std::span<const NodeId> nodes) {
  const NodeId fresh(trace_.nodes.size());
  look(search);
  Trace::Step& step = trace_.steps.back();
  step.enqueued.assign(nodes.begin(), nodes.end());
  if (drops_) waiting_.insert(nodes.begin(), nodes.end());

  std::map<std::pair<NodeId, ActionId>, int> made;
  for (const NodeId id : nodes) {
    if (id >= fresh) ++made[{trace_.nodes[id.place()].parent, trace_.nodes[id.place()].action}];
  }
  std::set<std::int64_t> keys;  // keys of the candidates that became nodes
  std::vector<Candidate> cut;
  for (const Candidate& candidate : candidates_) {
    const auto found = made.find({candidate.parent, candidate.action});
    if (found == made.end() || found->second-- <= 0)
      cut.push_back(candidate);
    else
      keys.insert(candidate.key);
  }
  keep_best(cut);
  for (const Candidate& candidate : cut) step.cut.push_back({candidate, space_.merges() && keys.count(candidate.key) > 0});
}

// Leaves out the lowest candidates that do not lead to the truth if there is no room for all. What is left keeps its order.
void TraceRecorder::keep_best(std::vector<Candidate>& cut) {
  const std::int64_t most = room_ / share;
  const auto count = static_cast<std::int64_t>(cut.size());
  if (count > most) {
    std::vector<double> ranks;
    for (const Candidate& candidate : cut) ranks.push_back(candidate.score + candidate.heuristic);
    const auto last = ranks.begin() + most;
    std::nth_element(ranks.begin(), last, ranks.end(), std::greater<>());
    const double bar = *last;
    std::erase_if(cut, [&](const Candidate& c) { return !c.good && !(c.score + c.heuristic > bar); });
    trace_.cut_left_out += count - static_cast<std::int64_t>(cut.size());
  }
  room_ -= std::min(room_, static_cast<std::int64_t>(cut.size()));
}

Trace TraceRecorder::finish(Search& search, NodeId found, bool with_features) {
  look(search);
  if (!trace_.steps.empty()) note_pruned(search, {});
  if (found && search.tree()[found].goal) trace_.goal = found;
  if (with_features) add_features(search.tree());
  if (learning_) force(search, with_features);
  return std::move(trace_);
}

// First for the states on paths to goals of the last front, from the best goal on, then for all others as long as there is room.
void TraceRecorder::add_features(const Tree& tree) {
  const std::size_t count = trace_.nodes.size();
  trace_.features.resize(count);
  trace_.bare.assign(count, true);
  std::int64_t room = bounds_.features;
  bool always = true;  // also without room
  const auto add = [&](NodeId id) {
    if (!trace_.bare[id.place()] || (room <= 0 && !always)) return;
    bounds_.poll();
    if (tree[id].parent) space_.features(tree, id, trace_.features[id.place()]);
    trace_.bare[id.place()] = false;
    room -= static_cast<std::int64_t>(trace_.features[id.place()].size());
  };
  const auto add_path = [&](NodeId id) {
    for (; id; id = tree[id].parent) add(id);
  };
  add(NodeId(0));
  add_path(trace_.goal);
  always = false;
  if (!trace_.steps.empty()) std::for_each(trace_.steps.back().front.begin(), trace_.steps.back().front.end(), add_path);
  for (NodeId id(0); id.place() < count; ++id) add(id);
}

void TraceRecorder::force(Search& search, bool with_features) {
  std::vector<NodeId> goals;
  try {
    goals = search.forced();
  } catch (const Error& error) {
    if (error.kind() != "SearchError") throw;  // otherwise the truth cannot be reached
  }
  if (goals.empty()) return;
  const Tree& tree = search.tree();
  NodeId best = goals.front();
  for (const NodeId id : goals) {
    if (tree[id].score > tree[best].score) best = id;
  }
  for (NodeId id = best; tree[id].parent; id = tree[id].parent) {
    trace_.truth.push_back({tree[tree[id].parent].state, tree[id].action, tree[id].score});
    if (with_features) space_.features(tree, id, trace_.truth.back().features);
  }
  std::reverse(trace_.truth.begin(), trace_.truth.end());
}

}  // namespace riata
