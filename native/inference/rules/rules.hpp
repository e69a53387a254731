// Rules that outputs must keep, or pay for, in the form that search reads: numbers of chosen parts, and automata.
#pragma once

#include <algorithm>
#include <cstdint>
#include <limits>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "core/error.hpp"
#include "inference/rules/part.hpp"

namespace riata {

// All parts whose label is in a set of labels and whose position is listed.
struct PartSet {
  std::int32_t labels = 0;        // number of a set of labels
  bool everywhere = true;         // whether all positions count; otherwise those of the list, which is sorted
  std::int64_t from = 0, to = 0;  // the list: a range of Rules::positions
};

// If some part of `when` is chosen, or always, the number of chosen parts of `count` is from low to high.
struct Rule {
  bool always = true;
  PartSet when = {}, count = {};
  std::int32_t low = 0;
  std::int32_t high = std::numeric_limits<std::int32_t>::max();
  double penalty =
      std::numeric_limits<double>::infinity();  // subtracted once from the score of an output that breaks it; infinite: illegal
  std::int32_t origin = 0;                      // number of the declared constraint that it is part of

  bool hard() const noexcept { return penalty == std::numeric_limits<double>::infinity(); }
};

// Reads the labels of all parts in the order of positions, from state 0 on. An output keeps it if the last state is accepting.
struct Automaton {
  std::int32_t states = 0;
  std::vector<std::int32_t> next;       // [states][labels] -1: no output goes on
  std::vector<std::uint8_t> accepting;  // [states]
  double penalty = std::numeric_limits<double>::infinity();
  std::int32_t origin = 0;

  bool hard() const noexcept { return penalty == std::numeric_limits<double>::infinity(); }
};

// The rules of a corpus: those of all sentences, and more of single ones.
class Rules {
 public:
  // tracks: into how many labels each of the parts at one position is divided, such as tags and chunk labels. open: whether a position may
  // have any number of parts of the last track.
  explicit Rules(std::vector<std::int32_t> tracks, bool open = false) : tracks_(std::move(tracks)), open_(open) {
    for (const std::int32_t count : tracks_) labels_ += count;
    by_label_.resize(static_cast<std::size_t>(labels_));
  }

  std::int32_t labels() const noexcept { return labels_; }

  // Adds a set of labels, [labels] flags, and returns its number.
  std::int32_t add_labels(std::span<const std::uint8_t> flags);
  PartSet everywhere(std::int32_t labels) const noexcept { return {labels, true, 0, 0}; }
  PartSet at(std::int32_t labels, std::span<const std::int32_t> positions);

  // Rules and automata of all sentences must be added before those of the first sentence. end_sentence: the rules that follow belong to the
  // next sentence.
  void share(const Rule& rule);
  void share(Automaton automaton);
  void add(const Rule& rule);
  void end_sentence() { starts_.push_back(static_cast<std::int64_t>(rules_.size())); }

  std::span<const Rule> shared() const noexcept { return std::span(rules_).first(static_cast<std::size_t>(starts_.front())); }
  std::span<const Rule> of(std::int64_t sentence) const noexcept {
    if (starts_.size() == 1) return {};
    const auto s = static_cast<std::size_t>(sentence);
    return std::span(rules_).subspan(static_cast<std::size_t>(starts_[s]), static_cast<std::size_t>(starts_[s + 1] - starts_[s]));
  }
  std::span<const Automaton> automata() const noexcept { return automata_; }
  // The rules of all sentences that count a label wherever it is, and what it adds to each: 0 or 1.
  struct Counted {
    std::int32_t rule;  // number in shared()
    std::int32_t when, count;
  };
  std::span<const Counted> counted(std::int32_t label) const noexcept { return by_label_[static_cast<std::size_t>(label)]; }
  // The rules of all sentences that list positions: numbers in shared(), in increasing order.
  std::span<const std::int32_t> listing() const noexcept { return listing_; }

  // How many rules and automata count for a sentence.
  std::size_t count(std::int64_t sentence) const noexcept { return shared().size() + of(sentence).size() + automata_.size(); }
  bool empty() const noexcept { return rules_.empty() && automata_.empty(); }

  // Throws unless automata may read labels in another order than that of positions: those of one track ahead of those of another, or, if
  // any is true, in any order.
  void check_order(bool by_position, bool any) const;
  // Throws unless there are rules for this many sentences; rules of all sentences only fit any number.
  void check_sentences(std::int64_t sentences) const;
  // Throws unless the structure has the same labels.
  void check_tracks(const std::vector<std::int32_t>& tracks) const;

  bool has_label(const PartSet& set, std::int32_t label) const noexcept {
    return flags_[static_cast<std::size_t>(set.labels) * static_cast<std::size_t>(labels_) + static_cast<std::size_t>(label)] != 0;
  }
  bool has_position(const PartSet& set, std::int32_t position) const noexcept {
    if (set.everywhere) return true;
    const std::span<const std::int32_t> list = positions(set);
    return std::binary_search(list.begin(), list.end(), position);
  }
  bool has(const PartSet& set, const Part& part) const noexcept { return has_label(set, part.label) && has_position(set, part.position); }
  std::span<const std::int32_t> positions(const PartSet& set) const noexcept {
    return std::span(positions_).subspan(static_cast<std::size_t>(set.from), static_cast<std::size_t>(set.to - set.from));
  }
  // How many parts of a set can be chosen at most at the positions from `first` to before `length`.
  std::int32_t most(const PartSet& set, std::int32_t first, std::int32_t length) const noexcept {
    const std::int32_t each = most_at_position_[static_cast<std::size_t>(set.labels)];
    const std::span<const std::int32_t> list = positions(set);
    const auto listed = static_cast<std::int32_t>(list.end() - std::lower_bound(list.begin(), list.end(), first));
    const std::int32_t left = set.everywhere ? length - first : listed;
    return left > 0 && each == any_number ? any_number : each * left;
  }

 private:
  static constexpr std::int32_t any_number = 1 << 30;  // more parts than there can be

  void check(const PartSet& set) const;
  void check(const Rule& rule) const;

  std::vector<std::int32_t> tracks_;
  bool open_;
  std::int32_t labels_ = 0;
  std::vector<std::uint8_t> flags_;             // [sets of labels][labels]
  std::vector<std::int32_t> most_at_position_;  // [sets of labels] how many labels of the set one position can have
  std::vector<std::int32_t> positions_;         // the lists of all sets of parts
  std::vector<Rule> rules_;                     // those of all sentences, then those of each
  std::vector<std::int64_t> starts_{0};         // [1 + sentences] where the rules of each sentence begin in rules_
  std::vector<Automaton> automata_;
  std::vector<std::vector<Counted>> by_label_;
  std::vector<std::int32_t> listing_;
};

}  // namespace riata
