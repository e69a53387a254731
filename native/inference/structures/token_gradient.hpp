// The scores of tokens' own labels on a chain, under weights that change from sentence to sentence, and their gradient.
#pragma once

#include <algorithm>
#include <cstdint>

#include "features/instances.hpp"
#include "inference/constraint.hpp"
#include "inference/sentence_gradient.hpp"
#include "inference/structures/vector_products.hpp"
#include "models/layout.hpp"
#include "models/row_reader.hpp"
#include "models/row_sum.hpp"

namespace riata {

template <class Real>
class TokenGradient {
 public:
  // All parameters must outlive the object.
  TokenGradient(const FeatureIndex& index, const Layout& layout, const Instances& instances, const Constraint<Real>& constraint,
                const Allowed& possible)
      : layout_(layout),
        instances_(instances),
        constraint_(constraint),
        possible_(possible),
        rows_(index, layout, instances),
        vectors_(index, layout, instances) {}

  // Writes the scores of the labels of every token to node, [length][stride]; minus infinity if a label is not allowed.
  void score(std::int64_t s, const Real* weights, Real scale, Real* node) {
    const auto length = static_cast<std::int32_t>(instances_.length(s)), labels = layout_.labels, stride = layout_.stride;
    for (std::int32_t t = 0; t < length; ++t) {
      Real* out = node + std::int64_t{t} * stride;
      std::fill_n(out, stride, Real{0});
      sum_.begin(out, stride);
      rows_.nodes_apart(s, t, [&](std::int64_t row, float value) { sum_.add(weights + row, value); });
      sum_.finish();
    }
    vectors_.add(weights, instances_.starts[s], length, stride, node);
    for (std::int32_t t = 0; t < length; ++t) {
      Real* out = node + std::int64_t{t} * stride;
      for (std::int32_t j = 0; j < labels; ++j) {
        out[j] *= scale;
        if (t == 0) out[j] += constraint_.start[static_cast<std::size_t>(j)];
        if (t == length - 1) out[j] += constraint_.end[static_cast<std::size_t>(j)];
      }
      std::fill(out + labels, out + stride, Constraint<Real>::never);
      possible_.forbid(instances_.starts[s] + t, out);
    }
  }

  // Adds `times` times the difference of every token, [length][stride], to the rows that the token reads.
  void move(std::int64_t s, const Real* difference, double times, const RowMoves<Real>& to) const {
    for (std::int64_t t = 0; t < instances_.length(s); ++t) {
      const Real* values = difference + t * layout_.stride;
      rows_.nodes(s, t, [&](std::int64_t row, float value) { to.add(row, values, times * double(value)); });
    }
  }

 private:
  const Layout& layout_;
  const Instances& instances_;
  const Constraint<Real>& constraint_;
  const Allowed& possible_;  // the labels that a dictionary leaves to every token
  RowReader<const Layout> rows_;
  VectorProducts vectors_;
  RowSum<Real> sum_;
};

}  // namespace riata
