// The features of earlier labels in which two labellings of a sentence differ.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "features/history.hpp"
#include "features/instances.hpp"

namespace riata {

// Calls visit(token, row of the truth, row of the labels found) for every template and token where the label or the earlier labels that the
// template reads differ. Rows that are not in the index yet are added to it, so the caller must enlarge the weights.
template <class Visit>
void each_history_difference(HistoryIndex& history, const Instances& instances, std::int64_t s, const std::int32_t* gold,
                             const std::int32_t* found, Visit visit) {
  const std::int32_t order = history.order();
  if (order == 0) return;
  std::vector<std::int32_t> before_gold(static_cast<std::size_t>(order)), before_found(static_cast<std::size_t>(order));
  const auto look_back = [order](const std::int32_t* labels, std::int64_t t, std::vector<std::int32_t>& before) {
    for (std::int32_t k = 1; k <= order; ++k) before[k - 1] = t >= k ? labels[t - k] + 1 : HistoryIndex::outside;
  };
  for (std::int64_t t = 0; t < instances.length(s); ++t) {
    const std::int64_t first = std::max<std::int64_t>(t - order, 0);
    if (std::equal(gold + first, gold + t + 1, found + first)) continue;
    look_back(gold, t, before_gold);
    look_back(found, t, before_found);
    for (SlotId slot(0); slot.place() < history.slots().size(); ++slot) {
      const HistorySlot& reads = history[slot];
      const NgramId ngram = history_ngram(reads, instances, s, t);
      const auto agree = [&](std::int32_t back) { return before_gold[back - 1] == before_found[back - 1]; };
      if (ngram == unseen || (gold[t] == found[t] && std::all_of(reads.back.begin(), reads.back.end(), agree))) continue;
      const RowId right = history.add(slot, ngram, before_gold), wrong = history.add(slot, ngram, before_found);
      visit(t, right, wrong);
    }
  }
}

}  // namespace riata
