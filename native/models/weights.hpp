// The weights of a linear chain model: one row of labels per (n-gram, offset), and one matrix of label pairs.
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
  std::int32_t stride = 0;  // labels rounded up to a multiple of 8; the padding stays 0
  Layout layout;            // where the rows stand in `flat`
  Numbers<Real> flat;       // all rows; rows of earlier labels come last, [history.rows()][stride], unless they are hashed
  HistoryIndex history;     // features of earlier labels; grows during learning, and therefore belongs to the weights
  // Whether the score of a step is log P(label | label before, input), the rows' sum normalised (inference/structures/local.hpp).
  bool local = false;
  // Whether the score of a step is the rows' sum, kept between -1 and 1 (inference/structures/truncated.hpp). Not with `local`.
  bool truncated = false;

  explicit Weights(std::int32_t label_count = 0)
      : labels(label_count), stride(padded(label_count)), layout(label_count), flat(static_cast<std::size_t>(layout.size), Real{0}) {}

  Real* row(std::int64_t place) noexcept { return flat.data() + place; }
  const Real* row(std::int64_t place) const noexcept { return flat.data() + place; }
  Real* node_row(std::int32_t family, std::size_t at) noexcept { return row(layout.node_row(family, at)); }
  Real* edge_row(std::int32_t family, std::size_t at) noexcept { return row(layout.edge_row(family, at)); }
  Real* named_row(std::size_t at) noexcept { return row(layout.named_row(at)); }
  Real* transition_row() noexcept { return row(layout.transition_row()); }
  Real* history_row(RowId at) noexcept { return row(layout.history_row(at)); }
  const Real* node_row(std::int32_t family, std::size_t at) const noexcept { return row(layout.node_row(family, at)); }
  const Real* edge_row(std::int32_t family, std::size_t at) const noexcept { return row(layout.edge_row(family, at)); }
  const Real* named_row(std::size_t at) const noexcept { return row(layout.named_row(at)); }
  const Real* transition_row() const noexcept { return row(layout.transition_row()); }
  const Real* history_row(RowId at) const noexcept { return row(layout.history_row(at)); }

  std::int32_t named_size() const noexcept { return layout.named_size(); }
  std::size_t square() const noexcept { return std::size_t(labels) * stride; }
  // How many weights `flat` must have.
  std::size_t room() const noexcept {
    return static_cast<std::size_t>(history.hashed() ? layout.size : layout.history_row(RowId(history.rows())));
  }

  // Makes room for n-grams and named features that have been added to the index. New rows are 0.
  void grow(const FeatureIndex& index, std::int32_t named_size) {
    const Layout now(index, labels, std::max(named_size, index.hashed() ? 0 : this->named_size()));
    if (now.size != layout.size || now.families() != layout.families()) flat = now.moved(flat, layout);
    layout = now;
    if (history.slots().empty()) history = HistoryIndex(index.history_slots(), index.table(labels));
    flat.resize(std::max(flat.size(), room()), Real{0});
  }
};

}  // namespace riata
