#include "inference/structures/history_scores.hpp"

#include <algorithm>

#include "core/error.hpp"

namespace riata {

template <class Real>
HistoryScores<Real>::HistoryScores(const ChainRows<Real>& weights)
    : weights_(weights), nothing_(static_cast<std::size_t>(weights.stride()), Real{0}) {
  const std::vector<HistorySlot>& slots = weights.history.slots();
  if (weights.history.hashed() && !slots.empty())
    throw Error("UnsupportedError", "exact search does not read earlier labels whose features are hashed", "Use a beam.");
  for (SlotId s(0); s.place() < slots.size(); ++s) {
    const HistorySlot& slot = slots[s.place()];
    auto& kind = slot.back.back() == 1 ? one_back_ : slot.family < 0 ? by_labels_ : by_input_;
    kind.push_back(s);
  }
}

// Calls visit(row) for all rows that a slot can read at token t, whatever the earlier labels are.
template <class Real>
template <class Visit>
void HistoryScores<Real>::each(SlotId slot, Ngrams ngrams, std::int32_t t, Visit visit) const {
  const std::int32_t* ids = ngrams[slot.place()];
  if (ids == nullptr || ids[t] >= 0) weights_.history.each_row(slot, ids == nullptr ? NgramId() : NgramId(ids[t]), visit);
}

template <class Real>
void HistoryScores<Real>::add_label_before(Ngrams ngrams, ChainScores<Real>& chain) const {
  if (one_back_.empty()) return;
  const auto reads_input = [&](SlotId slot) { return weights_.history[slot].family >= 0; };
  const bool by_input = std::any_of(one_back_.begin(), one_back_.end(), reads_input);
  const std::size_t square = weights_.square();
  if (by_input && !chain.edge_per_token) {
    chain.edge.resize(square * chain.length);
    for (std::int32_t t = 1; t < chain.length; ++t)
      std::copy_n(chain.edge.begin(), square, chain.edge.begin() + static_cast<std::ptrdiff_t>(square * t));
    chain.edge_per_token = true;
  }
  const std::int32_t tables = chain.edge_per_token ? chain.length : 2;  // if all tokens share one matrix, it is read as that of token 1
  for (std::int32_t t = 0; t < tables; ++t) {
    Real* edge = chain.edge.data() + (chain.edge_per_token ? square * t : 0);
    for (const SlotId slot : one_back_) {
      each(slot, ngrams, std::min(t, chain.length - 1), [&](RowId row) {
        const std::int32_t before = weights_.history.furthest(row);
        if (t == 0 && before == HistoryIndex::outside) add(weights_of(row), chain.node.data());
        if (t > 0 && before != HistoryIndex::outside) add(weights_of(row), edge + std::size_t(before - 1) * weights_.stride());
      });
    }
  }
}

template <class Real>
void HistoryScores<Real>::add_two_labels_before(Ngrams ngrams, SecondOrderScores<Real>& scores) {
  const LabelPairs& pairs = *scores.pairs;
  const std::int32_t T = scores.chain.length;
  const auto size = static_cast<std::size_t>(pairs.size());
  summed_ = 0;
  scores.second.assign(static_cast<std::size_t>(weights_.labels()), nothing_.data());
  scores.later_per_token = !by_input_.empty();
  scores.later.resize(size * (scores.later_per_token ? T : 1));
  const Real** shared = scores.later.data();  // stands at the place of token 0, which has no rows of its own
  std::fill_n(shared, size, nothing_.data());
  for (const SlotId slot : by_labels_) {
    put_first_tokens(slot, ngrams, scores);
    each(slot, ngrams, 0, [&](RowId row) { put_pairs(slot, row, pairs, shared); });
  }
  for (const SlotId slot : by_input_) put_first_tokens(slot, ngrams, scores);
  if (!scores.later_per_token) return;
  for (std::int32_t t = 2; t < T; ++t) {
    const Real** rows = scores.later.data() + size * t;
    std::copy_n(shared, size, rows);
    for (const SlotId slot : by_input_) each(slot, ngrams, t, [&](RowId row) { put_pairs(slot, row, pairs, rows); });
  }
}

// Adds the rows that tokens 0 and 1 read, for which one or both of the earlier labels are outside the sentence.
template <class Real>
void HistoryScores<Real>::put_first_tokens(SlotId slot, Ngrams ngrams, SecondOrderScores<Real>& scores) {
  constexpr std::int32_t outside = HistoryIndex::outside;
  const HistoryIndex& history = weights_.history;
  const bool reads_both = history[slot].back.size() == 2;
  const auto each_outside = [&](std::int32_t t, auto visit) {
    each(slot, ngrams, t, [&](RowId row) {
      if (history.furthest(row) == outside) visit(row);
    });
  };
  each_outside(0, [&](RowId row) {
    if (!reads_both || history.before_furthest(row) == outside) add(weights_of(row), scores.chain.node.data());
  });
  if (scores.chain.length == 1) return;
  each_outside(1, [&](RowId row) {
    for (std::int32_t i = 0; i < weights_.labels(); ++i) {
      if (!reads_both || history.before_furthest(row) == i + 1) put(weights_of(row), scores.second[i]);
    }
  });
}

// Adds a row of earlier labels to the rows of all label pairs that it applies to.
template <class Real>
void HistoryScores<Real>::put_pairs(SlotId slot, RowId row, const LabelPairs& pairs, const Real** rows) {
  const HistoryIndex& history = weights_.history;
  const std::int32_t first = history.furthest(row) - 1;
  if (first < 0) return;  // for a label outside the sentence: tokens 0 and 1 only
  if (history[slot].back.size() == 2) {
    const std::int32_t second = history.before_furthest(row) - 1;
    const std::int32_t pair = second < 0 ? -1 : pairs.number(first, second);
    if (pair >= 0) put(weights_of(row), rows[pair]);
    return;
  }
  for (std::int32_t second = 0; second < weights_.labels(); ++second) {
    const std::int32_t pair = pairs.number(first, second);
    if (pair >= 0) put(weights_of(row), rows[pair]);
  }
}

template <class Real>
void HistoryScores<Real>::put(const Real* row, const Real*& place) {
  const auto scale = static_cast<Real>(weights_.vector.scale());
  if (place == nothing_.data() && scale == 1) {
    place = row;
    return;
  }
  Real* sum = new_row();
  for (std::int32_t j = 0; j < weights_.stride(); ++j) sum[j] = place[j] + row[j] * scale;
  place = sum;
}

template <class Real>
Real* HistoryScores<Real>::new_row() {
  constexpr std::size_t piece = 256;  // rows
  if (summed_ == piece * row_sums_.size()) row_sums_.emplace_back(piece * weights_.stride());
  const std::size_t number = summed_++;
  return row_sums_[number / piece].data() + number % piece * weights_.stride();
}

template class HistoryScores<float>;
template class HistoryScores<double>;

}  // namespace riata
