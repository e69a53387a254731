// Watches rules while an output is built: what has been counted so far, and whether every rule can still be kept.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "core/id.hpp"
#include "inference/rules/rules.hpp"

namespace riata {

struct MonitorKind;
using MonitorId = Id<MonitorKind>;  // what all rules together remember of a prefix; none: a rule without a penalty can no longer be kept

// Prefixes that reach the same MonitorId at the same position have the same continuations as far as rules are concerned. To make many
// prefixes equal, a rule remembers no more than what matters: it is settled, and forgets everything, as soon as all continuations keep it
// or all of them break it. A penalty is due at that moment, at the latest when the output is finished.
class Monitors {
 public:
  explicit Monitors(const Rules& rules) : rules_(rules) {}

  // Opens a sentence. without: numbers of rules that do not count, as RuleCheck gives them, in increasing order.
  void open(std::int64_t sentence, std::int32_t length, std::span<const std::int32_t> without = {});

  struct Step {
    MonitorId next;
    double penalty = 0;
  };

  // Before the first part.
  Step start() const noexcept { return start_; }

  // After parts are chosen. before, after: all parts of earlier positions are chosen before and after the step.
  Step step(MonitorId from, std::span<const Part> parts, std::int32_t before, std::int32_t after);

  // After a step that leads nowhere: the origin of the rule that forbids it.
  std::int32_t forbidden_by() const noexcept { return forbidden_by_; }

  // Whether no rule of the sentence counts.
  bool idle() const noexcept { return width_ == 0; }

 private:
  // What a rule remembers: whether `when` was seen and what was counted, as seen + 2 * count; or one of these.
  static constexpr std::int32_t settled = -1;
  static constexpr std::int32_t doomed = -2;  // it is broken as soon as `when` is seen
  static constexpr std::int32_t broken = -3;

  std::int32_t after_part(const Rule& rule, std::int32_t state, const Part& part) const noexcept;
  std::int32_t reduced(const Rule& rule, std::int32_t state, std::int32_t decided) const noexcept;
  bool settle(std::size_t number, std::int32_t decided, double& penalty);
  bool read(std::size_t number, const Automaton& automaton, std::span<const Part> parts, std::int32_t decided, double& penalty);
  MonitorId add();
  void enlarge();
  template <class Visit>
  void each_at(std::int32_t position, Visit visit) const;

  const Rules& rules_;
  std::int32_t length_ = 0;
  std::vector<const Rule*> counted_;        // the rules that count
  std::vector<const Automaton*> automata_;  // the automata that count
  std::vector<std::int32_t> everywhere_;    // places in counted_: rules that may change at every position
  std::vector<std::int32_t> starts_, at_;   // [length + 1]: places in counted_ of rules that list a position
  std::size_t width_ = 0;
  std::int32_t forbidden_by_ = 0;
  Step start_;
  std::vector<std::int32_t> now_;     // [width] what the rules remember during a step
  std::vector<std::int32_t> states_;  // [ids][width]
  std::vector<std::int32_t> table_;   // hash table of ids
  std::size_t size_ = 0;              // number of ids
};

}  // namespace riata
