// By how much each move of a parser raises the least loss that can still be reached: the regret of transition systems.
#pragma once

#include <algorithm>
#include <cstdint>
#include <span>
#include <vector>

#include "inference/structures/standard_regret.hpp"
#include "inference/structures/swap_oracle.hpp"
#include "inference/structures/transition_states.hpp"

namespace riata {

// The truth is a tree with one root, and projective unless there are swaps. The loss counts tokens with a wrong head or a wrong relation.
//
// Arc-hybrid and arc-eager: the costs of Goldberg & Nivre 2013, exact, added up along the path.
// Differs: there is no artificial root. A token is the root if it stays at the bottom of the stack, so the true root is lost as soon as it
// is pushed on another token. In arc-eager, tokens of the stack other than the bottom must get a head from a token to come; if one of them
// has lost its true head, an arc on the way from it, or from what lies on it, to the last token is lost (`blocked`).
//
// Arc-standard: whether the truth can still be reached is exact. The sum of the costs is a lower bound: it counts tokens that have a wrong
// head or relation, and tokens whose true head has got all its children already. At the end it is the loss. StandardRegret computes the
// regret of a state.
//
// Swap: see SwapOracle.
class TransitionOracle {
 public:
  explicit TransitionOracle(const TransitionStates& states) : states_(states), swaps_(states, heads_), standard_(states) {}
  TransitionOracle(const TransitionOracle&) = delete;
  TransitionOracle& operator=(const TransitionOracle&) = delete;

  static constexpr std::int32_t root = -1, any_head = -2;

  // heads: [tokens] from 0; -1: the root. Where the head is any_head, no head is wrong; not with swaps, and only costs may then be asked.
  void open(std::span<const std::int32_t> heads, std::span<const std::int32_t> relations) {
    heads_.assign(heads.begin(), heads.end());
    relations_.assign(relations.begin(), relations.end());
    last_child_.assign(heads_.size(), -1);
    for (std::int32_t t = 0; t < length(); ++t) {
      if (heads_[at(t)] >= 0) last_child_[at(heads_[at(t)])] = t;
    }
    if (states_.system() == TransitionSystem::swap) swaps_.open();
    if (states_.system() == TransitionSystem::arc_standard) standard_.open(heads_);
  }

  bool is_arc(Arc arc) const noexcept { return heads_[at(arc.child)] == arc.head; }
  std::int32_t relation(std::int32_t child) const noexcept { return relations_[at(child)]; }

  // What a move costs, whatever relation it gives.
  struct Cost {
    std::int32_t regret;  // by which it rises
    bool loses;           // whether the truth cannot be reached any more; asked for in states from which it can be reached
  };
  Cost cost(const ParserState& state, Move move) const {
    if (states_.system() == TransitionSystem::swap) return {swaps_.regret(state, move), swaps_.loses(state, move)};
    if (states_.system() == TransitionSystem::arc_standard) return {standard(state, move), standard_loses(state, move)};
    const std::int32_t regret = states_.system() == TransitionSystem::arc_hybrid
                                    ? hybrid(state, move)
                                    : eager(state, move) + blocked_after(state, move) - blocked(state);
    return {regret, regret > 0};
  }
  // The regret of a state: exact where costs add up to a lower bound only, if that does not take too long.
  std::int32_t regret(const ParserState& state) {
    if (states_.system() != TransitionSystem::arc_standard || !state.lost) return state.regret;
    const std::int32_t least = standard_.least(state);
    return least < 0 ? std::max(state.regret, 1) : state.wrong + least;
  }
  // What a relation adds to that.
  bool is_wrong(Arc arc, std::int32_t relation) const noexcept { return is_arc(arc) && relations_[at(arc.child)] != relation; }

 private:
  static std::size_t at(std::int32_t token) noexcept { return static_cast<std::size_t>(token); }
  std::int32_t length() const noexcept { return static_cast<std::int32_t>(heads_.size()); }

  bool on_stack(const ParserState& state, std::int32_t token) const {
    bool found = false;
    states_.each_tree(state, [&](const Subtree& tree) {
      found = tree.token == token;
      return tree.token > token;
    });
    return found;
  }
  // How many tokens to come have this head.
  std::int32_t children_to_come(const ParserState& state, std::int32_t head) const noexcept {
    std::int32_t sum = 0;
    for (std::int32_t t = state.next; t <= last_child_[at(head)]; ++t) sum += heads_[at(t)] == head;
    return sum;
  }
  // How many tokens of the stack without a head have this head.
  std::int32_t children_on_stack(const ParserState& state, std::int32_t head) const {
    std::int32_t sum = 0;
    states_.each_tree(state, [&](const Subtree& tree) {
      sum += tree.relation < 0 && heads_[at(tree.token)] == head;
      return true;
    });
    return sum;
  }

  std::int32_t hybrid(const ParserState& state, Move move) const {
    if (move == Move::shift) {
      const std::int32_t head = heads_[at(state.next)];
      if (state.size == 0) return 0;
      const bool lost = head == root || (head < state.next && head != states_.tree(state.top).token && on_stack(state, head));
      return lost + children_on_stack(state, state.next);
    }
    const Subtree& top = states_.tree(state.top);
    const std::int32_t head = heads_[at(top.token)];
    const bool below = top.below >= 0 && head == states_.tree(top.below).token;
    const bool reachable = head >= state.next || below || (head == root && state.size == 1);
    const bool lost = reachable && !is_arc(states_.arc(state, move));
    return lost + children_to_come(state, top.token);
  }

  std::int32_t eager(const ParserState& state, Move move) const {
    const std::int32_t next = state.next;
    if (move == Move::shift) {
      const std::int32_t head = heads_[at(next)];
      const bool lost = head == root ? state.size > 0 : head < next && on_stack(state, head);
      return lost + children_on_stack(state, next);
    }
    if (move == Move::right) {
      const std::int32_t head = heads_[at(next)];
      const bool reachable = head == root || head > next || on_stack(state, head);
      return (reachable && !is_arc(states_.arc(state, move))) + children_on_stack(state, next);
    }
    const Subtree& top = states_.tree(state.top);
    const std::int32_t head = heads_[at(top.token)];
    const bool reachable = move == Move::left && (head >= next || (head == root && state.size == 1));
    return (reachable && !is_arc(states_.arc(state, move))) + children_to_come(state, top.token);
  }

  // In arc-eager, whether one of the arcs that lead from the stack down to the last token is lost although each of them can be reached: a
  // token at or below the first of them on the stack, other than the bottom, has lost its own head, and must go before the last token is
  // pushed.
  bool blocked(const ParserState& state) const { return blocks(state.next, state.top, false); }
  bool blocked_after(const ParserState& state, Move move) const {
    const bool takes = move == Move::shift || move == Move::right;
    if (!takes) return blocks(state.next, states_.tree(state.top).below, false);
    const std::int32_t head = heads_[at(state.next)];
    const bool without_head = move == Move::shift && state.size > 0 && head != any_head && head <= state.next;
    return blocks(state.next + 1, state.top, ancestor(state.next + 1) == state.next, without_head);
  }
  // The lowest token that is above the last token in the tree and not to come; -1: the root is to come.
  std::int32_t ancestor(std::int32_t next) const noexcept {
    std::int32_t token = length() - 1;
    while (token >= next) token = heads_[at(token)];
    return token;
  }
  // top: number of the first tree to look at; above: whether the head is above it; found: whether one without a head is above it.
  bool blocks(std::int32_t next, std::int32_t top, bool above, bool found = false) const {
    const std::int32_t head = next < length() ? ancestor(next) : -1;
    found = found && above;
    for (std::int32_t number = top; number >= 0 && head >= 0; number = states_.tree(number).below) {
      const Subtree& tree = states_.tree(number);
      above = above || tree.token == head;
      const std::int32_t of_tree = heads_[at(tree.token)];
      found = found || (above && tree.below >= 0 && tree.relation < 0 && of_tree != any_head && of_tree < next);
    }
    return found && head >= 0;
  }

  std::int32_t standard(const ParserState& state, Move move) const {
    if (move == Move::shift) return 0;
    const Arc arc = states_.arc(state, move);
    const std::int32_t head = heads_[at(arc.child)];
    const bool open = head == root || head >= state.next || on_stack(state, head);
    return (open && head != arc.head) + children_to_come(state, arc.child) + children_on_stack(state, arc.child);
  }
  bool standard_loses(const ParserState& state, Move move) const {
    if (move == Move::shift) {
      if (state.size < 2) return false;
      const Subtree& top = states_.tree(state.top);
      const std::int32_t below = states_.tree(top.below).token;
      const bool joins = heads_[at(top.token)] == below || heads_[at(below)] == top.token;
      return joins && children_to_come(state, top.token) == 0;
    }
    const Arc arc = states_.arc(state, move);
    return !is_arc(arc) || children_to_come(state, arc.child) > 0;
  }

  const TransitionStates& states_;
  std::vector<std::int32_t> heads_, relations_, last_child_;  // [tokens]
  SwapOracle swaps_;
  StandardRegret standard_;
};

}  // namespace riata
