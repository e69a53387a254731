// What tokens say of their own labels in a batch objective on chains: rows of weights, and where label sequences may start and end.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "features/index.hpp"
#include "features/instances.hpp"
#include "inference/constraint.hpp"
#include "inference/potentials.hpp"
#include "inference/structures/chain_pairs.hpp"
#include "inference/structures/row_groups.hpp"
#include "models/layout.hpp"

namespace riata {

template <class Real>
class TokenRows {
 public:
  // All must outlive it. heads: as RowColumns has them, or empty.
  TokenRows(const FeatureIndex& index, const Layout& layout, const Instances& instances, const Constraint<Real>& constraint,
            const RowWeights& there, std::span<const std::int32_t> heads);

  const FeatureIndex& index() const noexcept { return index_; }

  // Takes on the weights, and forgets what was gathered.
  void begin(std::span<const double> at, std::int64_t threads) {
    rows_.sum(at, threads);
    rows_.clear(threads);
  }
  // out [stride] += a row of weights.
  void add(std::int64_t row, Real* out) const noexcept { rows_.add(row, Real{1}, out); }
  // The scores of the labels of every token: node [length][stride] to write, minus infinity where not allowed.
  void score(std::int64_t s, Real* node) const;
  // Sets the scores of all labels but the known ones to minus infinity, at tokens whose label is known.
  void keep_known(std::int64_t s, Real* node) const;
  // The score of the true labels of a sentence, all of which are known, in scores [length][stride]; and taking the true labels `times`
  // times off a difference [length][stride].
  double score_of_truth(std::int64_t s, const Real* node) const;
  void take_truth(std::int64_t s, Real times, Real* difference) const;

  // Hands on the differences of a batch, [tokens][stride], to the rows that fire at its tokens.
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
  GroupedRows<Real> rows_;
  std::vector<std::int64_t> other_starts_;  // named features that are in no column, as RowColumns has them
  std::vector<std::int32_t> other_ids_;
  std::vector<float> other_values_;
};

extern template class TokenRows<float>;
extern template class TokenRows<double>;

}  // namespace riata
