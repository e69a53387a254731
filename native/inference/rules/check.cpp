#include "inference/rules/check.hpp"

#include <algorithm>

namespace riata {

RuleCheck::RuleCheck(const Rules& rules) : rules_(rules), starts_{0} {
  const std::span<const Rule> shared = rules.shared();
  const auto reads_list = [](const Rule& rule) { return !rule.count.everywhere || (!rule.always && !rule.when.everywhere); };
  for (std::int32_t label = 0; label < rules.labels(); ++label) {
    for (std::size_t r = 0; r < shared.size(); ++r) {
      const Rule& rule = shared[r];
      if (reads_list(rule)) continue;
      const std::int32_t when = !rule.always && rules.has_label(rule.when, label), count = rules.has_label(rule.count, label);
      if (when + count > 0) counted_.push_back({static_cast<std::int32_t>(r), when, count});
    }
    starts_.push_back(counted_.size());
  }
  for (std::size_t r = 0; r < shared.size(); ++r) {
    if (reads_list(shared[r])) slow_.push_back(static_cast<std::int32_t>(r));
  }
}

RuleVerdict RuleCheck::operator()(std::int64_t sentence, std::span<const Part> parts, std::vector<std::int32_t>* broken) {
  const std::span<const Rule> shared = rules_.shared(), own = rules_.of(sentence);
  RuleVerdict verdict;
  const auto note = [&](const auto& rule, std::size_t number) {
    if (rule.hard())
      verdict.legal = false;
    else
      verdict.penalty += rule.penalty;
    if (broken != nullptr) broken->push_back(static_cast<std::int32_t>(number));
  };
  seen_.assign(shared.size(), 0);
  sum_.assign(shared.size(), 0);
  for (const Part& part : parts) {
    const auto label = static_cast<std::size_t>(part.label);
    for (std::size_t k = starts_[label]; k < starts_[label + 1]; ++k) {
      seen_[static_cast<std::size_t>(counted_[k].rule)] |= counted_[k].when;
      sum_[static_cast<std::size_t>(counted_[k].rule)] += counted_[k].count;
    }
  }
  auto slow = slow_.begin();
  for (std::size_t r = 0; r < shared.size(); ++r) {
    const Rule& rule = shared[r];
    bool kept = (!rule.always && seen_[r] == 0) || (sum_[r] >= rule.low && sum_[r] <= rule.high);
    if (slow != slow_.end() && *slow == static_cast<std::int32_t>(r)) {
      kept = keeps(rule, parts);
      ++slow;
    }
    if (!kept) note(rule, r);
  }
  for (std::size_t r = 0; r < own.size(); ++r) {
    if (!keeps(own[r], parts)) note(own[r], shared.size() + r);
  }
  const std::span<const Automaton> automata = rules_.automata();
  for (std::size_t a = 0; a < automata.size(); ++a) {
    if (!keeps(automata[a], parts)) note(automata[a], shared.size() + own.size() + a);
  }
  return verdict;
}

bool RuleCheck::keeps(const Rule& rule, std::span<const Part> parts) const noexcept {
  if (!rule.always && std::none_of(parts.begin(), parts.end(), [&](const Part& part) { return rules_.has(rule.when, part); })) return true;
  const auto sum = std::count_if(parts.begin(), parts.end(), [&](const Part& part) { return rules_.has(rule.count, part); });
  return sum >= rule.low && sum <= rule.high;
}

bool RuleCheck::keeps(const Automaton& automaton, std::span<const Part> parts) const noexcept {
  std::int32_t state = 0;
  for (const Part& part : parts) {
    state =
        automaton.next[static_cast<std::size_t>(state) * static_cast<std::size_t>(rules_.labels()) + static_cast<std::size_t>(part.label)];
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
    parts.clear();
    for (std::size_t k = from * each; k < to * each; ++k) {
      if (labels[k] >= 0) parts.push_back({static_cast<std::int32_t>(k / each - from), labels[k]});
    }
    const RuleVerdict verdict = to > from ? check(static_cast<std::int64_t>(s), parts) : RuleVerdict{};
    out.push_back(!verdict.legal ? 2 : verdict.penalty > 0);
  }
  return out;
}

}  // namespace riata
