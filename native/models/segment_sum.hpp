// Several weight vectors of segments over one feature index as one.
#pragma once

#include <cmath>
#include <cstdint>
#include <span>
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
    same[row] = parent < 0 ? to.grown.add(from.grown.slot(-1 - parent), from.grown.code(-1 - parent), value) : to.grown.add_next(same[parent], value);
  }
  to.flat.resize(std::size_t(to.grown.rows()) * stride, Real{0});
  for (std::int32_t row = 0; row < from.grown.rows(); ++row) {
    const Real* source = from.flat.data() + std::size_t(row) * stride;
    Real* target = to.flat.data() + std::size_t(same[row]) * stride;
    for (std::int32_t j = 0; j < stride; ++j) target[j] += static_cast<Real>(scale * source[j]);
  }
}

// As that of chains: models/weights_sum.hpp.
template <class Real>
SegmentWeights<Real> normalised_sum(std::span<const SegmentWeights<Real>* const> parts) {
  if (parts.empty()) throw Error("RiataError", "there are no weights to sum");
  std::vector<double> norms;
  double total = 0;
  for (const SegmentWeights<Real>* part : parts) {
    double sum = 0;
    for (const Real value : part->flat) sum += double(value) * value;
    total += norms.emplace_back(std::sqrt(sum));
  }
  const double number = static_cast<double>(parts.size());
  SegmentWeights<Real> out = *parts[0];
  out.flat.assign(out.flat.size(), Real{0});
  for (std::size_t p = 0; p < parts.size(); ++p) {
    if (norms[p] > 0) add_scaled(out, *parts[p], total / number / number / norms[p]);
  }
  return out;
}

}  // namespace riata
