// Whether a finished output keeps the rules.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "inference/rules/rules.hpp"

namespace riata {

struct RuleVerdict {
  bool legal = true;   // no rule without a penalty is broken
  double penalty = 0;  // of all other rules that are broken

  bool clean() const noexcept { return legal && penalty == 0; }
};

class RuleCheck {
 public:
  explicit RuleCheck(const Rules& rules) : rules_(rules) {}

  // parts: of the output, in the order of positions. broken: if given, the numbers of the rules of the sentence that are broken are
  // appended: those of all sentences, its own, and then the automata.
  RuleVerdict operator()(std::int64_t sentence, std::span<const Part> parts, std::vector<std::int32_t>* broken = nullptr);

  // The same for the labels of an output, one after the other, -1 for none, if no rule lists positions.
  RuleVerdict of_labels(std::span<const std::int32_t> labels);
  bool needs_positions(std::int64_t sentence) const noexcept { return !rules_.listing().empty() || !rules_.of(sentence).empty(); }

 private:
  bool keeps_counts(std::size_t shared) const noexcept;
  template <class Labels>
  void count(const Labels& labels);
  template <class Labels>
  bool keeps(const Automaton& automaton, const Labels& labels) const noexcept;
  bool keeps(const Rule& rule, std::span<const Part> parts) const noexcept;

  const Rules& rules_;
  std::vector<std::int32_t> seen_, sum_;  // [rules of all sentences]
};

// What outputs break, [S]: 0: nothing; 1: rules with penalties only; 2: other rules. starts: [S + 1] first positions; labels: as many at
// every position, -1 for none. Sentences without positions break nothing.
std::vector<std::uint8_t> verdicts_of(const Rules& rules, std::span<const std::int64_t> starts, std::span<const std::int32_t> labels);

}  // namespace riata
