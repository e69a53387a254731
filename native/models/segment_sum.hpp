// Weights of segments added to others over one feature index.
#pragma once

#include <cstdint>
#include <vector>

#include "core/error.hpp"
#include "models/segment_weights.hpp"

namespace riata {

// Adds weights times a number. Rows came in an order of their own, so they are matched by what they stand for.
template <class Real>
void add_scaled(SegmentWeights<Real>& to, const SegmentWeights<Real>& from, double scale) {
  if (from.kinds.labels != to.kinds.labels || from.kinds.most != to.kinds.most || from.grown.slots() != to.grown.slots())
    throw Error("RiataError", "the weights belong to different models");
  const std::int32_t stride = to.kinds.stride();
  std::vector<std::int32_t> same(static_cast<std::size_t>(from.grown.rows()));
  for (std::int32_t row = 0; row < from.grown.rows(); ++row) {
    const std::int32_t parent = from.grown.parent(row), value = from.grown.value(row);
    same[row] = parent < 0 ? to.grown.add(from.grown.slot(-1 - parent), from.grown.code(-1 - parent), value)
                           : to.grown.add_next(same[parent], value);
  }
  to.flat.resize(std::size_t(to.grown.rows()) * stride, Real{0});
  for (std::int32_t row = 0; row < from.grown.rows(); ++row) {
    const Real* source = from.flat.data() + std::size_t(row) * stride;
    Real* target = to.flat.data() + std::size_t(same[row]) * stride;
    for (std::int32_t j = 0; j < stride; ++j) target[j] += static_cast<Real>(scale * source[j]);
  }
}

}  // namespace riata
