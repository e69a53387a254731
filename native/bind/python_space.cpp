#include "bind/python_space.hpp"

#include <algorithm>
#include <cmath>

#include "bind/python_values.hpp"
#include "core/error.hpp"

namespace riata::bind {
namespace {

constexpr double same_regret = 1e-9;

}  // namespace

void PythonSpace::open(nb::handle x, nb::handle y) {
  x_ = nb::borrow(x);
  y_ = nb::borrow(y);
  aside_ = false;
  states_.clear();
  actions_.clear();
  steps_.clear();
  values_.clear();
  best_.clear();
  seen_.clear();
  keys_.clear();
  new_actions_.clear();
  has_parts_.resize(std::min(has_parts_.size(), nb::len(vocabulary_.actions)));
  last_ = {};
  held_.clear();
  size_ = last_size_ = 0;
  most_ = most_held;
}

std::string PythonSpace::last_state() const { return !last_ ? "" : in_words(state(last_)); }

StateId PythonSpace::initial() {
  State first;
  first.value = methods_.initial(x_);
  const StateId start = add_state(std::move(first));
  if (options_.complete_start && !is_goal(start)) {
    throw Error("UnsupportedError",
                "hill-climb starts from a complete state, but the initial state " + in_words(state(start)) + " is no goal.",
                "Search a constructive space with a beam.");
  }
  return start;
}

std::size_t PythonSpace::place(StateId id, ActionId action) const {
  const Range range = at(id).actions;
  std::size_t i = range.from;
  while (actions_[i] != action) ++i;  // nodes are made of operators that the state has
  return i - range.from;
}

nb::handle PythonSpace::action(StateId id, ActionId action) const {
  return PyTuple_GET_ITEM(at(id).operators.ptr(), static_cast<Py_ssize_t>(place(id, action)));
}

void PythonSpace::expand(const Tree& tree, std::span<const NodeId> frontier, const Ranking&, bool learning, std::vector<Candidate>& out) {
  drafts_.clear();
  ++expansion_;
  for (const NodeId id : frontier) draft(tree, id);
  if (!aside_ && options_.width != unbounded) return select(tree, learning, out);
  for (Draft& draft : drafts_) {
    if (complete(tree, learning, draft)) out.push_back(draft.candidate);
  }
}

// Lists the scored operators of a node. Nothing is asked about the states that they lead to, except the heuristic if there is one.
void PythonSpace::draft(const Tree& tree, NodeId id) {
  const Node& node = tree[id];
  ask_operators(node.state);
  last_ = node.state;
  if (merges() && !aside_) {
    const auto key = static_cast<std::size_t>(key_of(node.state));
    best_[key] = std::max(best_[key], node.score);
  }

  const Range actions = at(node.state).actions, observed = at(node.state).observed;
  sum_observed(actions, observed);
  for (std::size_t i = 0; i < actions.to - actions.from; ++i) {
    const ActionId action = actions_[actions.from + i];
    double step = by_action_[static_cast<std::size_t>(action)];
    for (const ActionId part : parts_of(action)) step += by_action_[static_cast<std::size_t>(part)];
    const Range plain = steps_[at(node.state).steps + i].features;
    for (std::size_t k = plain.from; k < plain.to; ++k) {
      const WeightId weight = vocabulary_.features.find(values_[k].name, NameIndex::none);
      if (weight) step += values_[k].value * weights_.data()[weight.place()];
    }
    step = weights_.scale() * step + loss_of(node.state, i);
    const double heuristic = methods_.heuristic.is_valid() ? heuristic_of(child(node.state, i)) : 0;
    drafts_.push_back({{node.score + step, heuristic, 0, 0, id, action, false}, i});
  }
}

// Adds up, in by_action_, the weights of the observed features of a state with every operator and every part of one.
void PythonSpace::sum_observed(const Range& actions, const Range& observed) {
  std::span<const ActionId> with(actions_.data() + actions.from, actions.to - actions.from);
  if (methods_.parts.is_valid()) {
    joined_with_.assign(with.begin(), with.end());
    for (const ActionId action : with) {
      const std::span<const ActionId> parts = parts_of(action);
      joined_with_.insert(joined_with_.end(), parts.begin(), parts.end());
    }
    std::sort(joined_with_.begin(), joined_with_.end());
    joined_with_.erase(std::unique(joined_with_.begin(), joined_with_.end()), joined_with_.end());
    with = joined_with_;
  }
  const std::size_t known = nb::len(vocabulary_.actions) + nb::len(new_actions_);
  if (by_action_.size() < known) by_action_.resize(known);
  for (const ActionId action : with) by_action_[static_cast<std::size_t>(action)] = 0;
  for (std::size_t i = observed.from; i < observed.to; ++i) {
    const auto [name, value] = values_[i];
    const std::span<const NameIndex::Entry> joined = vocabulary_.features.joined(name);
    if (joined.size() <= 4 * with.size()) {
      for (const auto& [action, weight] : joined) by_action_[static_cast<std::size_t>(action)] += value * weights_.data()[weight.place()];
      continue;
    }
    for (const ActionId action : with) {
      const WeightId weight = vocabulary_.features.find(name, action);
      if (weight) by_action_[static_cast<std::size_t>(action)] += value * weights_.data()[weight.place()];
    }
  }
}

// Fills in key, regret and y-goodness. Returns false if the search has already been at the state.
bool PythonSpace::complete(const Tree& tree, bool learning, Draft& draft) {
  Candidate& candidate = draft.candidate;
  const Node& parent = tree[candidate.parent];
  const bool of_good = learning && parent.good;
  const bool keyed = methods_.key.is_valid();
  if (!keyed && !of_good) return true;
  const StateId made = child(parent.state, draft.operation);
  if (of_good) {
    candidate.regret = regret_of(made);
    const double start = initial_regret(), same = same_regret * std::max(1.0, std::abs(start));
    if (candidate.regret < start - same)
      throw Error("SearchError",
                  "regret is " + in_digits(start) + " at the start, but " + in_digits(candidate.regret) + " in the state " +
                      in_words(state(made)) + ".",
                  "regret(x, s, y) is the least loss that any completion of s can reach, so no step makes it less.");
    candidate.good = candidate.regret <= start + same;
    tells_wrong_ = tells_wrong_ || !candidate.good;
  }
  if (!keyed) return true;
  candidate.key = key_of(made);
  return aside_ || candidate.good || !(merges() ? visited(tree, candidate) : comes_back(tree, candidate));
}

bool PythonSpace::visited(const Tree& tree, const Candidate& candidate) {
  const double best = best_[static_cast<std::size_t>(candidate.key)];
  if (best == never) return false;
  return candidate.score <= best || comes_back(tree, candidate);
}

// Whether a candidate leads to a state of its own path.
bool PythonSpace::comes_back(const Tree& tree, const Candidate& candidate) {
  for (NodeId id = candidate.parent; id; id = tree[id].parent) {
    if (key_of(tree[id].state) == candidate.key) return true;
  }
  return false;
}

// Selects the candidates that a beam could keep, in order of insertion: best first until `width` y-bad candidates with different keys are
// found, and candidates of equal rank. A y-good candidate after these could not survive either, since it ranks no higher than its score.
void PythonSpace::select(const Tree& tree, bool learning, std::vector<Candidate>& out) {
  const auto rank = [&](std::size_t i) { return drafts_[i].candidate.score + drafts_[i].candidate.heuristic; };
  const auto after = [&](std::size_t a, std::size_t b) { return rank(a) != rank(b) ? rank(a) < rank(b) : a > b; };
  order_.resize(drafts_.size());
  for (std::size_t i = 0; i < order_.size(); ++i) order_[i] = i;
  std::make_heap(order_.begin(), order_.end(), after);
  chosen_.clear();
  std::int64_t left = options_.width;
  double worst = never;
  for (auto end = order_.end(); end != order_.begin(); --end) {
    const std::size_t i = order_.front();
    if (left == 0 && rank(i) < worst) break;
    std::pop_heap(order_.begin(), end, after);
    Draft& draft = drafts_[i];
    if (!complete(tree, learning, draft)) continue;
    chosen_.push_back(i);
    if (draft.candidate.good || left == 0) continue;
    if (merges()) {
      std::uint64_t& seen = seen_[static_cast<std::size_t>(draft.candidate.key)];
      if (seen == expansion_) continue;
      seen = expansion_;
    }
    if (--left == 0) worst = rank(i);
  }
  std::sort(chosen_.begin(), chosen_.end());
  for (const std::size_t i : chosen_) out.push_back(drafts_[i].candidate);
}

double PythonSpace::score_of(const State& state, std::size_t operation, ActionId action) const {
  double score = 0;
  const auto add = [&](const Range& range, std::int32_t with) {
    for (std::size_t i = range.from; i < range.to; ++i) {
      const WeightId weight = vocabulary_.features.find(values_[i].name, with);
      if (weight) score += values_[i].value * weights_.data()[weight.place()];
    }
  };
  add(state.observed, action);
  for (const ActionId part : parts_of(action)) add(state.observed, part);
  add(steps_[state.steps + operation].features, NameIndex::none);
  return weights_.scale() * score;
}

double PythonSpace::step_score(const Tree& tree, NodeId node) {
  const StateId parent = tree[tree[node].parent].state;
  const ActionId action = tree[node].action;
  const std::size_t operation = place(parent, action);
  return score_of(at(parent), operation, action) + loss_of(parent, operation);
}

void PythonSpace::features(const Tree& tree, NodeId node, StepFeatures& out) {
  const StateId parent = tree[tree[node].parent].state;
  const ActionId action = tree[node].action;
  const auto add = [&](const Range& range, std::int32_t with) {
    for (std::size_t i = range.from; i < range.to; ++i)
      out.push_back({vocabulary_.features.add(values_[i].name, with).number(), values_[i].value});
  };
  add(at(parent).observed, action);
  for (const ActionId part : parts_of(action)) add(at(parent).observed, part);
  add(steps_[at(parent).steps + place(parent, action)].features, NameIndex::none);
  weights_.grow(static_cast<std::size_t>(vocabulary_.features.weights()));
}

}  // namespace riata::bind
