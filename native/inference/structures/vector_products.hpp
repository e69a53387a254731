// What the vectors of tokens add to the scores of labels: a matrix product for every few tokens.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "core/kernels.hpp"
#include "features/index.hpp"
#include "features/instances.hpp"
#include "models/layout.hpp"

namespace riata {

class VectorProducts {
 public:
  static constexpr std::int64_t together = TokenVectors::together;

  // instances must outlive the object.
  VectorProducts(const FeatureIndex& index, const Layout& layout, const Instances& instances) : of_(instances.vectors) {
    const HashTable table = index.table(layout.labels);
    for (const std::int32_t name : of_.names)
      places_.push_back(layout.named_row(index.hashed() ? table.row(name, Reader::named) : static_cast<std::size_t>(name)));
  }
  // Weights that stand one after the other, [columns][stride].
  VectorProducts(const Instances& instances, std::int32_t stride) : of_(instances.vectors) {
    for (std::int64_t k = 0; k < of_.size(); ++k) places_.push_back(k * stride);
  }

  bool empty() const noexcept { return of_.empty(); }

  // out += the products of the tokens from `token` to `token` + count - 1; out is [count][stride].
  template <class Real>
  void add(const Real* weights, std::int64_t token, std::int64_t count, std::int32_t stride, Real* out) const {
    const float* rows[together];
    std::vector<float> room;
    for (std::int64_t i = 0; !empty() && i < count; i += together) {
      const std::int64_t here = std::min(together, count - i);
      of_.read(token + i, here, 0, places_.size(), room, rows);
      multiply_vectors(rows, here, of_.columns.data(), places_.data(), of_.size(), weights, stride, out + i * stride);
    }
  }

 private:
  const TokenVectors& of_;
  std::vector<std::int64_t> places_;  // [columns] where the row of each begins
};

}  // namespace riata
