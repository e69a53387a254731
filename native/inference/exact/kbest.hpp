// The best, the second best, … label sequence of a chain. Each is found when it is asked for.
#pragma once

#include <algorithm>
#include <cstdint>
#include <deque>
#include <limits>
#include <optional>
#include <utility>
#include <vector>

#include "inference/exact/second_order.hpp"
#include "inference/exact/viterbi.hpp"

namespace riata {

// Huang & Chiang 2005, Algorithm 3, on a chain: one forward pass gives the best prefix that ends in each state (a label, or a pair of
// labels); further prefixes are found on the way back, along the sequence that was returned last. Forward: a lattice of states, such as
// ForwardScores. Differs: a loop instead of the recursion, since sentences may be long; ties have a fixed order.
template <class Forward>
class KBest {
 public:
  using Real = typename Forward::Score;

  // The scores must not change while sequences are asked for.
  void open(const typename Forward::Scores& scores);

  // Writes the next sequence to labels, [length], and returns its score; nothing if there are no more allowed sequences. The first one is
  // that of Viterbi. Ties go to the lowest label, read from the end.
  std::optional<Real> next(std::int32_t* labels);

 private:
  // A prefix that ends in a state: its score, and the prefix that it extends.
  struct Prefix {
    Real score = 0;         // includes the score of the last state
    EndingId from;          // the state before
    std::int32_t rank = 0;  // rank among the prefixes that end in `from`
  };
  struct Candidate {
    Real reach;  // the score up to the state, without that of the state itself
    EndingId from;
    std::int32_t rank;
    bool operator<(const Candidate& other) const noexcept {  // for a heap, whose largest element is the best
      return reach != other.reach ? reach < other.reach : from > other.from;
    }
  };
  // A state at a token. An additional state, at token `length`, stands for the end of the sentence.
  struct State {
    std::vector<Prefix> found;        // best first
    std::vector<Candidate> frontier;  // heap; at most one candidate from each state before
    bool successor_due = false;       // whether the successor of the last prefix found must still enter the frontier
  };

  std::int32_t state_at(std::int32_t t, EndingId number);
  void fill_frontier(std::int32_t t, EndingId number, State& state);
  void find_one_more();
  void take_best(std::int32_t t, EndingId number, State& state);
  Real reach(std::int32_t t, EndingId number, Real score, EndingId from) const noexcept;

  Forward forward_;
  std::vector<std::int32_t> state_of_;  // [length * states + 1] places in states_; -1: not visited yet
  std::deque<State> states_;
  std::vector<std::pair<std::int32_t, EndingId>> visited_;  // (token, state) on the way back
};

template <class Forward>
void KBest<Forward>::open(const typename Forward::Scores& scores) {
  forward_.fill(scores);
  state_of_.assign(std::size_t(forward_.length()) * forward_.states() + 1, -1);
  states_.clear();
}

template <class Forward>
std::optional<typename KBest<Forward>::Real> KBest<Forward>::next(std::int32_t* labels) {
  const std::int32_t T = forward_.length();
  const std::size_t before_this = states_.empty() ? 0 : states_[0].found.size();  // the end of the sentence is visited first
  find_one_more();
  if (states_[0].found.size() == before_this) return std::nullopt;
  Prefix prefix = states_[0].found.back();
  const Real score = prefix.score;
  for (std::int32_t t = T - 1; t >= 0; --t) {
    labels[t] = forward_.label(prefix.from).number();
    if (t > 0) prefix = states_[state_at(t, prefix.from)].found[prefix.rank];
  }
  return score;
}

template <class Forward>
std::int32_t KBest<Forward>::state_at(std::int32_t t, EndingId number) {
  std::int32_t& id = state_of_[std::size_t(t) * forward_.states() + number.place()];
  if (id < 0) {
    id = static_cast<std::int32_t>(states_.size());
    states_.emplace_back();
    fill_frontier(t, number, states_.back());
    if (t < forward_.length()) take_best(t, number, states_.back());  // known from the forward pass
  }
  return id;
}

// Fills the frontier with the best prefix of every state before.
template <class Forward>
void KBest<Forward>::fill_frontier(std::int32_t t, EndingId number, State& state) {
  if (t == 0) {
    const Real score = forward_.best(0, number);
    if (score > -std::numeric_limits<Real>::infinity()) state.found.push_back({score, EndingId(0), 0});
    return;
  }
  const auto enter = [&](EndingId from) {
    const Real score = reach(t, number, forward_.best(t - 1, from), from);
    if (score > -std::numeric_limits<Real>::infinity()) state.frontier.push_back({score, from, 0});
  };
  if (t < forward_.length()) {
    forward_.each_before(t, number, enter);
  } else {
    for (EndingId from(0); from.number() < forward_.states(); ++from) enter(from);
  }
  std::make_heap(state.frontier.begin(), state.frontier.end());
}

// Goes back to the first state that needs nothing from the states before it, and forward again, finding one more prefix for each state.
template <class Forward>
void KBest<Forward>::find_one_more() {
  visited_.clear();
  std::int32_t t = forward_.length();
  EndingId number(0);
  std::size_t rank = std::numeric_limits<std::size_t>::max();
  for (; t > 0; --t) {
    const State& state = states_[state_at(t, number)];
    if (state.found.size() > rank) break;
    visited_.emplace_back(t, number);
    if (!state.successor_due) break;
    rank = static_cast<std::size_t>(state.found.back().rank) + 1;
    number = state.found.back().from;
  }
  for (auto place = visited_.rbegin(); place != visited_.rend(); ++place) {
    const auto [at, to] = *place;
    State& state = states_[state_at(at, to)];
    if (state.successor_due) {
      const Prefix last = state.found.back();
      const std::vector<Prefix>& before = states_[state_at(at - 1, last.from)].found;  // states_ is a deque, so `state` does not move
      if (static_cast<std::size_t>(last.rank) + 1 < before.size()) {
        state.frontier.push_back({reach(at, to, before[last.rank + 1].score, last.from), last.from, last.rank + 1});
        std::push_heap(state.frontier.begin(), state.frontier.end());
      }
      state.successor_due = false;
    }
    take_best(at, to, state);
  }
}

template <class Forward>
void KBest<Forward>::take_best(std::int32_t t, EndingId number, State& state) {
  if (state.frontier.empty()) return;
  std::pop_heap(state.frontier.begin(), state.frontier.end());
  const Candidate best = state.frontier.back();
  state.frontier.pop_back();
  const Real own = t < forward_.length() ? forward_.own(t, number) : Real{0};
  if (best.reach + own == -std::numeric_limits<Real>::infinity()) return;  // the state itself is not allowed here
  state.found.push_back({best.reach + own, best.from, best.rank});
  state.successor_due = true;
}

template <class Forward>
typename KBest<Forward>::Real KBest<Forward>::reach(std::int32_t t, EndingId number, Real score, EndingId from) const noexcept {
  return t < forward_.length() ? score + forward_.step(t, from, number) : score;
}

extern template class KBest<ForwardScores<float>>;
extern template class KBest<ForwardScores<double>>;
extern template class KBest<SecondOrderForward<float>>;
extern template class KBest<SecondOrderForward<double>>;

}  // namespace riata
