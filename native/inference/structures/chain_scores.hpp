// The scores of the parts of one sentence of a chain: labels and pairs of labels.
#pragma once

#include <cstdint>

#include "features/index.hpp"
#include "features/instances.hpp"
#include "inference/constraint.hpp"
#include "inference/exact/viterbi.hpp"
#include "inference/possible_labels.hpp"
#include "inference/structures/planned_rows.hpp"
#include "inference/structures/vector_products.hpp"
#include "models/chain_rows.hpp"
#include "models/row_reader.hpp"

namespace riata {

// Throws Error unless the instances were made with this index and fit weights of this layout. size: of the weight vector.
void check_fit(const FeatureIndex& index, const Layout& layout, const HistoryIndex& history, std::size_t size, const Instances& instances);

// The layout must not change while the scorer is in use. The weights may change, and features of earlier labels may be added.
template <class Real>
class ChainScorer {
 public:
  ChainScorer(const FeatureIndex& index, const ChainRows<Real>& rows, const Constraint<Real>& constraint, const Instances& instances)
      : rows_(rows),
        constraint_(constraint),
        instances_(instances),
        edges_read_(!index.edge_slots().empty()),
        nodes_(index, rows, instances),
        vectors_(index, rows.layout, instances),
        edges_(index, rows.layout, instances),
        masks_(constraint, rows.labels(), instances.choices),
        possible_(masks_) {}
  ChainScorer(const ChainScorer&) = delete;

  // Fills `chain` with the scores of sentence s, which are minus infinity where the constraint, the dictionary or the given labels of the
  // sentence forbid a label. Features of earlier labels are not included.
  void operator()(std::int64_t s, ChainScores<Real>& chain);

 private:
  ChainRows<Real> rows_;
  const Constraint<Real>& constraint_;
  const Instances& instances_;
  bool edges_read_;  // whether scores of label pairs depend on the input
  PlannedRows<Real> nodes_;
  VectorProducts vectors_;
  RowReader<const Layout> edges_;
  LabelMasks<Real> masks_;
  PossibleLabels<Real> possible_;
};

extern template class ChainScorer<float>;
extern template class ChainScorer<double>;

}  // namespace riata
