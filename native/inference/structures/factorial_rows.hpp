// The weights of a batch objective on several labels per token: which of them exist, and where they are read and collected.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "features/instances.hpp"
#include "inference/exact/factorial_scores.hpp"
#include "inference/potentials.hpp"
#include "inference/structures/chain_pairs.hpp"
#include "inference/structures/factorial_scorer.hpp"
#include "inference/structures/row_groups.hpp"
#include "models/factorial_weights.hpp"
#include "models/row_weights.hpp"

namespace riata {

template <class Real>
class FactorialRows {
 public:
  // index and instances must outlive the object. gold: [N] codes of combinations.
  FactorialRows(const FeatureIndex& index, const FactorialTemplates& templates, const FactorialCoding& coding, const Instances& instances,
                std::span<const std::int32_t> gold, FeatureLabels which);
  FactorialRows(const FactorialRows&) = delete;
  FactorialRows& operator=(const FactorialRows&) = delete;

  const FactorialTemplates& templates() const noexcept { return templates_; }
  const FactorialLayout& layout() const noexcept { return layout_; }
  const FactorialShape& shape() const noexcept { return shape_; }
  const std::vector<std::uint8_t>& per_token() const noexcept { return per_token_; }
  std::int64_t size() const noexcept { return there_->size(); }
  // Which places of the long vector hold a weight, as rows of row_multiple places.
  const RowWeights& weights() const noexcept { return *there_; }

  // Stores the weights, and sets the collected gradient to zero.
  void begin(std::span<const double> at, std::int64_t threads);
  // Writes the scores of sentence s without constraints. Tables that all tokens share are left out.
  void read(std::int64_t s, FactorialScores<Real>& out) const;
  // The table of a factor that all tokens share; zeros if it has a table per token.
  const Real* shared_table(FactorId k) const noexcept { return shared_[k.place()].data(); }

  // Collects differences of the sentences of a batch: of labels, [columns][tokens][stride], and of pairs of labels, [factors] tables of
  // every token or of every sentence.
  void gather(const SentenceRange& batch, const std::vector<Numbers<Real>>& node, const std::vector<Numbers<Real>>& pair,
              std::int64_t threads);
  void finish(std::span<double> gradient, std::int64_t threads);

  // The model whose weights are those of a point, in any precision; and the point whose weights are those of a model.
  template <class Out>
  FactorialWeights<Out> model(std::span<const double> at) const;
  std::vector<double> point(const FactorialWeights<Real>& weights) const;

 private:
  // The weights of a row of two labels: first to end - 1, counted from the first weight of two labels.
  struct Range {
    std::int64_t first, end;
  };
  Range range(SlotId slot, NgramId ngram) const noexcept {
    const std::int64_t row = layout_.row(slot, ngram);
    return {there_->first(row) - first_pair_, there_->end(row + layout_.row_size(slot) - row_multiple) - first_pair_};
  }
  std::vector<bool> seen(std::span<const std::int32_t> gold, FeatureLabels which) const;
  void find_columns(const FeatureIndex& index, const std::vector<bool>& there);
  void find_cells();
  // Calls visit(slot, factor) for the slots of two labels.
  template <class Visit>
  void each_pair_slot(Visit visit) const {
    for (SlotId id(0); id.place() < templates_.slots().size(); ++id) {
      if (!templates_.slots()[id.place()].alone()) visit(id, FactorId(templates_.factor(templates_.slots()[id.place()])));
    }
  }

  const Instances& instances_;
  FactorialTemplates templates_;
  FactorialCoding coding_;
  FactorialLayout layout_;
  FactorialShape shape_;
  std::vector<std::uint8_t> per_token_;
  std::unique_ptr<RowWeights> there_;
  // Rows of single labels, column by column. Their layouts and weights are those of a chain of the column alone.
  std::vector<std::unique_ptr<Layout>> layouts_;
  std::vector<std::unique_ptr<RowWeights>> of_column_;
  std::vector<std::unique_ptr<GroupedRows<Real>>> columns_;
  std::vector<std::int64_t> firsts_;  // [columns + 1] number of the first weight of each column, and of two labels
  std::int64_t first_pair_ = 0;
  // Weights of two labels: their cells in a table, their values, and the gradient collected for them.
  std::vector<std::int32_t> cells_;
  Numbers<Real> values_;
  Numbers<double> totals_;
  std::vector<Numbers<Real>> shared_;  // [factors] tables that all tokens share
};

extern template class FactorialRows<float>;
extern template class FactorialRows<double>;

}  // namespace riata
