#include "inference/rules/rules.hpp"

namespace riata {
namespace {

void check_penalty(double penalty) {
  if (!(penalty > 0)) throw Error("RiataError", "the penalty of a rule must be above 0");
}

// States from which no accepting state can be reached become the state without outputs.
void prune(Automaton& automaton, std::int32_t labels) {
  std::vector<std::uint8_t> useful = automaton.accepting;
  const auto next = [&](std::int32_t state, std::int32_t label) -> std::int32_t& {
    return automaton.next[static_cast<std::size_t>(state) * static_cast<std::size_t>(labels) + static_cast<std::size_t>(label)];
  };
  for (bool changed = true; changed;) {
    changed = false;
    for (std::int32_t state = automaton.states; state-- > 0;) {
      for (std::int32_t label = 0; label < labels && !useful[static_cast<std::size_t>(state)]; ++label) {
        const std::int32_t to = next(state, label);
        if (to < 0 || !useful[static_cast<std::size_t>(to)]) continue;
        useful[static_cast<std::size_t>(state)] = 1;
        changed = true;
      }
    }
  }
  for (std::int32_t& to : automaton.next) {
    if (to >= 0 && !useful[static_cast<std::size_t>(to)]) to = -1;
  }
}

}  // namespace

std::int32_t Rules::add_labels(std::span<const std::uint8_t> flags) {
  if (static_cast<std::int32_t>(flags.size()) != labels_) throw Error("RiataError", "a set of labels has the wrong number of labels");
  flags_.insert(flags_.end(), flags.begin(), flags.end());
  std::int32_t most = 0;
  std::size_t from = 0;
  for (const std::int32_t count : tracks_) {
    const auto begin = flags.begin() + static_cast<std::ptrdiff_t>(from);
    most += std::any_of(begin, begin + count, [](std::uint8_t flag) { return flag != 0; });
    from += static_cast<std::size_t>(count);
  }
  const bool many = open_ && std::any_of(flags.end() - tracks_.back(), flags.end(), [](std::uint8_t flag) { return flag != 0; });
  most_at_position_.push_back(many ? any_number : most);
  return static_cast<std::int32_t>(most_at_position_.size()) - 1;
}

PartSet Rules::at(std::int32_t labels, std::span<const std::int32_t> positions) {
  const auto from = static_cast<std::int64_t>(positions_.size());
  positions_.insert(positions_.end(), positions.begin(), positions.end());
  const auto begin = positions_.begin() + static_cast<std::ptrdiff_t>(from);
  std::sort(begin, positions_.end());
  positions_.erase(std::unique(begin, positions_.end()), positions_.end());
  return {labels, false, from, static_cast<std::int64_t>(positions_.size())};
}

void Rules::share(const Rule& rule) {
  if (starts_.size() > 1) throw Error("RiataError", "rules of all sentences come before those of single sentences");
  check(rule);
  const auto number = static_cast<std::int32_t>(rules_.size());
  if (!rule.count.everywhere || (!rule.always && !rule.when.everywhere)) listing_.push_back(number);
  for (std::int32_t label = 0; label < labels_ && (listing_.empty() || listing_.back() != number); ++label) {
    const std::int32_t when = !rule.always && has_label(rule.when, label), count = has_label(rule.count, label);
    if (when + count > 0) by_label_[static_cast<std::size_t>(label)].push_back({number, when, count});
  }
  rules_.push_back(rule);
  starts_.front() = static_cast<std::int64_t>(rules_.size());
}

void Rules::share(Automaton automaton) {
  check_penalty(automaton.penalty);
  const auto states = static_cast<std::size_t>(automaton.states);
  bool ok = states > 0 && automaton.accepting.size() == states && automaton.next.size() == states * static_cast<std::size_t>(labels_);
  for (const std::int32_t to : automaton.next) ok = ok && to >= -1 && to < automaton.states;
  if (!ok) throw Error("RiataError", "the states of an automaton do not fit its labels");
  prune(automaton, labels_);
  automata_.push_back(std::move(automaton));
}

void Rules::add(const Rule& rule) {
  check(rule);
  rules_.push_back(rule);
}

void Rules::check(const PartSet& set) const {
  if (set.labels < 0 || set.labels >= static_cast<std::int32_t>(most_at_position_.size()))
    throw Error("RiataError", "a rule names a set of labels that does not exist");
}

void Rules::check(const Rule& rule) const {
  if (!rule.always) check(rule.when);
  check(rule.count);
  check_penalty(rule.penalty);
}

void Rules::check_sentences(std::int64_t sentences) const {
  if (starts_.size() == 1 || static_cast<std::int64_t>(starts_.size()) == sentences + 1) return;
  throw Error("RiataError", "there are rules for " + std::to_string(starts_.size() - 1) + " sentences, but there are " +
                                std::to_string(sentences) + " sentences");
}

void Rules::check_order(bool by_position, bool any) const {
  if (by_position || automata_.empty()) return;
  if (any)
    throw Error("UnsupportedError", "a constraint depends on the order of labels, but moves choose relations in another order.",
                "Leave it out, or use structure='projective'.");
  const auto labels = static_cast<std::size_t>(labels_);
  std::vector<std::size_t> track;
  for (std::size_t k = 0; k < tracks_.size(); ++k) track.insert(track.end(), static_cast<std::size_t>(tracks_[k]), k);
  for (const Automaton& automaton : automata_) {
    const auto after = [&](std::int32_t state, std::size_t label) {
      return state < 0 ? state : automaton.next[static_cast<std::size_t>(state) * labels + label];
    };
    for (std::int32_t state = 0; state < automaton.states; ++state) {
      for (std::size_t a = 0; a < labels; ++a) {
        for (std::size_t b = a + 1; b < labels; ++b) {
          if (track[a] == track[b] || after(after(state, a), b) == after(after(state, b), a)) continue;
          throw Error(
              "UnsupportedError",
              "a constraint depends on whether a tag comes before or after a chunk label, but the tag of a token is chosen before the "
              "chunk label of the token before.",
              "Let constraints on the order of labels speak of tags or of chunk labels.");
        }
      }
    }
  }
}

void Rules::check_tracks(const std::vector<std::int32_t>& tracks) const {
  if (tracks != tracks_) throw Error("RiataError", "the rules were made for other labels");
}

}  // namespace riata
