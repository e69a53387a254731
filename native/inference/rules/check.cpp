#include "inference/rules/check.hpp"

#include <algorithm>

namespace riata {
namespace {

std::int32_t label_of(std::int32_t label) noexcept { return label; }
std::int32_t label_of(const Part& part) noexcept { return part.label; }

// Adds a broken rule to a verdict.
template <class Kind>
void note(const Kind& rule, RuleVerdict& verdict) {
  if (rule.hard())
    verdict.legal = false;
  else
    verdict.penalty += rule.penalty;
}

}  // namespace

// Counts what rules of all sentences count, whatever the positions.
template <class Labels>
void RuleCheck::count(const Labels& labels) {
  seen_.assign(rules_.shared().size(), 0);
  sum_.assign(rules_.shared().size(), 0);
  for (const auto& one : labels) {
    if (label_of(one) < 0) continue;
    for (const Rules::Counted& counted : rules_.counted(label_of(one))) {
      seen_[static_cast<std::size_t>(counted.rule)] |= counted.when;
      sum_[static_cast<std::size_t>(counted.rule)] += counted.count;
    }
  }
}

bool RuleCheck::keeps_counts(std::size_t shared) const noexcept {
  const Rule& rule = rules_.shared()[shared];
  return (!rule.always && seen_[shared] == 0) || (sum_[shared] >= rule.low && sum_[shared] <= rule.high);
}

RuleVerdict RuleCheck::of_labels(std::span<const std::int32_t> labels) {
  RuleVerdict verdict;
  const std::span<const Rule> shared = rules_.shared();
  if (!shared.empty()) count(labels);
  for (std::size_t r = 0; r < shared.size(); ++r) {
    if (!keeps_counts(r)) note(shared[r], verdict);
  }
  for (const Automaton& automaton : rules_.automata()) {
    if (!keeps(automaton, labels)) note(automaton, verdict);
  }
  return verdict;
}

RuleVerdict RuleCheck::operator()(std::int64_t sentence, std::span<const Part> parts, std::vector<std::int32_t>* broken) {
  const std::span<const Rule> shared = rules_.shared(), own = rules_.of(sentence);
  RuleVerdict verdict;
  std::int32_t number = 0;
  const auto judge = [&](const auto& rule, bool kept) {
    if (!kept) note(rule, verdict);
    if (!kept && broken != nullptr) broken->push_back(number);
    ++number;
  };
  count(parts);
  auto listing = rules_.listing().begin();
  for (std::size_t r = 0; r < shared.size(); ++r) {
    const bool lists = listing != rules_.listing().end() && *listing == static_cast<std::int32_t>(r);
    listing += lists;
    judge(shared[r], lists ? keeps(shared[r], parts) : keeps_counts(r));
  }
  for (const Rule& rule : own) judge(rule, keeps(rule, parts));
  for (const Automaton& automaton : rules_.automata()) judge(automaton, keeps(automaton, parts));
  return verdict;
}

bool RuleCheck::keeps(const Rule& rule, std::span<const Part> parts) const noexcept {
  if (!rule.always && std::none_of(parts.begin(), parts.end(), [&](const Part& part) { return rules_.has(rule.when, part); })) return true;
  const auto sum = std::count_if(parts.begin(), parts.end(), [&](const Part& part) { return rules_.has(rule.count, part); });
  return sum >= rule.low && sum <= rule.high;
}

template <class Labels>
bool RuleCheck::keeps(const Automaton& automaton, const Labels& labels) const noexcept {
  const auto count = static_cast<std::size_t>(rules_.labels());
  std::int32_t state = 0;
  for (const auto& one : labels) {
    if (label_of(one) < 0) continue;
    state = automaton.next[static_cast<std::size_t>(state) * count + static_cast<std::size_t>(label_of(one))];
    if (state < 0) return false;
  }
  return automaton.accepting[static_cast<std::size_t>(state)] != 0;
}

std::vector<std::uint8_t> verdicts_of(const Rules& rules, std::span<const std::int64_t> starts, std::span<const std::int32_t> labels) {
  const auto positions = static_cast<std::size_t>(starts.back());
  const std::size_t each = positions == 0 ? 0 : labels.size() / positions;
  if (labels.size() != each * positions) throw Error("RiataError", "labels do not fit the sentences");
  for (const std::int32_t label : labels) {
    if (label < -1 || label >= rules.labels()) throw Error("RiataError", "the rules were made for other labels");
  }
  rules.check_sentences(static_cast<std::int64_t>(starts.size()) - 1);
  RuleCheck check(rules);
  std::vector<std::uint8_t> out;
  std::vector<Part> parts;
  for (std::size_t s = 0; s + 1 < starts.size(); ++s) {
    const auto from = static_cast<std::size_t>(starts[s]), to = static_cast<std::size_t>(starts[s + 1]);
    RuleVerdict verdict;
    if (to > from && !check.needs_positions(static_cast<std::int64_t>(s))) {
      verdict = check.of_labels(labels.subspan(from * each, (to - from) * each));
    } else if (to > from) {
      parts.clear();
      for (std::size_t k = from * each; k < to * each; ++k) {
        if (labels[k] >= 0) parts.push_back({static_cast<std::int32_t>(k / each - from), labels[k]});
      }
      verdict = check(static_cast<std::int64_t>(s), parts);
    }
    out.push_back(!verdict.legal ? 2 : verdict.penalty > 0);
  }
  return out;
}

}  // namespace riata
