// Which moves of a parser that swaps tokens lead to the true tree.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "inference/structures/projective_order.hpp"
#include "inference/structures/transition_states.hpp"

namespace riata {

// The lazy oracle of Nivre, Kuhlmann & Hall 2009: two tokens are swapped if they stand the other way round in the order in which no arcs
// cross, and the upper one does not go on with the first token to come in a part that is built without swaps. An arc is added when the
// child has all its children. Differs: a token that has more children to come in its part may get its left child before or after them.
//
// A state is y-good as long as it is on such a way. Others, with more swaps, may lead to the same tree; at the end they are y-good too. The
// number is a lower bound: it counts tokens that have a wrong head, and tokens whose true head has got its own head before them. At the end
// it is the loss.
class SwapOracle {
 public:
  SwapOracle(const TransitionStates& states, const std::vector<std::int32_t>& heads) : states_(states), heads_(heads) {}

  void open() { order_.open(heads_); }

  std::int32_t regret(const ParserState& state, Move move) const {
    if (!moves::adds_arc(move)) return 0;
    const Arc arc = states_.arc(state, move);
    const std::int32_t head = heads_[at(arc.child)];
    return (head != arc.head && (head < 0 || is_there(state, head))) + missing(state, arc.child);
  }

  // Asked for in states that are y-good.
  bool loses(const ParserState& state, Move move) const {
    if (moves::adds_arc(move)) {
      const Arc arc = states_.arc(state, move);
      return heads_[at(arc.child)] != arc.head || missing(state, arc.child) > 0;
    }
    if (state.size < 2) return false;
    const Subtree& top = states_.tree(state.top);
    const std::int32_t second = states_.tree(top.below).token, front = states_.front(state);
    const bool goes_on = front >= 0 && order_.component(top.token) == order_.component(front);
    const bool swaps = order_[top.token] < order_[second] && !goes_on;
    if (move == Move::swap) return !swaps;
    if (swaps) return true;
    if (heads_[at(top.token)] == second) return missing(state, top.token) == 0;
    const bool may_wait = goes_on && children_to_come(state, top.token) > 0;
    return heads_[at(second)] == top.token && missing(state, second) == 0 && !may_wait;
  }

 private:
  static std::size_t at(std::int32_t token) noexcept { return static_cast<std::size_t>(token); }

  // Whether a token has no head yet.
  bool is_there(const ParserState& state, std::int32_t token) const {
    bool found = token >= state.next;
    const auto look = [&](const Subtree& tree) { return !(found = found || tree.token == token); };
    if (!found) states_.each_from(state.top, look);
    if (!found) states_.each_from(state.first, look);
    return found;
  }
  // How many tokens without a head have this head: all, and those of them that are not on the stack.
  std::int32_t missing(const ParserState& state, std::int32_t head) const {
    return children_from(state.top, head) + children_to_come(state, head);
  }
  std::int32_t children_to_come(const ParserState& state, std::int32_t head) const {
    std::int32_t sum = children_from(state.first, head);
    for (std::int32_t t = state.next; t < states_.length(); ++t) sum += heads_[at(t)] == head;
    return sum;
  }
  std::int32_t children_from(std::int32_t number, std::int32_t head) const {
    std::int32_t sum = 0;
    states_.each_from(number, [&](const Subtree& tree) {
      sum += heads_[at(tree.token)] == head;
      return true;
    });
    return sum;
  }

  const TransitionStates& states_;
  const std::vector<std::int32_t>& heads_;  // [tokens] of the true tree, from 0; -1: the root
  ProjectiveOrder order_;
};

}  // namespace riata
