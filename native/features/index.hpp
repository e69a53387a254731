// The feature index: a trie of id pairs (see README.md beside it). Every n-gram of attribute values has a dense id in its family, and a
// template reads a family at an offset.
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
  std::int32_t offset;  // of the n-gram's first position, from the present token
  bool edge;            // scores a pair of neighbouring labels instead of a single label
};

// Values of the attributes at every token, and where sentences start.
struct Tokens {
  std::vector<std::span<const std::int32_t>> values;  // [A][N]; -1: a value that training has not seen
  std::span<const std::int64_t> starts;               // [S + 1] first token of each sentence, then N
};

class FeatureIndex {
 public:
  // Throws Error if the specifications do not form a trie or reach further than boundary_reach.
  // transitions: whether pairs of neighbouring labels have weights of their own, beside those of edge templates.
  // history: templates that also read earlier labels.
  // columns: [attributes] the column of the data that each attribute reads; empty: each attribute has its own column.
  // bits: 0 for exact dictionaries; otherwise n-grams are not stored, their ids are hashes, and the weights are one table of 2^bits.
  // others: further (family, offset) that are read, by other features than the templates of tokens.
  FeatureIndex(std::vector<FamilySpec> families, const std::vector<TemplateSpec>& templates, std::int32_t attributes, bool transitions,
               std::vector<HistorySlot> history = {}, std::vector<std::int32_t> columns = {}, std::int32_t bits = 0,
               const std::vector<std::pair<std::int32_t, std::int32_t>>& others = {});

  std::int32_t families() const noexcept { return static_cast<std::int32_t>(specs_.size()); }
  std::int32_t attributes() const noexcept { return attributes_; }
  std::int32_t column(std::int32_t attribute) const noexcept { return columns_[attribute]; }
  const FamilySpec& spec(std::int32_t family) const noexcept { return specs_[family]; }
  // The distance from the first to the last position of a family's n-grams.
  std::int32_t reach(std::int32_t family) const noexcept {
    std::int32_t furthest = 0;
    for (; family >= 0; family = specs_[family].parent) furthest = std::max(furthest, specs_[family].offset);
    return furthest;
  }
  std::int32_t size(std::int32_t family) const noexcept { return dictionaries_[family].size(); }
  std::int32_t pad() const noexcept { return pad_; }
  bool transitions() const noexcept { return transitions_; }
  bool hashed() const noexcept { return bits_ > 0; }
  HashTable table(std::int32_t labels) const noexcept { return {bits_, labels}; }

  // The id of an n-gram from the id of its parent (-1 for a root) and its last value; -1 if it is unknown.
  std::int32_t find(std::int32_t family, std::int32_t parent, std::int32_t value) const noexcept {
    return hashed() ? hashed_ngram(family, parent, value) : dictionaries_[family].find(parent, value);
  }
  std::int32_t parent(std::int32_t family, std::int32_t id) const noexcept { return dictionaries_[family].left(id); }
  std::int32_t value(std::int32_t family, std::int32_t id) const noexcept { return dictionaries_[family].right(id); }

  // Allocates memory for `count` n-grams.
  void reserve(std::int32_t family, std::size_t count) { dictionaries_[family].reserve(count); }
  // Adds one n-gram when a model is loaded. Throws Error unless the n-gram is new and its parent exists.
  void insert(std::int32_t family, std::int32_t parent, std::int32_t value);

  const SumPlan& plan() const noexcept { return plan_; }
  const std::vector<Slot>& node_slots() const noexcept { return node_slots_; }
  const std::vector<Slot>& edge_slots() const noexcept { return edge_slots_; }
  const std::vector<HistorySlot>& history_slots() const noexcept { return history_slots_; }
  std::int32_t node_slots_of(std::int32_t family) const noexcept { return node_counts_[family]; }
  std::int32_t edge_slots_of(std::int32_t family) const noexcept { return edge_counts_[family]; }

  // Adds all n-grams that occur at least `cutoff` times in the tokens, and returns the same as look_up. A hashed index adds nothing. The
  // result, including the ids, does not depend on the number of threads.
  std::vector<std::vector<std::int32_t>> extend(const Tokens& tokens, std::int64_t cutoff, std::int64_t threads = 1);

  // Ids of the n-grams at all positions: [F][padded positions], -1 where an n-gram is unknown; empty for families that no template reads.
  // Token t of sentence s has the padded position starts[s] + 2 * pad * s + pad + t.
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
  std::vector<std::int32_t> first_;        // [F] lowest offset at which the family or a descendant is read
  std::vector<std::int32_t> last_;         // [F] highest offset at which the family or a descendant is read
  std::vector<HistorySlot> history_slots_;
  std::vector<Slot> node_slots_, edge_slots_;
  SumPlan plan_;                                         // order in which the rows of node slots are added up
  std::vector<std::int32_t> node_counts_, edge_counts_;  // [F] how many slots read the family
  std::vector<std::uint8_t> read_;                       // [F] whether a template reads the family itself, not only its descendants
  std::int32_t attributes_;
  std::vector<std::int32_t> columns_;  // [attributes_] the column that each attribute reads
  bool transitions_;
  std::int32_t bits_;     // of the hash table; 0: exact dictionaries
  std::int32_t pad_ = 0;  // positions outside a sentence, on either side, at which families are read
};

}  // namespace riata
