// What an entry of the long vector of weights belongs to: the inverse of Layout. Used to give weights names that people can read.
#pragma once

#include <cstdint>
#include <vector>

#include "features/index.hpp"
#include "models/layout.hpp"

namespace riata {

struct Place {
  enum class Kind { transition, node, edge, named, history };

  Kind kind = Kind::transition;
  std::int32_t family = -1;  // for node, edge and history
  // For node, edge and history, the n-gram; for named, the feature. In a hashed index all entries but transitions are named, and this is
  // the row of the table.
  std::int64_t ngram = -1;
  std::int32_t slot = 0;                  // which template: of those that read the family; for history, of all history templates
  std::vector<std::int32_t> before = {};  // values of the labels before, nearest first: the value of label j is j + 1
  std::int32_t label = -1;
};

inline Place place_of(const FeatureIndex& index, const Layout& layout, const HistoryIndex& history, std::int64_t entry) {
  const std::int64_t square = std::int64_t{layout.labels} * layout.stride;
  const auto pair = [&](Place place, std::int64_t within) {
    place.before = {static_cast<std::int32_t>(within / layout.stride) + 1};
    place.label = static_cast<std::int32_t>(within % layout.stride);
    return place;
  };
  const auto label = static_cast<std::int32_t>(entry % layout.stride);  // blocks consist of whole rows
  if (entry < square) return pair({}, entry);
  if (entry >= layout.size) {
    const RowId row(static_cast<std::int32_t>((entry - layout.history_row(RowId(0))) / layout.stride));
    const auto [slot, ngram, before] = history.entry(row);
    return {Place::Kind::history, history[slot].family, ngram.number(), slot.number(), before, label};
  }
  if (entry >= layout.named_row(0)) return {Place::Kind::named, -1, (entry - layout.named_row(0)) / layout.stride, 0, {}, label};
  std::int32_t f = index.families() - 1;
  while (entry < layout.node_row(f, 0)) --f;
  if (entry < layout.edge_row(f, 0)) {
    const std::int64_t row = (entry - layout.node_row(f, 0)) / layout.stride;
    const std::int32_t slots = index.node_slots_of(f);
    return {Place::Kind::node, f, row / slots, static_cast<std::int32_t>(row % slots), {}, label};
  }
  const std::int64_t row = (entry - layout.edge_row(f, 0)) / square;
  const std::int32_t slots = index.edge_slots_of(f);
  return pair({Place::Kind::edge, f, row / slots, static_cast<std::int32_t>(row % slots)}, (entry - layout.edge_row(f, 0)) % square);
}

}  // namespace riata
