// The features of a state of a parser, and the scores of all its operators.
#pragma once

#include <algorithm>
#include <bit>
#include <cstdint>
#include <cstdlib>
#include <map>
#include <utility>
#include <vector>

#include "core/hash.hpp"
#include "core/kernels.hpp"
#include "core/memo.hpp"
#include "features/block_rows.hpp"
#include "features/instances.hpp"
#include "features/transition_templates.hpp"
#include "inference/structures/transition_states.hpp"
#include "models/vector.hpp"

namespace riata {

// A feature is a template whose places all exist, with the values that it reads there. Templates that look at the same trees of the stack
// and tokens to come form a group. Its scores are remembered by the marks of these trees, so that states which share them share the work.
template <class Real>
class TransitionScorer {
 public:
  TransitionScorer(const TransitionTemplates& templates, const BlockRows& rows, const Instances& instances, const Vector<Real>& weights,
                   std::int32_t stride)
      : templates_(templates),
        rows_(rows),
        instances_(instances),
        weights_(weights),
        stride_(stride),
        found_at_(templates.places().size()),
        values_(templates.parts().size() + 1, 0) {
    std::map<std::uint32_t, Group> groups;
    for (std::int32_t t = 0; t < static_cast<std::int32_t>(templates.templates().size()); ++t) {
      const std::vector<std::int32_t>& read = templates.templates()[static_cast<std::size_t>(t)];
      for (std::size_t i = 0; i < TransitionTemplates::most_parts; ++i)
        reads_.push_back(i < read.size() ? read[i] : static_cast<std::int32_t>(values_.size()) - 1);  // the last value is 0
      std::uint32_t read_from = 0;
      for (const std::int32_t p : read) read_from |= bases_of(templates.parts()[static_cast<std::size_t>(p)]);
      Group& group = groups[read_from];
      group.bases = read_from;
      group.templates.push_back(t);
      for (const std::int32_t p : read) enter(p, group.parts);
    }
    for (auto& [read_from, group] : groups) {
      for (const std::int32_t p : group.parts) {
        const ParserPart& part = templates.parts()[static_cast<std::size_t>(p)];
        enter(part.place, group.places);
        if (part.kind == ParserPart::distance) enter(part.other, group.places);
      }
      groups_.push_back(std::move(group));
    }
  }

  void open(std::int64_t sentence) noexcept {
    origin_ = instances_.origin(sentence);
    start_ = instances_.starts[static_cast<std::size_t>(sentence)];
    forget();
  }

  // Finds all features of a state. set_number(set of relations): its number as a value, or -1.
  template <class SetNumber>
  const std::vector<RowKey>& look(const TransitionStates& states, const ParserState& state, SetNumber set_number) {
    keys_.clear();
    find_bases(states, state);
    for (const Group& group : groups_) {
      if ((group.bases & ~present_) == 0) look(group, set_number);
    }
    return keys_;
  }

  // Writes the scores of all operators of a state, without the scale of the weights; out: [stride].
  void score(const TransitionStates& states, const ParserState& state, Real* out) {
    if (version_ != weights_.version() || arena_.size() > most_remembered) forget();
    find_bases(states, state);
    used_.clear();
    fresh_.clear();
    for (std::size_t g = 0; g < groups_.size(); ++g) {
      if ((groups_[g].bases & ~present_) != 0) continue;
      std::int64_t& start = memo_.at(mark_of(g));
      if (start < 0) {
        start = static_cast<std::int64_t>(arena_.size());
        arena_.resize(arena_.size() + static_cast<std::size_t>(stride_), Real{0});
        fresh_.push_back({g, start});
      }
      used_.push_back(start);
    }
    if (!fresh_.empty()) compute();
    std::fill_n(out, stride_, Real{0});
    summed_.clear();
    for (const std::int64_t start : used_) summed_.push_back(arena_.data() + start);
    sum_rows(summed_.data(), static_cast<std::int64_t>(summed_.size()), stride_, out);
  }

 private:
  static constexpr std::int32_t none = -1;                 // there is no such token, or training has not seen the value
  static constexpr std::int32_t most_children = 7;         // that are counted
  static constexpr std::int32_t near = 4, far = 10;        // distances up to `near` are told apart
  static constexpr std::size_t most_remembered = 1 << 19;  // numbers, so that they stay in the cache

  struct Group {
    std::uint32_t bases = 0;  // the bases of places that its templates read, as bits
    std::vector<std::int32_t> templates = {}, parts = {}, places = {};
  };
  struct Found {
    std::int32_t token = none, relation = none;
    const Subtree* tree = nullptr;  // of the token itself, if it is on the stack or the next one
    std::int32_t tag = none;        // that was chosen for it
  };

  static void enter(std::int32_t number, std::vector<std::int32_t>& list) {
    if (std::find(list.begin(), list.end(), number) == list.end()) list.push_back(number);
  }
  std::uint32_t bases_of(const ParserPart& part) const noexcept {
    const auto at = [&](std::int32_t p) {
      const ParserPlace& place = templates_.places()[static_cast<std::size_t>(p)];
      const std::uint32_t up = place.hop == ParserPlace::head ? 3 : place.hop == ParserPlace::head2 ? 7 : 1;  // heads lie below
      return up << place.base;
    };
    return at(part.place) | (part.kind == ParserPart::distance ? at(part.other) : 0);
  }

  void forget() noexcept {
    memo_.clear();
    arena_.clear();
    version_ = weights_.version();
  }

  // Finds the trees and tokens that places start from, and their marks.
  void find_bases(const TransitionStates& states, const ParserState& state) {
    present_ = 0;
    std::int32_t number = state.top;
    for (std::int32_t base = 0; base < stacked; ++base) {
      trees_[base] = number >= 0 ? &states.tree(number) : nullptr;
      if (number < 0) continue;
      set(base, trees_[base]->mark);
      number = trees_[base]->below;
    }
    std::int32_t token = state.next;
    number = state.first;
    for (std::int32_t k = 0; k < ParserPlace::depth; ++k) {
      const Subtree* tree = to_come_[k].tree = number >= 0 ? &states.tree(number) : nullptr;
      if (tree == nullptr && token == states.length()) break;
      to_come_[k].token = tree != nullptr ? tree->token : token;
      token += to_come_[k].token == token;  // tokens that were put back come before this one
      number = tree != nullptr ? tree->below : -1;
      to_come_[k].tag = tree != nullptr ? tree->tag : none;
      set(ParserPlace::depth + k, tree != nullptr ? tree->mark : static_cast<std::uint64_t>(to_come_[k].token));
    }
    for (std::int32_t k = 0; k < std::min(ParserPlace::past, state.next); ++k) {
      past_[k].token = state.next - 1 - k;
      past_[k].tag = state.before[k];
      set(2 * ParserPlace::depth + k, mix(std::uint64_t(std::uint32_t(past_[k].token)) << 32 | std::uint32_t(past_[k].tag + 1)));
    }
  }
  void set(std::int32_t base, std::uint64_t mark) noexcept {
    present_ |= 1u << base;
    marks_[base] = mark;
  }
  // One number for all that a group looks at. It is a hash, so two different states share it with a probability of 2^-64.
  std::uint64_t mark_of(std::size_t g) const noexcept {
    std::uint64_t mark = g;
    for (std::uint32_t left = groups_[g].bases; left != 0; left &= left - 1)
      mark = mix(mark + marks_[static_cast<std::size_t>(std::countr_zero(left))]) + g;
    return mark;
  }

  template <class SetNumber>
  void look(const Group& group, SetNumber set_number) {
    for (const std::int32_t p : group.places)
      found_at_[static_cast<std::size_t>(p)] = found(templates_.places()[static_cast<std::size_t>(p)]);
    for (const std::int32_t p : group.parts)
      values_[static_cast<std::size_t>(p)] = value(templates_.parts()[static_cast<std::size_t>(p)], set_number);
    for (const std::int32_t t : group.templates) {
      const std::int32_t* read = reads_.data() + static_cast<std::ptrdiff_t>(t) * TransitionTemplates::most_parts;
      const std::int32_t values[] = {values_[read[0]], values_[read[1]], values_[read[2]], values_[read[3]]};
      if ((values[0] | values[1] | values[2] | values[3]) >= 0) keys_.push_back(RowKey::of(t, values));
    }
  }

  // Adds up the rows of the groups that were not remembered. All rows are asked for before the first is read.
  void compute() {
    keys_.clear();
    ends_.clear();
    for (const auto& [g, start] : fresh_) {
      look(groups_[g], [&](std::uint64_t set) { return rows_.find_set(set); });
      ends_.push_back(keys_.size());
    }
    hashes_.resize(keys_.size());
    for (std::size_t k = 0; k < keys_.size(); ++k) rows_.prefetch(hashes_[k] = BlockRows::hash(keys_[k]));
    blocks_.clear();
    std::size_t k = 0;
    for (std::size_t f = 0; f < fresh_.size(); ++f) {
      for (; k < ends_[f]; ++k) {
        rows_.each(keys_[k], hashes_[k], [&](std::int32_t block, const BlockRows::Operators& operators) {
          __builtin_prefetch(weights_.data() + std::int64_t{block} * BlockRows::width);
          blocks_.push_back({fresh_[f].second, block, operators});
        });
      }
    }
    for (const auto& [start, block, operators] : blocks_) {
      const Real* row = weights_.data() + std::int64_t{block} * BlockRows::width;
      Real* to = arena_.data() + start;
      for (std::size_t j = 0; j < operators.size(); ++j) to[operators[j]] += row[j];
    }
  }

  Found found(const ParserPlace& place) const noexcept {
    if (place.base >= 2 * ParserPlace::depth) return past_[place.base - 2 * ParserPlace::depth];
    if (place.base >= ParserPlace::depth) {
      const Found& at = to_come_[place.base - ParserPlace::depth];
      return place.hop == ParserPlace::itself ? at : child(at.tree, place.hop);
    }
    const Subtree& tree = *trees_[place.base];
    if (place.hop == ParserPlace::itself) return {tree.token, tree.relation, &tree, tree.tag};
    if (place.hop != ParserPlace::head && place.hop != ParserPlace::head2) return child(&tree, place.hop);
    const std::int32_t up = place.base + (place.hop == ParserPlace::head ? 1 : 2);  // the head of a token that has one lies below it
    for (std::int32_t at = place.base; at < up; ++at) {
      if (trees_[at]->relation < 0) return {};
    }
    return {trees_[up]->token, trees_[up]->relation, trees_[up], trees_[up]->tag};
  }
  static Found child(const Subtree* tree, std::int32_t hop) noexcept {
    if (tree == nullptr) return {};
    const Child* of[] = {nullptr, &tree->left[0], &tree->left[1], &tree->right[0], &tree->right[1]};
    return {of[hop]->token, of[hop]->relation, nullptr, of[hop]->tag};
  }

  template <class SetNumber>
  std::int32_t value(const ParserPart& part, SetNumber set_number) const {
    const Found& at = found_at_[static_cast<std::size_t>(part.place)];
    if (at.token < 0) return none;
    switch (part.kind) {
      case ParserPart::ngram:
        return instances_.ngrams[static_cast<std::size_t>(part.other)][static_cast<std::size_t>(origin_ + at.token + part.offset)];
      case ParserPart::relation:
        return at.relation + 1;
      case ParserPart::lefts:
        return at.tree == nullptr ? 0 : std::min(at.tree->lefts, most_children);
      case ParserPart::rights:
        return at.tree == nullptr ? 0 : std::min(at.tree->rights, most_children);
      case ParserPart::left_set:
        return set_number(at.tree == nullptr ? 0 : at.tree->left_set);
      case ParserPart::right_set:
        return set_number(at.tree == nullptr ? 0 : at.tree->right_set);
      case ParserPart::tag:
        return at.tag >= 0 ? at.tag : instances_.choices.of_token(start_ + at.token).front();
      default: {
        const std::int32_t other = found_at_[static_cast<std::size_t>(part.other)].token;
        const std::int32_t distance = std::abs(other - at.token);
        return other < 0 ? none : distance <= near ? distance : distance <= far ? near + 1 : near + 2;
      }
    }
  }

  static constexpr std::int32_t stacked = ParserPlace::depth;

  const TransitionTemplates& templates_;
  const BlockRows& rows_;
  const Instances& instances_;
  const Vector<Real>& weights_;
  std::int32_t stride_;
  std::vector<Group> groups_;
  std::vector<std::int32_t> reads_;      // [templates][most_parts] places in values_
  std::int64_t origin_ = 0, start_ = 0;  // padded position of the first token, and its place among all tokens

  // The present state.
  std::uint32_t present_ = 0;  // bases that exist, as bits
  std::uint64_t marks_[ParserPlace::bases] = {};
  const Subtree* trees_[stacked] = {};
  Found to_come_[ParserPlace::depth] = {};  // with their trees, if they have been touched
  Found past_[ParserPlace::past] = {};
  std::vector<Found> found_at_;       // [places]
  std::vector<std::int32_t> values_;  // [parts], then 0
  std::vector<RowKey> keys_;

  // Scores that are remembered: where they stand in the arena, by mark.
  Memo memo_;
  std::vector<Real> arena_;
  std::int64_t version_ = -1;
  std::vector<std::int64_t> used_;
  std::vector<std::pair<std::size_t, std::int64_t>> fresh_;  // groups, and where their scores will stand
  std::vector<const Real*> summed_;
  std::vector<std::size_t> ends_;      // [fresh_]
  std::vector<std::uint64_t> hashes_;  // [keys_]
  struct Addend {
    std::int64_t start;  // where it is added
    std::int32_t block;
    BlockRows::Operators operators;
  };
  std::vector<Addend> blocks_;
};

}  // namespace riata
