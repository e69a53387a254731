// The best, the second best, … label sequence of a chain. Each is found when it is asked for.
#pragma once

#include <cstdint>
#include <deque>
#include <optional>
#include <utility>
#include <vector>

#include "inference/exact/second_order.hpp"
#include "inference/exact/viterbi.hpp"

namespace riata {

// Huang & Chiang 2005, Algorithm 3, on a chain: one forward pass gives the best prefix that ends in each state (a label, or a pair of
// labels); further prefixes are found on the way back, along the sequence that was returned last. Forward: ForwardScores or
// SecondOrderForward. Differs: a loop instead of the recursion, since sentences may be long; ties have a fixed order.
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

extern template class KBest<ForwardScores<float>>;
extern template class KBest<ForwardScores<double>>;
extern template class KBest<SecondOrderForward<float>>;
extern template class KBest<SecondOrderForward<double>>;

}  // namespace riata
