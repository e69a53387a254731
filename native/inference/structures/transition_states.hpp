// States of a parser that builds a dependency tree from left to right: a stack of partial trees and the tokens to come.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "core/hash.hpp"
#include "inference/search/node.hpp"

namespace riata {

// Transition systems without an artificial root: a sentence of n tokens takes 2n - 1 moves, and the one token that is left is the root.
// Every swap takes two moves more: itself, and another shift.
//   arc-standard (Nivre 2004; Huang & Sagae 2010): left and right join the two upper trees of the stack.
//   arc-hybrid (Kuhlmann, Gómez-Rodríguez & Satta 2011): left makes the next token the head of the top, right joins two trees of the stack.
//   arc-eager (Nivre 2003): left makes the next token the head of the top, right makes the top the head of the next token and pushes this
//   token; reduce removes a top that has a head. The last token may be pushed only if one token of the stack stays without a head.
//   swap (Nivre 2009): arc-standard, and swap puts the second token of the stack back before the tokens to come, if it stands before the
//   top in the sentence. So two tokens are swapped at most once, and every tree can be built, with crossing arcs or without.
enum class TransitionSystem : std::int32_t { arc_hybrid, arc_eager, arc_standard, swap };
inline constexpr std::int32_t transition_systems = 4;

// No system has both reduce and swap, so they share a number.
enum class Move : std::int32_t { shift, reduce, left, right, swap = reduce };
inline constexpr Move all_moves[] = {Move::shift, Move::reduce, Move::left, Move::right};

// Operators as numbers: shift, reduce or swap, then left and right with the first relation, with the second, and so on. Where tags are
// chosen, a token is pushed for the first time by a shift that gives it a tag; these have numbers of their own, far above.
namespace moves {
inline constexpr ActionId first_tagging = ActionId{1} << 24;

constexpr ActionId action(Move move, std::int32_t relation = 0) noexcept {
  const auto number = static_cast<ActionId>(move);
  return number < 2 ? number : number + 2 * relation;
}
constexpr ActionId shift(std::int32_t tag) noexcept { return tag < 0 ? action(Move::shift) : first_tagging + tag; }
constexpr std::int32_t tag(ActionId action) noexcept { return action < first_tagging ? -1 : action - first_tagging; }  // -1: gives none
constexpr Move of(ActionId action) noexcept {
  if (action >= first_tagging) return Move::shift;
  return static_cast<Move>(action < 2 ? action : 2 + action % 2);
}
constexpr std::int32_t relation(ActionId action) noexcept { return action / 2 - 1; }         // of left and right
constexpr std::int32_t count(std::int32_t relations) noexcept { return 2 + 2 * relations; }  // without shifts that give tags
// Operators without gaps: shifts that give tags come last.
constexpr std::int32_t number(ActionId action, std::int32_t relations) noexcept {
  return action < first_tagging ? action : count(relations) + tag(action);
}
constexpr bool adds_arc(Move move) noexcept { return move == Move::left || move == Move::right; }
}  // namespace moves

// The arc that a move adds. Tokens count from 0.
struct Arc {
  std::int32_t head, child;
};

struct Child {
  std::int32_t token = -1, relation = -1;
  std::int32_t tag = -1;  // that was chosen for it; -1: none
};

// A token of the stack, or the next token, with what is attached to it. Its mark is a hash of all that features read of it.
struct Subtree {
  std::uint64_t mark = 0;
  std::int32_t token = -1;
  std::int32_t below = -1;                    // number of the tree below it on the stack; -1: none
  std::int32_t relation = -1;                 // to its head, if it has one already
  std::int32_t tag = -1;                      // that was chosen for it; -1: none
  Child left[2] = {}, right[2] = {};          // outermost child first
  std::int32_t lefts = 0, rights = 0;         // how many children
  std::uint64_t left_set = 0, right_set = 0;  // relations of its children, as bits

  explicit Subtree(std::int32_t of = -1) noexcept : mark(marked(0, {of, 0})), token(of) {}

  void add(Child child) noexcept { child.token < token ? add_left(child) : add_right(child); }
  void add_left(Child child) noexcept {
    enter(left, child, [](const Child& a, const Child& b) { return a.token < b.token; });
    left_set |= bit(child.relation);
    ++lefts;
    mark += marked(1, child);
  }
  void add_right(Child child) noexcept {
    enter(right, child, [](const Child& a, const Child& b) { return a.token > b.token; });
    right_set |= bit(child.relation);
    ++rights;
    mark += marked(2, child);
  }
  void attach(std::int32_t to_head) noexcept {
    relation = to_head;
    mark += marked(3, {token, to_head});
  }
  void give_tag(std::int32_t chosen) noexcept {
    tag = chosen;
    mark += marked(4, {token, 0, chosen});
  }

 private:
  // Where tokens were swapped, a child may come after others that are farther out.
  template <class Outer>
  static void enter(Child* known, Child child, Outer outer) noexcept {
    if (known[0].token >= 0 && !outer(child, known[0])) {
      if (known[1].token < 0 || outer(child, known[1])) known[1] = child;
      return;
    }
    known[1] = known[0];
    known[0] = child;
  }
  static std::uint64_t bit(std::int32_t number) noexcept { return std::uint64_t{1} << (number % 64); }
  static std::uint64_t marked(std::uint64_t what, Child child) noexcept {
    const auto tag = std::uint64_t(std::uint32_t(child.tag + 1)) << 8;
    return mix(mix(std::uint64_t(std::uint32_t(child.token)) << 32 | std::uint32_t(child.relation)) + (tag | what));
  }
};

struct ParserState {
  std::uint64_t mark = 0;                   // equal for states with the same arcs, stack and tokens to come
  std::int32_t next = 0;                    // token; all tokens before it have been pushed at least once
  std::int32_t top = -1, first = -1;        // trees: the top of the stack, and the first token to come if it has been touched; -1: none
  std::int32_t size = 0, without_head = 0;  // tokens of the stack, and those of them that have no head yet
  std::int32_t before[2] = {-1, -1};        // tags chosen for the tokens before `next`, the nearest first; -1: none
  std::int32_t regret = 0, wrong = 0;       // if the truth is known: costs of the moves so far, and what they have given wrongly
  bool lost = false;                        // whether the truth cannot be reached any more
};

// All states of the search of one sentence. A state takes constant memory: trees of the stack are shared.
class TransitionStates {
 public:
  explicit TransitionStates(TransitionSystem system) : system_(system) {}

  TransitionSystem system() const noexcept { return system_; }
  std::int32_t length() const noexcept { return length_; }
  std::int32_t size() const noexcept { return static_cast<std::int32_t>(states_.size()); }
  const ParserState& operator[](StateId state) const noexcept { return states_[state.place()]; }
  ParserState& operator[](StateId state) noexcept { return states_[state.place()]; }
  const Subtree& tree(std::int32_t number) const noexcept { return trees_[static_cast<std::size_t>(number)]; }

  StateId open(std::int32_t length) {
    length_ = length;
    states_.assign(1, {});
    trees_.clear();
    return StateId(0);
  }

  bool is_goal(const ParserState& state) const noexcept { return state.size == 1 && front(state) < 0; }

  // Whether a move that is allowed leads to a goal.
  bool leads_to_goal(const ParserState& state, Move move) const noexcept {
    if (move == Move::shift) {
      const bool more = state.first >= 0 && tree(state.first).below >= 0, fresh = front(state) == state.next;
      return state.size == 0 && !more && state.next + fresh == length_;
    }
    const bool pops = move != Move::swap || system_ == TransitionSystem::arc_eager;
    return pops && state.size == 2 && front(state) < 0;
  }

  // The token that is left after a move that leads to a goal.
  std::int32_t left_over(const ParserState& state, Move move) const noexcept {
    if (move == Move::shift) return front(state);
    return moves::adds_arc(move) ? arc(state, move).head : tree(tree(state.top).below).token;
  }

  // The first token to come; -1: there is none. Tokens that were put back, with what is attached to them, come before all others: they are
  // `first` and the trees below it.
  std::int32_t front(const ParserState& state) const noexcept {
    if (state.first >= 0) return tree(state.first).token;
    return state.next < length_ ? state.next : -1;
  }

  // Whether the first token to come has never been pushed.
  bool is_fresh(const ParserState& state) const noexcept { return front(state) == state.next; }

  bool allows(const ParserState& state, Move move) const noexcept {
    const bool more = state.next < length_, last = state.next + 1 == length_, eager = system_ == TransitionSystem::arc_eager;
    switch (move) {
      case Move::shift:
        return (more || state.first >= 0) && !(eager && last && state.size > 0);
      case Move::reduce:
        if (system_ == TransitionSystem::swap) return state.size > 1 && tree(tree(state.top).below).token < tree(state.top).token;
        return eager && state.size > 1 && tree(state.top).relation >= 0;
      case Move::left:
        if (joins()) return state.size > 1;
        return more && state.size > 0 && !(eager && tree(state.top).relation >= 0);
      case Move::right:
        if (!eager) return state.size > 1;
        return more && state.size > 0 && (!last || state.without_head == 1);
    }
    return false;
  }

  Arc arc(const ParserState& state, Move move) const noexcept {
    const Subtree& top = tree(state.top);
    if (move == Move::left) return joins() ? Arc{top.token, tree(top.below).token} : Arc{state.next, top.token};
    return system_ == TransitionSystem::arc_eager ? Arc{top.token, state.next} : Arc{tree(top.below).token, top.token};
  }

  // The mark of the state that an operator leads to.
  std::uint64_t mark_after(const ParserState& state, ActionId action) const noexcept {
    const Move move = moves::of(action);
    if (system_ == TransitionSystem::swap) return swap_mark_after(state, action);
    std::uint64_t mark = state.mark;
    if (move == Move::reduce) mark ^= mark_of(0, tree(state.top).token, 0);
    if (moves::adds_arc(move)) {
      const Arc arc = this->arc(state, move);
      mark ^= mark_of(arc.head + 1, arc.child, moves::relation(action) + 1);
    }
    const bool takes = move == Move::shift || (move == Move::right && system_ == TransitionSystem::arc_eager);
    return takes ? mark ^ mark_of(-1, state.next, moves::tag(action) + 1) : mark;
  }

  // The state after an operator, which must be allowed. Its regret is that of the state before.
  StateId apply(StateId from, ActionId action) {
    ParserState to = states_[from.place()];
    to.mark = mark_after(to, action);
    const std::int32_t relation = moves::relation(action);
    switch (moves::of(action)) {
      case Move::shift:
        shift(to, moves::tag(action));
        break;
      case Move::reduce:
        system_ == TransitionSystem::swap ? put_back(to) : pop(to);
        break;
      case Move::left:
        joins() ? join_left(to, relation) : left(to, relation);
        break;
      case Move::right:
        system_ == TransitionSystem::arc_eager ? push_right(to, relation) : join_right(to, relation);
        break;
    }
    states_.push_back(to);
    return StateId(states_.size() - 1);
  }

  // Calls visit(tree) from the top of the stack downwards, until it returns false.
  template <class Visit>
  void each_tree(const ParserState& state, Visit visit) const {
    each_from(state.top, visit);
  }
  // Calls visit(tree) for a tree and those below it, until it returns false.
  template <class Visit>
  void each_from(std::int32_t number, Visit visit) const {
    for (std::int32_t at = number; at >= 0; at = tree(at).below) {
      if (!visit(tree(at))) return;
    }
  }

 private:
  bool joins() const noexcept { return system_ == TransitionSystem::arc_standard || system_ == TransitionSystem::swap; }

  static std::uint64_t mark_of(std::int32_t head, std::int32_t child, std::int32_t relation) noexcept {
    const auto pair = std::uint64_t(std::uint32_t(head)) << 32 | std::uint32_t(child);
    return mix(mix(pair + 1) + std::uint64_t(std::uint32_t(relation)));
  }

  // With swaps, the mark is made of arcs, of tokens that were pushed, and of neighbours on the stack and among tokens that were put back.
  std::uint64_t swap_mark_after(const ParserState& state, ActionId action) const noexcept {
    const Move move = moves::of(action);
    const auto token_of = [&](std::int32_t number) { return number >= 0 ? tree(number).token : -1; };
    const auto stacked = [&](std::int32_t below, std::int32_t token) { return mark_of(-2, token, below + 1); };
    const auto waiting = [&](std::int32_t token, std::int32_t after) { return mark_of(-3, token, after + 1); };
    const std::int32_t top = token_of(state.top);
    if (move == Move::shift) {
      const std::uint64_t mark = state.mark ^ stacked(top, front(state));
      if (state.first < 0) return mark ^ mark_of(-1, state.next, moves::tag(action) + 1);
      return mark ^ waiting(front(state), token_of(tree(state.first).below));
    }
    const Subtree& second = tree(tree(state.top).below);
    const std::int32_t third = token_of(second.below);
    std::uint64_t mark = state.mark ^ stacked(second.token, top);
    if (move != Move::right) mark ^= stacked(third, second.token) ^ stacked(third, top);
    if (move == Move::swap) return mark ^ waiting(second.token, token_of(state.first));
    const Arc arc = this->arc(state, move);
    return mark ^ mark_of(arc.head + 1, arc.child, moves::relation(action) + 1);
  }

  std::int32_t add(const Subtree& tree) {
    trees_.push_back(tree);
    return static_cast<std::int32_t>(trees_.size() - 1);
  }

  // The next token as a tree that will lie on this one.
  Subtree next_on(const ParserState& state, std::int32_t below) const {
    Subtree out = state.first >= 0 ? tree(state.first) : Subtree(state.next);
    out.below = below;
    return out;
  }

  void shift(ParserState& to, std::int32_t tag) {
    const std::int32_t after = to.first >= 0 ? tree(to.first).below : -1;
    Subtree pushed = next_on(to, to.top);
    if (tag >= 0) pushed.give_tag(tag);
    if (is_fresh(to)) take(to, tag);
    to.top = add(pushed);
    to.first = after;
    ++to.size;
    ++to.without_head;
  }
  static void take(ParserState& to, std::int32_t tag) noexcept {
    to.before[1] = to.before[0];
    to.before[0] = tag;
    ++to.next;
  }
  void pop(ParserState& to) const {
    const Subtree& top = tree(to.top);
    to.without_head -= top.relation < 0;
    to.top = top.below;
    --to.size;
  }
  void left(ParserState& to, std::int32_t relation) {
    Subtree head = next_on(to, -1);
    head.add_left({tree(to.top).token, relation, tree(to.top).tag});
    pop(to);
    to.first = add(head);
  }
  void put_back(ParserState& to) {
    Subtree top = tree(to.top), second = tree(top.below);
    top.below = second.below;
    second.below = to.first;
    to.top = add(top);
    to.first = add(second);
    --to.size;
    --to.without_head;
  }
  void join_left(ParserState& to, std::int32_t relation) {
    Subtree head = tree(to.top);
    const Subtree& child = tree(head.below);
    const std::int32_t below = child.below;
    head.add({child.token, relation, child.tag});
    head.below = below;
    to.top = add(head);
    --to.size;
    --to.without_head;
  }
  void join_right(ParserState& to, std::int32_t relation) {
    const Child child{tree(to.top).token, relation, tree(to.top).tag};
    Subtree head = tree(tree(to.top).below);
    head.add(child);
    to.top = add(head);
    --to.size;
    --to.without_head;
  }
  void push_right(ParserState& to, std::int32_t relation) {
    Subtree head = tree(to.top);
    head.add_right({to.next, relation});
    Subtree child = next_on(to, add(head));
    child.attach(relation);
    to.top = add(child);
    to.first = -1;
    take(to, -1);
    ++to.size;
  }

  TransitionSystem system_;
  std::int32_t length_ = 0;
  std::vector<ParserState> states_;
  std::vector<Subtree> trees_;
};

}  // namespace riata
