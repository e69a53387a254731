#include "inference/rules/constrained_space.hpp"

#include <algorithm>
#include <functional>
#include <limits>
#include <map>
#include <numeric>

#include "core/hash.hpp"

namespace riata {
namespace {

constexpr double never = -std::numeric_limits<double>::infinity();

}  // namespace

std::size_t ConstrainedSpace::Hash::operator()(const State& state) const noexcept {
  return static_cast<std::size_t>(
      mix(static_cast<std::uint64_t>(static_cast<std::uint32_t>(state.number)) << 32 | static_cast<std::uint32_t>(state.monitor.number())));
}
std::size_t ConstrainedSpace::Hash::operator()(const Merged& merged) const noexcept {
  return static_cast<std::size_t>(mix(static_cast<std::uint64_t>(merged.inner) ^ (*this)(merged.state)));
}

void ConstrainedSpace::open(std::int64_t sentence, bool with_truth) {
  inner_->open(sentence, with_truth);
  const std::int64_t number = numbers_.empty() ? sentence : numbers_[static_cast<std::size_t>(sentence)];
  without_.clear();
  if (with_truth) {
    parts_.clear();
    parts_of_(corpus_.gold_of(sentence), parts_);
    check_(number, parts_, &without_);
  }
  if (with_truth && inner_->initial_regret() > 0) {
    without_.resize(rules_.count(number));
    std::iota(without_.begin(), without_.end(), 0);
  }
  monitors_.open(number, static_cast<std::int32_t>(corpus_.length(sentence)), without_);
  places_.clear();
  steps_.clear();
  keys_.clear();
  expanded_.clear();
  rest_.clear();
  forbidden_.clear();
  unwatched_ = 0;
}

bool ConstrainedSpace::look_ahead(std::size_t most) {
  if (!inner_->lists_states() || !list_steps(most)) return false;
  for (std::size_t k = ahead_.size(); k-- > 0;) {
    double& rest = rest_[static_cast<std::size_t>(ahead_[k].from)];
    rest = std::max(rest, ahead_[k].score + rest_[static_cast<std::size_t>(ahead_[k].to)]);
  }
  return true;
}

// Lists the steps between classes of states, from one state of each class.
bool ConstrainedSpace::list_steps(std::size_t most) {
  classes_.clear();
  ahead_.clear();
  Tree tree;
  std::map<std::int32_t, std::vector<std::pair<NodeId, std::int32_t>>> waiting;  // by number of the state: a node and its class
  Node start;
  start.state = inner_->initial();
  waiting[start.state.number()] = {{tree.add(start), 0}};
  std::vector<double> rest{never};
  while (!waiting.empty()) {
    const auto nodes = std::move(waiting.begin()->second);
    waiting.erase(waiting.begin());
    for (const auto& [id, from] : nodes) {
      listed_.clear();
      inner_->expand(tree, {&id, 1}, {}, false, listed_);
      if (ahead_.size() + listed_.size() > most) return false;
      for (const Candidate& candidate : listed_) {
        const StateId state = inner_->apply(tree[id].state, candidate.action);
        const auto number = static_cast<std::int32_t>(rest.size());
        const auto [place, fresh] = classes_.emplace(Merged{candidate.key, {state.number(), MonitorId()}}, number);
        ahead_.push_back({from, place->second, candidate.score});
        if (!fresh) continue;
        const bool goal = inner_->is_goal(state);
        rest.push_back(goal ? 0 : never);
        if (goal) continue;
        Node node;  // its score is 0, so that scores of candidates are those of steps
        node.parent = id;
        node.action = candidate.action;
        node.state = state;
        node.depth = tree[id].depth + 1;
        waiting[state.number()].push_back({tree.add(node), number});
      }
    }
  }
  rest_ = std::move(rest);
  return true;
}

StateId ConstrainedSpace::initial() {
  of_nodes_.clear();  // a new tree begins
  return inner_->initial();
}

void ConstrainedSpace::expand(const Tree& tree, std::span<const NodeId> frontier, const Ranking& ranking, bool learning,
                              std::vector<Candidate>& out) {
  if (!remembers_ || aside_) return list(tree, frontier, ranking, learning, out);
  const auto key_of_state = [&](NodeId id) { return key(tree, id); };
  const auto expand_one = [&](NodeId id) { list(tree, {&id, 1}, ranking, learning, out); };
  expanded_.each(tree, frontier, true, key_of_state, expand_one, out);
}

// Appends all candidates that can still keep the rules. The inner space must not leave out any, since a better one may break rules: it
// merges nothing, and does not know how many survive.
void ConstrainedSpace::list(const Tree& tree, std::span<const NodeId> nodes, const Ranking& ranking, bool learning,
                            std::vector<Candidate>& out) {
  listed_.clear();
  inner_->expand(tree, nodes, {ranking.margin}, learning, listed_);
  last_ = NodeId();
  if (!learning && !remembers_ && watched_ == 0 && ranking.width < static_cast<std::int64_t>(listed_.size()))
    return list_best(tree, ranking, out);
  for (Candidate& candidate : listed_) {
    if (looks_ahead(tree, candidate) && keeps(tree, candidate)) out.push_back(candidate);
  }
}

// Appends the candidates among which those are that survive, in the order of the list. Rules only make candidates worse: the best ones are
// looked at first, until as many different states are found as can survive, and all others are worse.
void ConstrainedSpace::list_best(const Tree& tree, const Ranking& ranking, std::vector<Candidate>& out) {
  waiting_.clear();
  for (std::size_t k = 0; k < listed_.size(); ++k) {
    if (looks_ahead(tree, listed_[k])) waiting_.push_back({ranking.rank(listed_[k]), k});
  }
  std::make_heap(waiting_.begin(), waiting_.end());
  survivors_.clear();  // a heap: the worst is in front
  chosen_.clear();
  found_.clear();
  const auto width = static_cast<std::size_t>(ranking.width);
  while (!waiting_.empty() && (survivors_.size() < width || waiting_.front().first >= survivors_.front())) {
    std::pop_heap(waiting_.begin(), waiting_.end());
    const std::size_t k = waiting_.back().second;
    waiting_.pop_back();
    Candidate& candidate = listed_[k];
    if (!keeps(tree, candidate)) continue;
    chosen_.push_back(k);
    if (merges_ && !found_.insert(candidate.key).second) continue;
    survivors_.push_back(ranking.rank(candidate));
    std::push_heap(survivors_.begin(), survivors_.end(), std::greater<>());
    if (survivors_.size() <= width) continue;
    std::pop_heap(survivors_.begin(), survivors_.end(), std::greater<>());
    survivors_.pop_back();
  }
  std::sort(chosen_.begin(), chosen_.end());
  for (const std::size_t k : chosen_) out.push_back(listed_[k]);
}

// Sets the heuristic of a candidate, if it is known. Returns false if nothing goes on from there.
bool ConstrainedSpace::looks_ahead(const Tree& tree, Candidate& candidate) {
  if (rest_.empty()) return candidate.heuristic != never;
  const StateId to = inner_->apply(tree[candidate.parent].state, candidate.action);
  candidate.heuristic = rest_[static_cast<std::size_t>(classes_.at(Merged{candidate.key, {to.number(), MonitorId()}}))];
  return candidate.heuristic != never;
}

// Takes penalties off the score of a candidate, and gives it the key of its state under rules. Returns false if rules forbid it.
bool ConstrainedSpace::keeps(const Tree& tree, Candidate& candidate) {
  const MonitorId at = monitor(tree, candidate.parent);
  if (!at) return false;
  const StateId from = tree[candidate.parent].state;
  if (candidate.parent != last_) {
    last_ = candidate.parent;
    steps_of_last_ = steps_from(from, at);
  }
  const auto [next, penalty] = step(steps_of_last_, from, at, candidate.action);
  if (!next) {
    const std::vector<Known>& known = steps_[static_cast<std::size_t>(steps_of_last_)];
    if (forbidden_.size() < watched_)
      forbidden_.push_back({candidate, from, known[static_cast<std::size_t>(inner_->number_of(candidate.action))].forbidden_by});
    else if (watched_ > 0)
      ++unwatched_;
    return false;
  }
  candidate.score -= penalty;
  if (merges_) candidate.key = key_of(candidate.key, inner_->place_after(from, candidate.action), next);
  return true;
}

// What rules remember at a node.
MonitorId ConstrainedSpace::monitor(const Tree& tree, NodeId node) {
  if (of_nodes_.size() <= node.place()) of_nodes_.resize(static_cast<std::size_t>(tree.size()));
  if (of_nodes_[node.place()]) return of_nodes_[node.place()];
  const NodeId parent = tree[node].parent;
  if (!parent) return of_nodes_[node.place()] = monitors_.start().next;
  const MonitorId before = monitor(tree, parent);
  const StateId from = tree[parent].state;
  return of_nodes_[node.place()] = step(steps_from(from, before), from, before, tree[node].action).next;
}

// The place of the steps that lead on from a state.
std::int32_t ConstrainedSpace::steps_from(StateId state, MonitorId monitor) {
  const auto [place, fresh] = places_.emplace(State{state.number(), monitor}, static_cast<std::int32_t>(steps_.size()));
  if (fresh) steps_.emplace_back();
  return place->second;
}

Monitors::Step ConstrainedSpace::step(std::int32_t steps, StateId from, MonitorId monitor, ActionId action) {
  std::vector<Known>& known = steps_[static_cast<std::size_t>(steps)];
  const auto place = static_cast<std::size_t>(inner_->number_of(action));
  if (known.size() <= place) known.resize(place + 1);
  if (!known[place].asked) {
    parts_.clear();
    inner_->parts(from, action, parts_);
    known[place] = {true, monitors_.step(monitor, parts_, inner_->decided(from), inner_->decided_after(from, action))};
    known[place].forbidden_by = monitors_.forbidden_by();
  }
  return known[place].step;
}

std::int64_t ConstrainedSpace::key_of(std::int64_t inner, std::int32_t place, MonitorId monitor) {
  return keys_.emplace(Merged{inner, {place, monitor}}, static_cast<std::int64_t>(keys_.size())).first->second;
}

std::int64_t ConstrainedSpace::key(const Tree& tree, NodeId node) {
  const std::int64_t inner = inner_->key(tree, node);
  return key_of(inner, inner_->place(tree[node].state), monitor(tree, node));
}

double ConstrainedSpace::step_score(const Tree& tree, NodeId node) {
  const NodeId parent = tree[node].parent;
  const MonitorId before = monitor(tree, parent);
  const StateId from = tree[parent].state;
  return inner_->step_score(tree, node) - step(steps_from(from, before), from, before, tree[node].action).penalty;
}

}  // namespace riata
