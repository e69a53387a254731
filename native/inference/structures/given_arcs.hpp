// Heads, relations and tags that are given to a parser by moves: which moves keep them in reach.
#pragma once

#include <algorithm>
#include <cstdint>
#include <span>
#include <vector>

#include "inference/corpus.hpp"
#include "inference/structures/transition_model.hpp"
#include "inference/structures/transition_oracle.hpp"
#include "inference/structures/transition_states.hpp"

namespace riata {

// A token has a given head or none, relations that it may have, and a given tag or none, if tags are chosen. A move is forbidden if a given
// arc can never be added after it: in arc-hybrid, where arcs can be reached together if each of them can (Goldberg & Nivre 2013), all other
// moves lead to an output that has the given arcs. In other systems they may lead nowhere, and a wider search must be tried.
class GivenArcs {
 public:
  GivenArcs(const TransitionStates& states, const TransitionCoding& coding) : states_(states), coding_(coding), oracle_(states) {}

  void open(const Corpus& corpus, std::int64_t sentence) {
    active_ = !corpus.instances.allowed.of.empty();
    if (!active_) return;
    const auto tokens = static_cast<std::size_t>(corpus.length(sentence));
    heads_.assign(tokens, TransitionOracle::any_head);
    tags_.assign(tokens, -1);
    flags_.assign(tokens, nullptr);
    for (std::size_t t = 0; t < tokens; ++t) {
      flags_[t] = corpus.instances.allowed.at(corpus.instances.starts[static_cast<std::size_t>(sentence)] + static_cast<std::int64_t>(t));
      if (flags_[t] == nullptr) continue;
      heads_[t] = head_in(flags_[t]);
      tags_[t] = tag_in(flags_[t] + corpus.instances.allowed.width);
    }
    if (!swaps()) oracle_.open(heads_, heads_);
  }

  bool forbids(const ParserState& state, Move move) const {
    if (!active_) return false;
    if (states_.leads_to_goal(state, move) && !may_be_root(states_.left_over(state, move))) return true;
    if (moves::adds_arc(move)) {
      const Arc arc = states_.arc(state, move);
      const std::int32_t head = heads_[static_cast<std::size_t>(arc.child)];
      if (head != TransitionOracle::any_head && head != arc.head) return true;
      if (swaps()) return waits_for(state, arc.child);
    }
    return !swaps() && oracle_.cost(state, move).regret > 0;
  }

  // The relations that a child may have, among those that training saw with the tags; if none of these is allowed, others. The relation of
  // the root is none of these.
  std::span<const std::int32_t> relations(std::int32_t child, std::span<const std::int32_t> seen) {
    const std::uint8_t* flags = active_ ? flags_[static_cast<std::size_t>(child)] : nullptr;
    if (flags == nullptr) return seen;
    listed_.clear();
    for (const std::int32_t relation : seen) {
      if (flags[relation]) listed_.push_back(relation);
    }
    for (std::int32_t relation = 0; relation < coding_.relations && listed_.empty(); ++relation) {
      if (flags[relation] && (relation != coding_.root || coding_.relations == 1)) listed_.push_back(relation);
    }
    return listed_;
  }

  // The tags that a token may have: the given one, even if it is not likely, or those that are.
  std::span<const std::int32_t> tags(std::int32_t token, std::span<const std::int32_t> likely) const noexcept {
    const auto place = static_cast<std::size_t>(token);
    return active_ && tags_[place] >= 0 ? std::span(tags_).subspan(place, 1) : likely;
  }

 private:
  bool swaps() const noexcept { return coding_.system == TransitionSystem::swap; }

  // The one head that flags of relations, and of heads behind them, allow; otherwise any_head. Only the root has the relation of the root.
  std::int32_t head_in(const std::uint8_t* flags) const noexcept {
    const std::uint8_t *of_heads = flags + coding_.relations, *last = of_heads + heads_.size() + 1;
    if (std::count(of_heads, last, 1) == 1) return static_cast<std::int32_t>(std::find(of_heads, last, 1) - of_heads) - 1;
    return coding_.relations > 1 && std::count(flags, of_heads, 1) == 1 && flags[coding_.root] ? -1 : TransitionOracle::any_head;
  }
  // The one tag that flags allow, which are the last before `end`; otherwise -1.
  std::int32_t tag_in(const std::uint8_t* end) const noexcept {
    const std::uint8_t* first = end - coding_.tags;
    return std::count(first, end, 1) == 1 ? static_cast<std::int32_t>(std::find(first, end, 1) - first) : -1;
  }
  // Whether a token without a head has this given one.
  bool waits_for(const ParserState& state, std::int32_t head) const {
    bool found = std::find(heads_.begin() + state.next, heads_.end(), head) != heads_.end();
    const auto look = [&](const Subtree& tree) {
      found = found || heads_[static_cast<std::size_t>(tree.token)] == head;
      return !found;
    };
    states_.each_tree(state, look);
    states_.each_from(state.first, look);
    return found;
  }
  bool may_be_root(std::int32_t token) const {
    const std::uint8_t* flags = flags_[static_cast<std::size_t>(token)];
    return heads_[static_cast<std::size_t>(token)] < 0 && (flags == nullptr || flags[coding_.root]);
  }

  const TransitionStates& states_;
  const TransitionCoding& coding_;
  TransitionOracle oracle_;
  bool active_ = false;
  std::vector<std::int32_t> heads_;         // [tokens] from 0; -1: the root
  std::vector<std::int32_t> tags_;          // [tokens] given; -1: none
  std::vector<const std::uint8_t*> flags_;  // [tokens] of relations that are allowed; nullptr: all
  std::vector<std::int32_t> listed_;
};

}  // namespace riata
