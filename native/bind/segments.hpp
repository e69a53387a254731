// What the bindings of segments share.
#pragma once

#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "bind/arrays.hpp"
#include "models/segment_weights.hpp"

namespace riata::bind {

// The slot and the code of each root.
inline nb::tuple roots_of(const GrownRows& grown) {
  std::vector<std::int32_t> slots, codes;
  for (RootId root(0); root.number() < grown.roots(); ++root) {
    slots.push_back(grown.slot(root).number());
    codes.push_back(grown.context(root).number());
  }
  return nb::make_tuple(give(std::move(slots)), give(std::move(codes)));
}

// The parent of each row, a row or -1 - root, and its number.
inline nb::tuple rows_of(const GrownRows& grown) {
  std::vector<std::int32_t> parents, values;
  for (RowId row(0); row.number() < grown.rows(); ++row) {
    parents.push_back(grown.parent(row).number());
    values.push_back(grown.value(row));
  }
  return nb::make_tuple(give(std::move(parents)), give(std::move(values)));
}

}  // namespace riata::bind
