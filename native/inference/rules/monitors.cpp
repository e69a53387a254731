#include "inference/rules/monitors.hpp"

#include <algorithm>

#include "core/hash.hpp"

namespace riata {
namespace {

std::uint64_t hash_of(std::span<const std::int32_t> state) noexcept {
  std::uint64_t hash = state.size();
  for (const std::int32_t number : state) hash = mix(hash ^ static_cast<std::uint32_t>(number));
  return hash;
}

}  // namespace

void Monitors::open(std::int64_t sentence, std::int32_t length, std::span<const std::int32_t> without) {
  length_ = length;
  counted_.clear();
  automata_.clear();
  everywhere_.clear();
  std::int32_t number = 0;
  auto left_out = without.begin();
  const auto counts = [&] {
    if (left_out == without.end() || *left_out != number++) return true;
    ++left_out;
    return false;
  };
  for (const std::span<const Rule> rules : {rules_.shared(), rules_.of(sentence)}) {
    for (const Rule& rule : rules) {
      if (counts()) counted_.push_back(&rule);
    }
  }
  for (const Automaton& automaton : rules_.automata()) {
    if (counts()) automata_.push_back(&automaton);
  }
  std::vector<std::vector<std::int32_t>> at(static_cast<std::size_t>(length));
  for (std::size_t r = 0; r < counted_.size(); ++r) {
    const Rule& rule = *counted_[r];
    const bool everywhere = rule.count.everywhere || (!rule.always && rule.when.everywhere);
    if (everywhere) everywhere_.push_back(static_cast<std::int32_t>(r));
    for (const PartSet* set : {&rule.count, rule.always ? nullptr : &rule.when}) {
      if (set == nullptr || set->everywhere) continue;
      for (const std::int32_t position : rules_.positions(*set)) {
        if (position < 0 || position >= length) throw Error("RiataError", "a rule names a position outside of its sentence");
        if (everywhere) continue;
        auto& here = at[static_cast<std::size_t>(position)];
        if (here.empty() || here.back() != static_cast<std::int32_t>(r)) here.push_back(static_cast<std::int32_t>(r));
      }
    }
  }
  starts_.assign(1, 0);
  at_.clear();
  for (const auto& here : at) {
    at_.insert(at_.end(), here.begin(), here.end());
    starts_.push_back(static_cast<std::int32_t>(at_.size()));
  }
  width_ = counted_.size() + automata_.size();
  size_ = 0;
  states_.clear();
  table_.assign(64, -1);
  now_.assign(width_, 0);
  start_ = {};
  for (std::size_t r = 0; r < counted_.size(); ++r) {
    if (!settle(r, 0, start_.penalty)) return;
  }
  start_.next = add();
}

template <class Visit>
void Monitors::each_at(std::int32_t position, Visit visit) const {
  for (const std::int32_t r : everywhere_) visit(static_cast<std::size_t>(r));
  const auto p = static_cast<std::size_t>(position);
  for (std::int32_t k = starts_[p]; k < starts_[p + 1]; ++k) visit(static_cast<std::size_t>(at_[static_cast<std::size_t>(k)]));
}

Monitors::Step Monitors::step(MonitorId from, std::span<const Part> parts, std::int32_t before, std::int32_t after) {
  const auto begin = states_.begin() + static_cast<std::ptrdiff_t>(from.place() * width_);
  std::copy(begin, begin + static_cast<std::ptrdiff_t>(width_), now_.begin());
  for (const Part& part : parts) {
    each_at(part.position, [&](std::size_t r) { now_[r] = after_part(*counted_[r], now_[r], part); });
  }
  Step out;
  bool alive = true;
  for (std::int32_t position = before; position < after && alive; ++position) {
    each_at(position, [&](std::size_t r) { alive = alive && settle(r, after, out.penalty); });
  }
  for (const Part& part : parts) {  // also of positions that are not finished yet
    each_at(part.position, [&](std::size_t r) { alive = alive && settle(r, after, out.penalty); });
  }
  for (std::size_t a = 0; a < automata_.size() && alive; ++a) alive = read(counted_.size() + a, *automata_[a], parts, after, out.penalty);
  if (alive) out.next = add();
  return out;
}

std::int32_t Monitors::after_part(const Rule& rule, std::int32_t state, const Part& part) const noexcept {
  if (state == settled || state == broken) return state;
  const bool seen = !rule.always && rules_.has(rule.when, part);
  if (state == doomed) return seen ? broken : doomed;
  const std::int32_t most = rule.high == std::numeric_limits<std::int32_t>::max() ? rule.low : std::max(rule.low, rule.high + 1);
  const std::int32_t count = std::min(state / 2 + static_cast<std::int32_t>(rules_.has(rule.count, part)), most);
  return ((state & 1) | static_cast<std::int32_t>(seen)) + 2 * count;
}

// What still matters of what a rule remembers. decided: all parts of earlier positions are chosen.
std::int32_t Monitors::reduced(const Rule& rule, std::int32_t state, std::int32_t decided) const noexcept {
  if (state == settled || state == broken) return state;
  const bool seen = rule.always || (state != doomed && (state & 1) != 0);
  if (!seen && rules_.most(rule.when, decided, length_) == 0) return settled;
  if (state == doomed) return state;
  const std::int64_t count = state / 2, most = count + rules_.most(rule.count, decided, length_);
  if (count >= rule.low && most <= rule.high) return settled;
  if (count <= rule.high && most >= rule.low) return state;
  return seen ? broken : doomed;
}

// Reduces what a rule remembers. Returns false if it is broken and has no penalty.
bool Monitors::settle(std::size_t number, std::int32_t decided, double& penalty) {
  const Rule& rule = *counted_[number];
  now_[number] = reduced(rule, now_[number], decided);
  if (now_[number] != broken) return true;
  now_[number] = settled;
  if (rule.hard()) {
    forbidden_by_ = rule.origin;
    return false;
  }
  penalty += rule.penalty;
  return true;
}

bool Monitors::read(std::size_t number, const Automaton& automaton, std::span<const Part> parts, std::int32_t decided, double& penalty) {
  std::int32_t& state = now_[number];
  if (state == settled) return true;
  for (const Part& part : parts) {
    if (state < 0) break;
    state =
        automaton.next[static_cast<std::size_t>(state) * static_cast<std::size_t>(rules_.labels()) + static_cast<std::size_t>(part.label)];
  }
  const bool fails = state < 0 || (decided == length_ && !automaton.accepting[static_cast<std::size_t>(state)]);
  if (fails || decided == length_) state = settled;
  if (fails && automaton.hard()) {
    forbidden_by_ = automaton.origin;
    return false;
  }
  if (fails) penalty += automaton.penalty;
  return true;
}

// The id of what the rules remember now.
MonitorId Monitors::add() {
  if (2 * (size_ + 1) > table_.size()) enlarge();
  const std::size_t mask = table_.size() - 1;
  for (std::size_t place = hash_of(now_) & mask;; place = (place + 1) & mask) {
    if (table_[place] < 0) {
      table_[place] = static_cast<std::int32_t>(size_);
      states_.insert(states_.end(), now_.begin(), now_.end());
      return MonitorId(size_++);
    }
    const auto known = states_.begin() + static_cast<std::ptrdiff_t>(static_cast<std::size_t>(table_[place]) * width_);
    if (std::equal(now_.begin(), now_.end(), known)) return MonitorId(table_[place]);
  }
}

void Monitors::enlarge() {
  table_.assign(2 * table_.size(), -1);
  const std::size_t mask = table_.size() - 1;
  for (std::size_t id = 0; id < size_; ++id) {
    std::size_t place = hash_of(std::span(states_).subspan(id * width_, width_)) & mask;
    while (table_[place] >= 0) place = (place + 1) & mask;
    table_[place] = static_cast<std::int32_t>(id);
  }
}

}  // namespace riata
