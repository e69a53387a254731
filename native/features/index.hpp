// The feature index: a trie of pairs (see HACKING.md). Every n-gram of attribute values has a dense id in its
// family, and a template reads a family at an offset.
#pragma once

#include <algorithm>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "core/id_pair_index.hpp"
#include "features/hashed.hpp"
#include "features/history.hpp"
#include "features/sentence_runs.hpp"
#include "features/sum_plan.hpp"

namespace riata {

// Values 0..15 of every attribute stand for positions outside the sentence: 0..7 are 1..8 before its first token,
// 8..15 are 1..8 after its last. An attribute's alphabet follows, so value = boundary_values + id in the alphabet.
inline constexpr std::int32_t boundary_reach = 8;
inline constexpr std::int32_t boundary_values = 2 * boundary_reach;

struct TemplateSpec {
  std::int32_t family;
  std::int32_t offset;  // of the n-gram's first position from the token at hand
  bool edge;            // scores a pair of neighbouring labels instead of one label
};

// Values of the attributes at every token, and where sentences start.
struct Tokens {
  std::vector<std::span<const std::int32_t>> values;  // [A][N]; -1 = a value never seen in training
  std::span<const std::int64_t> starts;               // [S + 1]
};

class FeatureIndex {
 public:
  // Throws Error where the specifications do not form a trie or reach further than boundary_reach.
  // transitions: whether pairs of neighbouring labels have a weight of their own, apart from edge templates.
  // history: templates that read earlier labels too. columns: [attributes] of whose word types each is a function; empty: each
  // reads a column of its own. bits: 0 for exact dictionaries; else nothing is kept of n-grams, a hash is their id, and the weights are one
  // table of 2^bits. others: (family, offset) that are read besides, by something else than the templates of tokens.
  FeatureIndex(std::vector<FamilySpec> families, const std::vector<TemplateSpec>& templates, std::int32_t attributes, bool transitions,
               std::vector<HistorySlot> history = {}, std::vector<std::int32_t> columns = {}, std::int32_t bits = 0,
               const std::vector<std::pair<std::int32_t, std::int32_t>>& others = {});

  std::int32_t families() const noexcept { return static_cast<std::int32_t>(specs_.size()); }
  std::int32_t attributes() const noexcept { return attributes_; }
  std::int32_t column(std::int32_t attribute) const noexcept { return columns_[attribute]; }
  const FamilySpec& spec(std::int32_t family) const noexcept { return specs_[family]; }
  // How far the last position of a family's n-grams is from their first.
  std::int32_t reach(std::int32_t family) const noexcept {
    std::int32_t furthest = 0;
    for (; family >= 0; family = specs_[family].parent) furthest = std::max(furthest, specs_[family].offset);
    return furthest;
  }
  std::int32_t size(std::int32_t family) const noexcept { return dictionaries_[family].size(); }
  std::int32_t pad() const noexcept { return pad_; }
  bool transitions() const noexcept { return transitions_; }
  bool hashed() const noexcept { return bits_ > 0; }
  HashTable table(std::int32_t labels, std::int32_t stride) const noexcept { return {bits_, labels, stride}; }

  // The id of an n-gram from that of its parent (-1 for a root) and its last value.
  std::int32_t find(std::int32_t family, std::int32_t parent, std::int32_t value) const noexcept {
    return hashed() ? hashed_ngram(family, parent, value) : dictionaries_[family].find(parent, value);
  }
  std::int32_t parent(std::int32_t family, std::int32_t id) const noexcept { return dictionaries_[family].left(id); }
  std::int32_t value(std::int32_t family, std::int32_t id) const noexcept { return dictionaries_[family].right(id); }

  // Makes room for so many n-grams.
  void reserve(std::int32_t family, std::size_t count) { dictionaries_[family].reserve(count); }
  // Adds one n-gram; used when a model is loaded. Throws Error unless it is new and its parent exists.
  void insert(std::int32_t family, std::int32_t parent, std::int32_t value);

  const SumPlan& plan() const noexcept { return plan_; }
  const std::vector<Slot>& node_slots() const noexcept { return node_slots_; }
  const std::vector<Slot>& edge_slots() const noexcept { return edge_slots_; }
  const std::vector<HistorySlot>& history_slots() const noexcept { return history_slots_; }
  std::int32_t node_slots_of(std::int32_t family) const noexcept { return node_counts_[family]; }
  std::int32_t edge_slots_of(std::int32_t family) const noexcept { return edge_counts_[family]; }

  // Adds every n-gram of the tokens that occurs at least `cutoff` times in them (none where n-grams are hashed), and looks them all up.
  // Neither the numbers of the n-grams nor anything else depends on how many threads share the work.
  std::vector<std::vector<std::int32_t>> extend(const Tokens& tokens, std::int64_t cutoff, std::int64_t threads = 1);

  // Ids of all n-grams at all positions: [F][padded positions], -1 where unknown; empty for families that
  // no template reads. Position t of sentence s is starts[s] + 2 * pad * s + pad + t.
  std::vector<std::vector<std::int32_t>> look_up(const Tokens& tokens, std::int64_t threads = 1) const;

 private:
  template <class Visit>
  void for_each_position(std::int32_t family, const Tokens& tokens, Sentences some, Visit visit) const;
  template <class Visit>
  void for_each_ngram(std::int32_t f, const Tokens& tokens, Sentences some, const std::vector<std::vector<std::int32_t>>& ids,
                      Visit visit) const;
  using Parts = std::vector<std::vector<std::int32_t>>;
  std::int64_t parents(std::int32_t f) const noexcept { return specs_[f].parent < 0 ? 0 : size(specs_[f].parent); }
  bool is_small(std::int32_t f, const Tokens& tokens) const;
  void add_all(std::int32_t f, const Tokens& tokens, std::vector<std::vector<std::int32_t>>& ids);
  void first_seen(std::int32_t f, const Tokens& tokens, const std::vector<std::vector<std::int32_t>>& ids, std::size_t part,
                  Parts& seen) const;
  void number(std::int32_t f, const Tokens& tokens, std::vector<std::vector<std::int32_t>>& ids, Parts seen);
  void prune(std::int32_t f, std::int32_t first, std::int64_t cutoff, std::vector<std::int32_t>& ids);
  void drop_unread(std::vector<std::vector<std::int32_t>>& ids) const;

  std::vector<FamilySpec> specs_;          // [F] parents before children
  std::vector<IdPairIndex> dictionaries_;  // [F] (id in the parent or -1, value) -> id
  std::vector<std::int32_t> first_;        // [F] lowest offset at which the family is read, descendants included
  std::vector<std::int32_t> last_;         // [F] highest
  std::vector<HistorySlot> history_slots_;
  std::vector<Slot> node_slots_, edge_slots_;
  SumPlan plan_;                                         // of the node slots
  std::vector<std::int32_t> node_counts_, edge_counts_;  // [F]
  std::vector<std::uint8_t> read_;                       // [F] whether any template reads the family itself
  std::int32_t attributes_;
  std::vector<std::int32_t> columns_;  // [attributes_]
  bool transitions_;
  std::int32_t bits_;     // of the table of weights; 0: exact
  std::int32_t pad_ = 0;  // how far any family is read outside a sentence
};

}  // namespace riata
