// The scores of a token's label from the one or two labels before it, for exact search.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "inference/exact/second_order.hpp"
#include "models/chain_rows.hpp"

namespace riata {

// Visits the rows that exist for an n-gram, instead of looking up every pair of labels. Between two sentences the weights may change and
// rows may be added, but not while the scores of a sentence are in use: these contain pointers into the weights.
template <class Real>
class HistoryScores {
 public:
  explicit HistoryScores(const ChainRows<Real>& rows);

  // [slots] the ids of the slot's n-grams at the tokens of a sentence; nullptr if the slot reads no input.
  using Ngrams = std::span<const std::int32_t* const>;

  // Adds the scores of templates that read only the label before a token to the chain.
  void add_label_before(Ngrams ngrams, ChainScores<Real>& chain) const;

  // Adds the scores of templates that read the label two tokens before.
  void add_two_labels_before(Ngrams ngrams, SecondOrderScores<Real>& scores);

 private:
  const Real* weights_of(RowId row) const noexcept { return weights_.history_row(row); }
  void add(const Real* row, Real* out) const noexcept {
    const auto scale = static_cast<Real>(weights_.vector.scale());
    for (std::int32_t j = 0; j < weights_.stride(); ++j) out[j] += row[j] * scale;
  }
  template <class Visit>
  void each(SlotId slot, Ngrams ngrams, std::int32_t t, Visit visit) const;
  void put_first_tokens(SlotId slot, Ngrams ngrams, SecondOrderScores<Real>& scores);
  void put(const Real* row, const Real*& place);
  void put_pairs(SlotId slot, RowId row, const LabelPairs& pairs, const Real** rows);
  Real* new_row();

  ChainRows<Real> weights_;
  std::vector<SlotId> one_back_;             // slots that read the label before and none earlier
  std::vector<SlotId> by_labels_;            // slots that read the label two tokens before, and no input
  std::vector<SlotId> by_input_;             // slots that read the label two tokens before, and the input
  std::vector<Real> nothing_;                // [stride] zeros
  std::vector<std::vector<Real>> row_sums_;  // rows that are sums of other rows, allocated in pieces
  std::size_t summed_ = 0;                   // how many rows of row_sums_ are in use
};

}  // namespace riata
