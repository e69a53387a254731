// The weights of a linear chain model: one row of labels per (n-gram, offset), one matrix of label pairs.
#pragma once

#include <cstdint>
#include <tuple>
#include <vector>

#include "core/kernels.hpp"
#include "core/numbers.hpp"
#include "features/index.hpp"

namespace riata {

template <class Real>
struct Weights {
  std::int32_t labels = 0;
  std::int32_t stride = 0;          // labels padded to a multiple of 8; the padding stays zero
  std::vector<Numbers<Real>> node;  // [F][(ngram, slot)][stride]
  std::vector<Numbers<Real>> edge;  // [F][(ngram, slot)][labels][stride]: from, to
  Numbers<Real> given;              // [G][stride]; of a hashed index, its table: all rows but the transitions
  Numbers<Real> transition;         // [labels][stride]: from, to
  HistoryIndex history;             // what earlier labels say: grows while learning, so it goes with the weights
  Numbers<Real> history_rows;       // [history.rows()][stride]
  bool local = false;               // a step's score is log P(label | label before, input): what the rows add up to, normalised (local.hpp)

  explicit Weights(std::int32_t label_count = 0)
      : labels(label_count), stride(padded(label_count)), transition(std::size_t(labels) * stride, Real{0}) {}

  Real* node_row(std::int32_t family, std::size_t row) noexcept { return node[family].data() + row * stride; }
  Real* edge_row(std::int32_t family, std::size_t row) noexcept { return edge[family].data() + row * square(); }
  Real* given_row(std::size_t row) noexcept { return given.data() + row * stride; }
  Real* transition_row() noexcept { return transition.data(); }
  const Real* node_row(std::int32_t family, std::size_t row) const noexcept { return node[family].data() + row * stride; }
  const Real* edge_row(std::int32_t family, std::size_t row) const noexcept { return edge[family].data() + row * square(); }
  const Real* given_row(std::size_t row) const noexcept { return given.data() + row * stride; }
  const Real* transition_row() const noexcept { return transition.data(); }
  const Real* history_row(std::size_t row) const noexcept { return (history.hashed() ? given : history_rows).data() + row * stride; }

  std::int32_t given_size() const noexcept { return stride == 0 ? 0 : static_cast<std::int32_t>(given.size() / stride); }
  std::size_t square() const noexcept { return std::size_t(labels) * stride; }

  // Makes room for what the index has learnt since; new rows are zero.
  void grow(const FeatureIndex& index, std::int32_t given_size) {
    node.resize(index.families());
    edge.resize(index.families());
    for (std::int32_t f = 0; f < index.families(); ++f) {
      node[f].resize(std::size_t(index.size(f)) * index.node_slots_of(f) * stride);
      edge[f].resize(std::size_t(index.size(f)) * index.edge_slots_of(f) * square());
    }
    const HashTable table = index.table(labels, stride);
    if (index.hashed()) given_size = static_cast<std::int32_t>(table.rows());
    if (std::size_t(given_size) * stride > given.size()) given.resize(std::size_t(given_size) * stride);
    if (history.slots().empty()) history = HistoryIndex(index.history_slots(), table);
  }
};

// visit(block, ...) for every block of weights over one feature index, but for those of earlier labels, which differ in number.
template <class Visit, class... Same>
void each_block(Visit visit, Same&... weights) {
  const auto& shape = std::get<0>(std::tie(weights...));
  visit(weights.transition...);
  for (std::size_t f = 0; f < shape.node.size(); ++f) visit(weights.node[f]...);
  for (std::size_t f = 0; f < shape.edge.size(); ++f) visit(weights.edge[f]...);
  visit(weights.given...);
}

}  // namespace riata
