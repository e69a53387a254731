// The weights of a linear chain model: one row of labels per (n-gram, offset), one matrix of label pairs.
#pragma once

#include <algorithm>
#include <cstdint>

#include "core/numbers.hpp"
#include "features/history.hpp"
#include "features/index.hpp"
#include "models/layout.hpp"

namespace riata {

template <class Real>
struct Weights {
  std::int32_t labels = 0;
  std::int32_t stride = 0;  // labels padded to a multiple of 8; the padding stays zero
  Layout layout;            // where rows stand
  Numbers<Real> flat;       // all of them; those of earlier labels last, [history.rows()][stride], unless they are hashed
  HistoryIndex history;     // what earlier labels say: grows while learning, so it goes with the weights
  bool local = false;       // a step's score is log P(label | label before, input): what the rows add up to, normalised (local.hpp)

  explicit Weights(std::int32_t label_count = 0)
      : labels(label_count), stride(padded(label_count)), layout(label_count), flat(static_cast<std::size_t>(layout.size), Real{0}) {}

  Real* row(std::int64_t place) noexcept { return flat.data() + place; }
  const Real* row(std::int64_t place) const noexcept { return flat.data() + place; }
  Real* node_row(std::int32_t family, std::size_t at) noexcept { return row(layout.node_row(family, at)); }
  Real* edge_row(std::int32_t family, std::size_t at) noexcept { return row(layout.edge_row(family, at)); }
  Real* named_row(std::size_t at) noexcept { return row(layout.named_row(at)); }
  Real* transition_row() noexcept { return row(layout.transition_row()); }
  Real* history_row(std::size_t at) noexcept { return row(layout.history_row(static_cast<std::int32_t>(at))); }
  const Real* node_row(std::int32_t family, std::size_t at) const noexcept { return row(layout.node_row(family, at)); }
  const Real* edge_row(std::int32_t family, std::size_t at) const noexcept { return row(layout.edge_row(family, at)); }
  const Real* named_row(std::size_t at) const noexcept { return row(layout.named_row(at)); }
  const Real* transition_row() const noexcept { return row(layout.transition_row()); }
  const Real* history_row(std::size_t at) const noexcept { return row(layout.history_row(static_cast<std::int32_t>(at))); }

  std::int32_t named_size() const noexcept { return layout.named_size(); }
  std::size_t square() const noexcept { return std::size_t(labels) * stride; }
  // How many numbers there must be.
  std::size_t room() const noexcept {
    return static_cast<std::size_t>(history.hashed() ? layout.size : layout.history_row(history.rows()));
  }

  // Makes room for what the index has learnt since; new rows are zero.
  void grow(const FeatureIndex& index, std::int32_t named_size) {
    const Layout now(index, labels, std::max(named_size, index.hashed() ? 0 : this->named_size()));
    if (now.size != layout.size || now.families() != layout.families()) flat = now.moved(flat, layout);
    layout = now;
    if (history.slots().empty()) history = HistoryIndex(index.history_slots(), index.table(labels, stride));
    flat.resize(std::max(flat.size(), room()), Real{0});
  }
};

}  // namespace riata
