// What scores a chain: where its rows stand, and the vector that holds them, which may change.
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
  bool local;  // as Weights has it

  std::int32_t labels() const noexcept { return layout.labels; }
  std::int32_t stride() const noexcept { return layout.stride; }
  std::size_t square() const noexcept { return std::size_t(layout.labels) * layout.stride; }
  const Real* row(std::int64_t place) const noexcept { return vector.data() + place; }
  const Real* history_row(std::int32_t at) const noexcept { return row(layout.history_row(at)); }
};

// Of weights that stay as they are. vector: Vector::of(weights.flat).
template <class Real>
ChainRows<Real> rows_of(const Weights<Real>& weights, const Vector<Real>& vector) noexcept {
  return {weights.layout, weights.history, vector, weights.local};
}

}  // namespace riata
