// The best label sequence of a chain that reads two labels back.
#pragma once

#include <cstdint>
#include <limits>
#include <vector>

#include "inference/exact/label_pairs.hpp"
#include "inference/exact/viterbi.hpp"

namespace riata {

// The scores of a first-order chain and, for every pair of labels before a token, a row of scores of the token's label. Rows are pointers,
// since most tokens share them. The first token has no such rows: their scores are added to its node scores.
template <class Real>
struct SecondOrderScores {
  ChainScores<Real> chain;
  const LabelPairs* pairs = nullptr;
  std::vector<const Real*> second;  // [labels] rows of token 1, by the label before
  std::vector<const Real*> later;   // [pairs] rows of the tokens from 2 on; [length][pairs] if later_per_token
  bool later_per_token = false;

  const Real* const* rows(std::int32_t t) const noexcept { return later.data() + (later_per_token ? std::size_t(t) * pairs->size() : 0); }
};

// The forward pass, and the chain as a lattice of states (kbest.hpp): a state at a token is its label and the label before.
template <class Real>
class SecondOrderForward {
 public:
  using Score = Real;
  using Scores = SecondOrderScores<Real>;

  // The scores must not change while the lattice is in use.
  void fill(const SecondOrderScores<Real>& scores);

  // Writes the best sequence to labels, [length], and returns its score, with the same ties as Viterbi.
  Real best_labels(std::int32_t* labels) const;

  std::int32_t length() const noexcept { return chain().length; }
  std::int32_t states() const noexcept { return labels() * labels(); }
  LabelId label(EndingId state) const noexcept { return LabelId(state.number() / labels()); }
  Real best(std::int32_t t, EndingId state) const noexcept {
    // At token 0 there is no label before, which is written as 0.
    if (t == 0 && before(state) > LabelId(0)) return -std::numeric_limits<Real>::infinity();
    return row(t, before(state))[label(state).place()];
  }
  template <class Visit>
  void each_before(std::int32_t t, EndingId state, Visit visit) const {
    const std::int32_t middle = before(state).number();
    if (t == 1) return visit(EndingId(middle * labels()));
    const LabelPairs& pairs = *scores_->pairs;
    for (std::int32_t p = pairs.begin(middle); p < pairs.begin(middle + 1); ++p) visit(EndingId(middle * labels() + pairs.first(p)));
  }
  Real step(std::int32_t t, EndingId from, EndingId state) const noexcept {
    if (t == 1) return scores_->second[label(from).place()][label(state).place()];
    return scores_->rows(t)[scores_->pairs->number(before(from).number(), label(from).number())][label(state).place()];
  }
  Real own(std::int32_t t, EndingId state) const noexcept {
    const Real node = chain().node[std::size_t(t) * chain().stride + label(state).place()];
    return t == 0 ? node : chain().edge_into(t)[before(state).place() * chain().stride + label(state).place()] + node;
  }

 private:
  void max_plus_of_some(const Real* const* rows, std::int32_t count, Real* out);
  const ChainScores<Real>& chain() const noexcept { return scores_->chain; }
  std::int32_t labels() const noexcept { return chain().labels; }
  LabelId before(EndingId state) const noexcept { return LabelId(state.number() % labels()); }
  const Real* row(std::int32_t t, LabelId before) const noexcept {
    return alpha_.data() + (std::size_t(t) * labels() + before.place()) * chain().stride;
  }

  const SecondOrderScores<Real>* scores_ = nullptr;
  // [length][label before][stride] score of the best prefix that ends in two labels; of token 0, only the first row is used.
  std::vector<Real> alpha_;
  std::vector<Real> from_;         // [labels] scores of the best prefixes that end in the first label of each pair,
  std::vector<const Real*> used_;  // and the rows that follow them, if some are left out
};

extern template class SecondOrderForward<float>;
extern template class SecondOrderForward<double>;

}  // namespace riata
