// The regret of every state that a parser can reach, for every projective tree of short sentences, compared with all completions.
#include <algorithm>
#include <cstdint>
#include <limits>
#include <vector>

#include "inference/structures/closest_projective.hpp"
#include "inference/structures/projective_order.hpp"
#include "inference/structures/transition_oracle.hpp"
#include "inference/structures/transition_states.hpp"
#include "tests/all_trees.hpp"
#include "tests/check.hpp"

using namespace riata;
using namespace riata::test;

namespace {

// All states, with the heads that they have given (-2: none yet), from all sequences of moves.
struct AllStates {
  TransitionStates states;
  std::vector<Heads> given;                                       // [states]
  std::vector<std::vector<std::pair<Move, StateId>>> successors;  // [states]

  AllStates(TransitionSystem system, std::int32_t length) : states(system) {
    states.open(length);
    given.push_back(Heads(static_cast<std::size_t>(length), -2));
    for (StateId s(0); s.number() < states.size(); ++s) {
      successors.emplace_back();
      if (states.is_goal(states[s])) continue;
      for (const Move move : all_moves) {
        if (!states.allows(states[s], move)) continue;
        Heads heads = given[s.place()];
        if (moves::adds_arc(move)) {
          const Arc arc = states.arc(states[s], move);
          CHECK(heads[static_cast<std::size_t>(arc.child)] == -2);
          heads[static_cast<std::size_t>(arc.child)] = arc.head;
        }
        successors.back().push_back({move, states.apply(s, moves::action(move))});
        given.push_back(std::move(heads));
      }
      CHECK(!successors.back().empty());  // every state leads to a goal
    }
  }

  Heads output(StateId goal) const {
    Heads heads = given[goal.place()];
    std::ranges::replace(heads, -2, -1);
    return heads;
  }
};

void check_regrets(const AllStates& all, const Heads& truth) {
  const std::size_t count = all.given.size();
  std::vector<std::int32_t> least(count, std::numeric_limits<std::int32_t>::max()), found(count, 0);
  for (std::size_t s = count; s-- > 0;) {  // successors have higher numbers
    if (all.successors[s].empty()) least[s] = loss(truth, all.output(StateId(s)));
    for (const auto& [move, to] : all.successors[s]) least[s] = std::min(least[s], least[to.place()]);
  }
  TransitionOracle oracle(all.states);
  oracle.open(truth, std::vector<std::int32_t>(truth.size(), 0));
  CHECK(least[0] == 0);
  for (std::size_t s = 0; s < count; ++s) {
    const bool exact = all.states.system() != TransitionSystem::arc_standard || all.successors[s].empty();
    CHECK(exact ? found[s] == least[s] : found[s] <= least[s]);
    ParserState state = all.states[StateId(s)];
    state.regret = found[s];
    state.lost = least[s] > 0;
    for (std::size_t t = 0; t < truth.size(); ++t) state.wrong += all.given[s][t] != -2 && all.given[s][t] != truth[t];
    CHECK(oracle.regret(state) == least[s]);
    for (const auto& [move, to] : all.successors[s]) {
      const TransitionOracle::Cost cost = oracle.cost(all.states[StateId(s)], move);
      found[to.place()] = found[s] + cost.regret;
      CHECK(cost.regret >= 0);
      if (least[s] == 0) CHECK(cost.loses == (least[to.place()] > 0));
    }
  }
}

void check_outputs(const AllStates& all, std::int32_t length) {
  std::vector<Heads> reached;
  for (std::size_t s = 0; s < all.given.size(); ++s) {
    if (all.successors[s].empty()) reached.push_back(all.output(StateId(s)));
  }
  std::ranges::sort(reached);
  reached.erase(std::ranges::unique(reached).begin(), reached.end());
  std::vector<Heads> trees = all_trees(length, true);
  std::ranges::sort(trees);
  CHECK(reached == trees);
}

void check_system(TransitionSystem system) {
  for (std::int32_t length = 1; length <= 6; ++length) {
    const AllStates all(system, length);
    check_outputs(all, length);
    for (const Heads& truth : all_trees(length, true)) check_regrets(all, truth);
  }
}

// The closest tree must have as many arcs of a tree as any projective tree has, and be the tree itself if this is projective.
void check_closest() {
  for (std::int32_t length = 1; length <= 5; ++length) {
    const std::vector<Heads> projective = all_trees(length, true);
    for (const Heads& tree : all_trees(length, false)) {
      Heads closest = tree;
      for (std::int32_t& head : closest) ++head;
      closest_projective(closest);
      for (std::int32_t& head : closest) --head;
      std::int32_t least = length;
      for (const Heads& other : projective) least = std::min(least, loss(tree, other));
      CHECK(is_dependency_tree(closest) && is_projective(closest) && loss(tree, closest) == least);
      CHECK(ProjectiveOrder().is_projective(tree) == is_projective(tree));
    }
  }
}

// States of equal marks must have the same arcs, the same stack and the same next token.
void check_marks(TransitionSystem system) {
  const AllStates all(system, 5);
  std::vector<std::pair<std::uint64_t, std::size_t>> marks;
  for (std::size_t s = 0; s < all.given.size(); ++s) marks.push_back({all.states[StateId(s)].mark, s});
  std::ranges::sort(marks);
  const auto stack = [&](std::size_t s) {
    std::vector<std::int32_t> tokens{all.states[StateId(s)].next};
    all.states.each_tree(all.states[StateId(s)], [&](const Subtree& tree) { return tokens.push_back(tree.token), true; });
    return tokens;
  };
  for (std::size_t i = 1; i < marks.size(); ++i) {
    const std::size_t a = marks[i - 1].second, b = marks[i].second;
    const bool same = all.given[a] == all.given[b] && stack(a) == stack(b);
    if (marks[i - 1].first == marks[i].first) CHECK(same);
  }
}

}  // namespace

int main() {
  for (const TransitionSystem system : {TransitionSystem::arc_hybrid, TransitionSystem::arc_eager, TransitionSystem::arc_standard}) {
    check_system(system);
    check_marks(system);
  }
  check_closest();
  return 0;
}
