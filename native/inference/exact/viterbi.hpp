// The best label sequence of a first-order chain.
#pragma once

#include <cstdint>
#include <vector>

namespace riata {

// A chain as numbers: constraints are already in the scores, as minus infinity.
template <class Real>
struct ChainScores {
  std::int32_t length = 0;
  std::int32_t labels = 0;
  std::int32_t stride = 0;    // padded(labels); what the padding holds does not matter
  std::vector<Real> node;     // [length][stride]
  std::vector<Real> edge;     // [labels][stride], or [length][labels][stride] (row 0 unused) if edge_per_token
  bool edge_per_token = false;
  std::vector<const Real*> shared_edge;  // [length] matrices [labels][stride] that stand elsewhere, instead of `edge`; or empty

  const Real* edge_into(std::int32_t t) const noexcept {
    return !shared_edge.empty() ? shared_edge[t] : edge.data() + (edge_per_token ? std::size_t(t) * labels * stride : 0);
  }
};

// The forward pass over a chain.
template <class Real>
struct ForwardScores {
  std::vector<Real> alpha;  // [length][stride] score of the best prefix that ends in the label
  std::vector<Real> reach;  // [length][stride] the same before the node's own score; row 0 unused

  void fill(const ChainScores<Real>& chain);

 private:
  std::vector<const Real*> edges_;  // [labels] the rows of the transitions at hand
};

template <class Real>
class Viterbi {
 public:
  // Writes the best sequence to labels [length] and returns its score; minus infinity where no sequence is
  // allowed (labels are then meaningless but in range). Ties go to the lowest label, read from the end.
  Real operator()(const ChainScores<Real>& chain, std::int32_t* labels);

 private:
  ForwardScores<Real> forward_;
};

extern template struct ForwardScores<float>;
extern template struct ForwardScores<double>;
extern template class Viterbi<float>;
extern template class Viterbi<double>;

}  // namespace riata
