// The best label sequence of a first-order chain.
#pragma once

#include <cstdint>
#include <vector>

#include "core/kinds.hpp"

namespace riata {

struct EndingKind;
using EndingId = Id<EndingKind>;  // how a prefix of a chain ends: the last label, or the last two

// The scores of a chain. Constraints are included, as minus infinity.
template <class Real>
struct ChainScores {
  std::int32_t length = 0;
  std::int32_t labels = 0;
  std::int32_t stride = 0;  // padded(labels); the padding may contain anything
  std::vector<Real> node;   // [length][stride] scores of labels
  std::vector<Real> edge;   // scores of label pairs: [labels][stride], or [length][labels][stride] (row 0 unused) if edge_per_token
  bool edge_per_token = false;
  bool limited = false;                  // whether tokens have so few of the labels that it pays to leave out the others
  std::vector<const Real*> shared_edge;  // [length] matrices [labels][stride] that are stored elsewhere, used instead of `edge`; or empty

  const Real* edge_into(std::int32_t t) const noexcept {
    return !shared_edge.empty() ? shared_edge[t] : edge.data() + (edge_per_token ? std::size_t(t) * labels * stride : 0);
  }
};

// The forward pass over a chain, and the chain as a lattice of states, which are labels here, for lists of the best (kbest.hpp).
template <class Real>
struct ForwardScores {
  using Score = Real;
  using Scores = ChainScores<Real>;

  std::vector<Real> alpha;  // [length][stride] score of the best prefix that ends in the label
  std::vector<Real> reach;  // [length][stride] the same without the score of the label itself; row 0 unused

  // The chain must not change while the lattice is in use.
  void fill(const ChainScores<Real>& chain);

  std::int32_t length() const noexcept { return chain_->length; }
  std::int32_t states() const noexcept { return chain_->labels; }  // states of one token; ties go to the lowest number
  LabelId label(EndingId state) const noexcept { return LabelId(state.number()); }
  Real best(std::int32_t t, EndingId state) const noexcept { return alpha[std::size_t(t) * chain_->stride + state.place()]; }
  // Calls visit(state at token t - 1) for every state that `state` at token t can follow, in order.
  template <class Visit>
  void each_before(std::int32_t, EndingId, Visit visit) const {
    for (EndingId from(0); from.number() < chain_->labels; ++from) visit(from);
  }
  Real step(std::int32_t t, EndingId from, EndingId state) const noexcept {
    return chain_->edge_into(t)[from.place() * chain_->stride + state.place()];
  }
  Real own(std::int32_t t, EndingId state) const noexcept { return chain_->node[std::size_t(t) * chain_->stride + state.place()]; }

 private:
  void max_plus_of_some(const Real* from, Real* out);

  const ChainScores<Real>* chain_ = nullptr;
  std::vector<const Real*> edges_;  // [labels] rows of the present matrix of label pairs
  std::vector<const Real*> used_;   // the rows of labels in which some prefix ends,
  std::vector<Real> from_;          // and the scores of these prefixes
};

template <class Real>
class Viterbi {
 public:
  // Writes the best sequence to labels, [length], and returns its score; minus infinity if no sequence is allowed (the labels are then
  // meaningless, but in range). Ties go to the lowest label, read from the end.
  Real operator()(const ChainScores<Real>& chain, std::int32_t* labels);

 private:
  ForwardScores<Real> forward_;
};

extern template struct ForwardScores<float>;
extern template struct ForwardScores<double>;
extern template class Viterbi<float>;
extern template class Viterbi<double>;

}  // namespace riata
