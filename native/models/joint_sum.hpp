// Weights of tags and chunk labels added to others over one feature index.
#pragma once

#include <cstdint>

#include "core/error.hpp"
#include "models/joint_weights.hpp"

namespace riata {

// Adds weights times a number. Rows that grow came in an order of their own, so they are matched by what they stand for.
template <class Real>
void add_scaled(JointWeights<Real>& to, const JointWeights<Real>& from, double scale) {
  const std::int64_t before = static_cast<std::int64_t>(to.flat.size()) - to.rows.size();
  if (from.kinds.tags != to.kinds.tags || from.kinds.chunks != to.kinds.chunks || from.kinds.ahead != to.kinds.ahead ||
      static_cast<std::int64_t>(from.flat.size()) - from.rows.size() != before)
    throw Error("RiataError", "the weights belong to different models");
  const auto add = [&](std::int64_t target, std::int64_t source, std::int64_t count) {
    for (std::int64_t j = 0; j < count; ++j)
      to.flat[static_cast<std::size_t>(target + j)] += static_cast<Real>(scale * from.flat[static_cast<std::size_t>(source + j)]);
  };
  add(0, 0, before);
  for (std::int32_t row = 0; row < from.rows.rows(); ++row) {
    const std::int32_t context = to.rows.add_context(from.rows.group(row), from.rows.packed(row));
    const std::int64_t width = from.rows.width(row);
    const std::int32_t same = to.rows.add(from.rows.slot(row), from.rows.ngram(row), context, static_cast<std::int32_t>(width));
    to.flat.resize(static_cast<std::size_t>(before + to.rows.size()), Real{0});
    add(before + to.rows.start(same), before + from.rows.start(row), width);
  }
}

}  // namespace riata
