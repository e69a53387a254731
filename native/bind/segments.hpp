// What the bindings of segments share.
#pragma once

#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "bind/arrays.hpp"
#include "models/segment_weights.hpp"

namespace riata::bind {

// Whether codes cover every sentence without gaps. free: segments may be longer than the most, as those of the truth.
inline bool covers(const SegmentKinds& kinds, std::span<const std::int64_t> starts, std::span<const std::int32_t> codes, bool free) {
  if (starts.empty() || static_cast<std::int64_t>(codes.size()) != starts.back()) return false;
  for (std::size_t s = 0; s + 1 < starts.size(); ++s) {
    std::int64_t next = starts[s];
    for (std::int64_t t = starts[s]; t < starts[s + 1]; ++t) {
      const std::int32_t code = codes[static_cast<std::size_t>(t)];
      if ((code >= 0) != (t == next)) return false;
      if (code < 0) continue;
      const std::int32_t length = kinds.length(code);
      if (length > 1 && kinds.label(code) == kinds.outside) return false;
      if (!free && length > kinds.most) return false;
      next = t + length;
      if (next > starts[s + 1]) return false;
    }
  }
  return true;
}

// Of each root its slot and code.
inline nb::tuple roots_of(const GrownRows& grown) {
  std::vector<std::int32_t> slots, codes;
  for (std::int32_t root = 0; root < grown.roots(); ++root) {
    slots.push_back(grown.slot(root));
    codes.push_back(grown.code(root));
  }
  return nb::make_tuple(give(std::move(slots)), give(std::move(codes)));
}

// Of each row what it is a step from, a row or -1 - root, and the step.
inline nb::tuple rows_of(const GrownRows& grown) {
  std::vector<std::int32_t> parents, values;
  for (std::int32_t row = 0; row < grown.rows(); ++row) {
    parents.push_back(grown.parent(row));
    values.push_back(grown.value(row));
  }
  return nb::make_tuple(give(std::move(parents)), give(std::move(values)));
}

}  // namespace riata::bind
