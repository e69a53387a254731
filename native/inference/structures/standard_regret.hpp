// The least loss that a state of arc-standard can still reach, by dynamic programming (Goldberg, Sartorio & Satta 2014).
#pragma once

#include <algorithm>
#include <cstdint>
#include <limits>
#include <span>
#include <vector>

#include "inference/structures/transition_states.hpp"

namespace riata {

// What lies on the stack from a token upwards becomes one tree before it is joined with the token below. So a table is kept of trees that
// cover the upper i tokens of the stack and the tokens to come before j, by root: the fewest tokens in them that get a wrong head.
//
// Differs: a tree is joined with tokens to come without building these first. As many of their arcs are kept as there can be: all that the
// truth has among the tokens that a root gets on one side, since the truth has no crossing arcs, and those from the root. There is no
// artificial root: the root that is left counts as wrong if it is not the true one.
class StandardRegret {
 public:
  static constexpr double most_work = 1e8;  // steps of the table; states that need more are not computed

  explicit StandardRegret(const TransitionStates& states) : states_(states) {}

  // heads: [tokens] of a tree without crossing arcs, from 0; -1: the root. Must stay as they are.
  void open(std::span<const std::int32_t> heads) {
    heads_ = heads;
    firsts_.assign(heads.size() + 1, 0);
    children_.resize(heads.size());
    for (const std::int32_t head : heads) {
      if (head >= 0) ++firsts_[at(head) + 1];
    }
    for (std::size_t t = 0; t < heads.size(); ++t) firsts_[t + 1] += firsts_[t];
    std::vector<std::int32_t> next(firsts_.begin(), firsts_.end());
    for (std::int32_t t = 0; t < length(); ++t) {
      if (heads_[at(t)] >= 0) children_[at(next[at(heads_[at(t)])]++)] = t;
    }
  }

  // How many tokens that have no head yet get a wrong one, at least; -1: that would take too long.
  std::int32_t least(const ParserState& state) {
    if (state.size == 0) return 0;  // nothing has happened yet
    stack_.clear();
    states_.each_tree(state, [&](const Subtree& tree) { return stack_.push_back(tree.token), true; });
    next_ = state.next;
    const std::size_t to_come = at(length() - next_), roots = stack_.size() + to_come;
    if (double(stack_.size()) * double(to_come) * double(to_come) * double(roots) > most_work) return -1;
    table_.assign((to_come + 1) * roots, unknown);
    cell(0, 0) = 0;
    for (std::size_t i = 0; i < stack_.size(); ++i) {
      for (std::size_t j = 0; j < to_come; ++j) take_tokens(j);
      if (i + 1 < stack_.size()) join_below(i + 1, to_come);
    }
    std::int32_t least = unknown;
    for (std::size_t root = 0; root < roots; ++root) {
      if (cell(to_come, root) < unknown) least = std::min(least, cell(to_come, root) + (heads_[at(token(root))] >= 0));
    }
    return least;
  }

 private:
  static constexpr std::int32_t unknown = std::numeric_limits<std::int32_t>::max() / 2;

  static std::size_t at(std::int32_t token) noexcept { return static_cast<std::size_t>(token); }
  std::int32_t length() const noexcept { return static_cast<std::int32_t>(heads_.size()); }
  // Roots are numbered: tokens of the stack from the top, then tokens to come.
  std::size_t roots() const noexcept { return stack_.size() + at(length() - next_); }
  std::int32_t token(std::size_t root) const noexcept {
    return root < stack_.size() ? stack_[root] : next_ + static_cast<std::int32_t>(root - stack_.size());
  }
  // Of the trees that cover the tokens to come before j; the tokens of the stack that they cover are those of the present step.
  std::int32_t& cell(std::size_t j, std::size_t root) noexcept { return table_[j * roots() + root]; }

  // Goes on from all trees before j to longer ones. Arcs of the truth among the tokens between are added up on the way.
  void take_tokens(std::size_t j) {
    const std::int32_t first = next_ + static_cast<std::int32_t>(j);
    std::int32_t among = 0;  // arcs of the truth among the tokens from `first` on, before `t`
    gained_.assign(roots(), 0);
    for (std::int32_t t = first; t < length(); ++t) {
      std::int32_t lefts = 0;  // children of t from `first` on
      for (std::int32_t c = firsts_[at(t)]; c < firsts_[at(t) + 1]; ++c) lefts += children_[at(c)] >= first && children_[at(c)] < t;
      const std::int32_t missed = t - first - among - lefts;
      const std::size_t to = at(t - next_) + 1, as_root = stack_.size() + to - 1;
      among += lefts + (heads_[at(t)] >= first && heads_[at(t)] < t);
      for (std::size_t root = 0; root < roots(); ++root) {
        const std::int32_t before = cell(j, root);
        if (before >= unknown) continue;
        // The root becomes a child of t, as all tokens between do or their heads.
        lower(cell(to, as_root), before + missed + (heads_[at(token(root))] != t));
        // It becomes the head of all tokens up to t, or of their heads.
        gained_[root] += heads_[at(t)] == token(root);
        lower(cell(to, root), before + (t - first + 1) - among - gained_[root]);
      }
    }
  }

  // Joins all trees with the token of the stack below them.
  void join_below(std::size_t below, std::size_t to_come) {
    for (std::size_t j = 0; j <= to_come; ++j) {
      std::int32_t as_child = unknown;
      for (std::size_t root = 0; root < roots(); ++root) {
        std::int32_t& now = cell(j, root);
        if (now >= unknown) continue;
        as_child = std::min(as_child, now + (heads_[at(token(root))] != stack_[below]));
        now += heads_[at(stack_[below])] != token(root);
      }
      cell(j, below) = as_child;
    }
  }
  static void lower(std::int32_t& value, std::int32_t to) noexcept { value = std::min(value, to); }

  const TransitionStates& states_;
  std::span<const std::int32_t> heads_;
  std::vector<std::int32_t> firsts_, children_;  // children of the tokens, token by token
  std::vector<std::int32_t> stack_, table_, gained_;
  std::int32_t next_ = 0;
};

}  // namespace riata
