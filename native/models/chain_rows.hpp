// What scores a chain: the layout of its rows, and the vector that contains them. The vector may change between two reads.
#pragma once

#include <cstddef>
#include <cstdint>

#include "features/history.hpp"
#include "models/layout.hpp"
#include "models/vector.hpp"
#include "models/weights.hpp"

namespace riata {

template <class Real>
struct ChainRows {
  const Layout& layout;
  const HistoryIndex& history;
  const Vector<Real>& vector;
  bool local;      // whether scores of steps are normalised, as in Weights::local
  bool truncated;  // whether they are truncated, as in Weights::truncated

  std::int32_t labels() const noexcept { return layout.labels; }
  std::int32_t stride() const noexcept { return layout.stride; }
  std::size_t square() const noexcept { return std::size_t(layout.labels) * layout.stride; }
  const Real* row(std::int64_t place) const noexcept { return vector.data() + place; }
  const Real* history_row(RowId at) const noexcept { return row(layout.history_row(at)); }
};

// The rows of weights that do not change. vector: Vector::of(weights.flat), which the caller keeps.
template <class Real>
ChainRows<Real> rows_of(const Weights<Real>& weights, const Vector<Real>& vector) noexcept {
  return {weights.layout, weights.history, vector, weights.local, weights.truncated};
}

}  // namespace riata
