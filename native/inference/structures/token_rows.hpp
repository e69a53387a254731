// The scores of tokens' own labels in a batch objective on chains: rows of weights, and constraints of first and last labels.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "features/index.hpp"
#include "features/instances.hpp"
#include "inference/constraint.hpp"
#include "inference/possible_labels.hpp"
#include "inference/potentials.hpp"
#include "inference/structures/chain_pairs.hpp"
#include "inference/structures/row_groups.hpp"
#include "inference/structures/vector_rows.hpp"
#include "models/layout.hpp"

namespace riata {

template <class Real>
class TokenRows {
 public:
  // All parameters must outlive the object. heads: see RowColumns; may be empty.
  TokenRows(const FeatureIndex& index, const Layout& layout, const Instances& instances, const Constraint<Real>& constraint,
            const RowWeights& there, std::span<const std::int32_t> heads);

  const FeatureIndex& index() const noexcept { return index_; }
  // The labels that a dictionary leaves to every token; see all_possible.
  const Allowed& possible() const noexcept { return possible_; }

  // Stores the weights, and sets the collected gradient to zero.
  void begin(std::span<const double> at, std::int64_t threads) {
    rows_.sum(at, threads);
    rows_.clear(threads);
    vectors_.begin(at);
  }
  // out [stride] += a row of weights.
  void add(std::int64_t row, Real* out) const noexcept { rows_.add(row, Real{1}, out); }
  // Writes the scores of the labels of every token to node, [length][stride]; minus infinity if a label is not allowed.
  void score(std::int64_t s, Real* node) const;
  // At tokens whose label is known, sets the scores of all other labels to minus infinity.
  void keep_known(std::int64_t s, Real* node) const;
  // The score of the true labels of a sentence, all of which are known, from scores [length][stride]; and subtracting the true labels
  // `times` times from a difference [length][stride].
  double score_of_truth(std::int64_t s, const Real* node) const;
  void take_truth(std::int64_t s, Real times, Real* difference) const;

  // Adds the differences of a batch, [tokens][stride], to the rows that its tokens read.
  void gather(const SentenceRange& batch, const Real* differences, std::span<double> gradient, std::int64_t threads);
  void finish(std::span<double> gradient, std::int64_t threads) { rows_.finish(gradient, threads); }

 private:
  TokenRows(const FeatureIndex& index, const Layout& layout, const Instances& instances, const Constraint<Real>& constraint,
            const RowWeights& there, RowColumns columns);
  template <class Visit>
  void each_other_row(std::int64_t s, Visit visit) const;

  const FeatureIndex& index_;
  const Layout& layout_;
  const Instances& instances_;
  const Constraint<Real>& constraint_;
  const RowWeights& there_;
  Allowed possible_;
  GroupedRows<Real> rows_;
  VectorRows<Real> vectors_;
  std::vector<std::int64_t> other_starts_;  // named features that are in no column: see RowColumns
  std::vector<std::int32_t> other_ids_;
  std::vector<float> other_values_;
};

extern template class TokenRows<float>;
extern template class TokenRows<double>;

}  // namespace riata
