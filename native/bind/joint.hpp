// What the bindings of tags and chunk labels share.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "bind/arrays.hpp"
#include "core/error.hpp"
#include "features/instances.hpp"
#include "models/joint_weights.hpp"

namespace riata::bind {

// Python has checked what users can do wrong, so the message only says that something does not fit.
inline void check(bool ok) {
  if (!ok) throw Error("RiataError", "the tags and chunk labels do not fit the sentences or the weights");
}

inline bool fits(const JointCoding& coding, const Instances& instances, std::span<const std::int32_t> codes) {
  const std::int64_t most = std::int64_t{coding.tags} * coding.chunks;
  return static_cast<std::int64_t>(codes.size()) == instances.tokens() &&
         std::all_of(codes.begin(), codes.end(), [&](std::int32_t c) { return c >= 0 && c < most; });
}

// For each row its slot, its n-gram and, one after the other, the outputs that it reads.
inline nb::tuple rows_of(const JointRows& rows, const JointTemplates& templates, const JointCoding& coding) {
  std::vector<std::int32_t> slots, ngrams, values;
  for (RowId row(0); row.number() < rows.rows(); ++row) {
    slots.push_back(rows.slot(row).number());
    ngrams.push_back(rows.ngram(row).number());
    std::uint64_t packed = rows.packed(row);
    const JointGroup* group = templates.group_of(rows.slot(row));
    check(group != nullptr);
    const std::size_t first = values.size();
    for (auto place = group->places.rbegin(); place != group->places.rend(); ++place) {
      const auto base = std::uint64_t(JointGroup::base(*place, coding));
      values.push_back(static_cast<std::int32_t>(packed % base));
      packed /= base;
    }
    std::reverse(values.begin() + static_cast<std::ptrdiff_t>(first), values.end());
  }
  return nb::make_tuple(give(std::move(slots)), give(std::move(ngrams)), give(std::move(values)));
}

}  // namespace riata::bind
