// A parser that swaps tokens, on all trees of short sentences, with crossing arcs and without.
#include <algorithm>
#include <cstdint>
#include <limits>
#include <map>
#include <set>
#include <utility>
#include <vector>

#include "inference/structures/projective_order.hpp"
#include "inference/structures/transition_oracle.hpp"
#include "inference/structures/transition_states.hpp"
#include "tests/all_trees.hpp"
#include "tests/check.hpp"

using namespace riata;
using namespace riata::test;

namespace {

struct Given {
  StateId state;
  Heads heads;  // that the state has given; -2: none yet
};

Heads after(const TransitionStates& states, const Given& from, Move move) {
  Heads heads = from.heads;
  if (!moves::adds_arc(move)) return heads;
  const Arc arc = states.arc(states[from.state], move);
  CHECK(heads[static_cast<std::size_t>(arc.child)] == -2);
  heads[static_cast<std::size_t>(arc.child)] = arc.head;
  return heads;
}

Heads output(const Given& goal) {
  Heads heads = goal.heads;
  std::ranges::replace(heads, -2, -1);
  return heads;
}

// All that tells states apart: heads, stack and tokens to come.
std::vector<std::int32_t> all_of(const TransitionStates& states, const Given& of) {
  const ParserState& state = states[of.state];
  std::vector<std::int32_t> out = of.heads;
  const auto enter = [&](const Subtree& tree) { return out.push_back(tree.token), true; };
  out.push_back(-3);
  states.each_from(state.top, enter);
  out.push_back(-3);
  states.each_from(state.first, enter);
  out.push_back(state.next);
  return out;
}

// Children of a state must be those that it has given, the outermost first.
void check_children(const TransitionStates& states, const Given& of) {
  states.each_tree(states[of.state], [&](const Subtree& tree) {
    std::vector<std::int32_t> lefts, rights;
    for (std::int32_t t = 0; t < static_cast<std::int32_t>(of.heads.size()); ++t) {
      if (of.heads[static_cast<std::size_t>(t)] == tree.token) (t < tree.token ? lefts : rights).push_back(t);
    }
    std::ranges::reverse(rights);
    CHECK(tree.lefts == static_cast<std::int32_t>(lefts.size()) && tree.rights == static_cast<std::int32_t>(rights.size()));
    for (std::size_t i = 0; i < 2; ++i) {
      CHECK(tree.left[i].token == (i < lefts.size() ? lefts[i] : -1));
      CHECK(tree.right[i].token == (i < rights.size() ? rights[i] : -1));
    }
    return true;
  });
}

// Every state once.
struct AllStates {
  TransitionStates states{TransitionSystem::swap};
  std::vector<Given> given;
  std::vector<std::vector<std::pair<Move, std::size_t>>> successors;  // [given]

  explicit AllStates(std::int32_t length) {
    given.push_back({states.open(length), Heads(static_cast<std::size_t>(length), -2)});
    std::map<std::uint64_t, std::size_t> known{{0, 0}};
    for (std::size_t s = 0; s < given.size(); ++s) {
      successors.emplace_back();
      check_children(states, given[s]);
      if (states.is_goal(states[given[s].state])) continue;
      for (const Move move : all_moves) {
        if (!states.allows(states[given[s].state], move)) continue;
        Given to{states.apply(given[s].state, moves::action(move)), after(states, given[s], move)};
        CHECK(states[to.state].mark == states.mark_after(states[given[s].state], moves::action(move)));
        const auto [at, fresh] = known.emplace(states[to.state].mark, given.size());
        if (!fresh) CHECK(all_of(states, given[at->second]) == all_of(states, to));
        successors[s].push_back({move, at->second});
        if (fresh) given.push_back(std::move(to));
      }
      CHECK(!successors[s].empty());
    }
    std::set<std::vector<std::int32_t>> different;
    for (const Given& one : given) CHECK(different.insert(all_of(states, one)).second);  // equal states have equal marks
  }
};

void check_outputs(const AllStates& all, std::int32_t length) {
  std::set<Heads> reached;
  for (std::size_t s = 0; s < all.given.size(); ++s) {
    if (all.successors[s].empty()) reached.insert(output(all.given[s]));
  }
  const std::vector<Heads> trees = all_trees(length, false);
  CHECK(reached == std::set<Heads>(trees.begin(), trees.end()));
}

std::vector<std::int32_t> least_losses(const AllStates& all, const Heads& truth) {
  std::vector<std::int32_t> least(all.given.size(), std::numeric_limits<std::int32_t>::max());
  bool changes = true;
  while (changes) {
    changes = false;
    for (std::size_t s = all.given.size(); s-- > 0;) {
      std::int32_t found = all.successors[s].empty() ? loss(truth, output(all.given[s])) : least[s];
      for (const auto& [move, to] : all.successors[s]) found = std::min(found, least[to]);
      changes = changes || found != least[s];
      least[s] = found;
    }
  }
  return least;
}

// The number must not be above the least loss, whatever the way to a state, and be the loss at the end.
void check_bound(const AllStates& all, const Heads& truth) {
  const std::vector<std::int32_t> least = least_losses(all, truth);
  TransitionOracle oracle(all.states);
  oracle.open(truth, Heads(truth.size(), 0));
  std::vector<std::int32_t> found(all.given.size(), -1);
  found[0] = 0;
  std::vector<std::size_t> open{0};
  while (!open.empty()) {
    const std::size_t s = open.back();
    open.pop_back();
    CHECK(all.successors[s].empty() ? found[s] == least[s] : found[s] <= least[s]);
    for (const auto& [move, to] : all.successors[s]) {
      const std::int32_t regret = found[s] + oracle.cost(all.states[all.given[s].state], move).regret;
      CHECK(found[to] < 0 || found[to] == regret);
      if (found[to] < 0) open.push_back(to);
      found[to] = regret;
    }
  }
}

// Every way that the oracle allows must lead to the truth. Returns the least number of moves.
std::size_t check_ways(const Heads& truth) {
  TransitionStates states(TransitionSystem::swap);
  std::vector<Given> level{{states.open(static_cast<std::int32_t>(truth.size())), Heads(truth.size(), -2)}};
  TransitionOracle oracle(states);
  oracle.open(truth, Heads(truth.size(), 0));
  std::size_t fewest = 0;
  for (std::size_t depth = 0; !level.empty(); ++depth) {
    std::map<std::uint64_t, Given> next;
    for (const Given& from : level) {
      const ParserState state = states[from.state];
      if (states.is_goal(state)) {
        CHECK(output(from) == truth);
        fewest = fewest == 0 ? depth : fewest;
        continue;
      }
      bool goes_on = false;
      for (const Move move : all_moves) {
        if (!states.allows(state, move)) continue;
        const TransitionOracle::Cost cost = oracle.cost(state, move);
        if (cost.loses) continue;
        CHECK(cost.regret == 0);
        goes_on = true;
        Given to{states.apply(from.state, moves::action(move)), after(states, from, move)};
        next.emplace(states[to.state].mark, std::move(to));
      }
      CHECK(goes_on);
    }
    level.clear();
    for (auto& [mark, given] : next) level.push_back(std::move(given));
  }
  return fewest;
}

// In the order of a tree no arcs cross, and it is the order of the sentence if none do.
void check_order(const Heads& tree) {
  ProjectiveOrder order;
  order.open(tree);
  Heads sorted(tree.size());
  bool unchanged = true;
  for (std::int32_t t = 0; t < static_cast<std::int32_t>(tree.size()); ++t) {
    const std::int32_t head = tree[static_cast<std::size_t>(t)];
    sorted[static_cast<std::size_t>(order[t])] = head < 0 ? -1 : order[head];
    if (head >= 0) CHECK((t < head) == (order[t] < order[head]));
    unchanged = unchanged && order[t] == t;
  }
  CHECK(is_dependency_tree(sorted) && is_projective(sorted));
  CHECK(unchanged == is_projective(tree));
}

}  // namespace

int main() {
  for (std::int32_t length = 1; length <= 5; ++length) {
    const AllStates all(length);
    check_outputs(all, length);
    for (const Heads& truth : all_trees(length, false)) check_bound(all, truth);
  }
  for (std::int32_t length = 1; length <= 6; ++length) {
    for (const Heads& truth : all_trees(length, false)) {
      check_order(truth);
      const auto shortest = static_cast<std::size_t>(2 * length - 1);
      CHECK(is_projective(truth) ? check_ways(truth) == shortest : check_ways(truth) > shortest);
    }
  }
  return 0;
}
