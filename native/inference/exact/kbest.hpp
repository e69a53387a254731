// The best, the second best, … label sequence of a first-order chain, each found when it is asked for.
#pragma once

#include <cstdint>
#include <deque>
#include <optional>
#include <utility>
#include <vector>

#include "inference/exact/viterbi.hpp"

namespace riata {

// Huang & Chiang 2005, Algorithm 3, on a chain: one forward pass gives the best prefix that ends in a label; the next ones are
// found on the way back, along the sequence that was given last.
// Differs: a loop instead of the recursion, since sentences may be long; ties are settled.
template <class Real>
class KBest {
 public:
  // The chain must stay as it is while sequences are asked for.
  void open(const ChainScores<Real>& chain);

  // Writes the next sequence to labels [length] and returns its score; nothing when there are no more that are allowed.
  // The first is Viterbi's. Ties go to the lowest label, read from the end.
  std::optional<Real> next(std::int32_t* labels);

 private:
  // A prefix that ends in the label of its state: the prefix before it, and the score.
  struct Prefix {
    Real score = 0;         // with the state's own node score
    std::int32_t from = 0;  // label before
    std::int32_t rank = 0;  // which of the prefixes that end in `from`
  };
  struct Candidate {
    Real reach;  // score up to the state, before the node's own
    std::int32_t from;
    std::int32_t rank;
    bool operator<(const Candidate& other) const noexcept {  // for a heap: the best is the largest
      return reach != other.reach ? reach < other.reach : from > other.from;
    }
  };
  // A label at a token. One more, at token `length`, stands for the end of the sentence.
  struct State {
    std::vector<Prefix> found;        // best first
    std::vector<Candidate> frontier;  // heap; at most one of each label before
    bool successor_due = false;       // the one after the last found is not in the frontier yet
  };

  std::int32_t state_at(std::int32_t t, std::int32_t label);
  void fill_frontier(std::int32_t t, std::int32_t label, State& state);
  void find_one_more();
  void take_best(std::int32_t t, std::int32_t label, State& state);
  Real reach(std::int32_t t, std::int32_t label, Real score, std::int32_t from) const noexcept;

  const ChainScores<Real>* chain_ = nullptr;
  ForwardScores<Real> forward_;
  std::vector<std::int32_t> state_of_;  // [length * labels + 1]; -1: not visited yet
  std::deque<State> states_;
  std::vector<std::pair<std::int32_t, std::int32_t>> visited_;  // (token, label) on the way back
};

extern template class KBest<float>;
extern template class KBest<double>;

}  // namespace riata
