// Rows of weights that are always, or nearly always, read together. Their sum is computed once per combination instead of once per token.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "core/kernels.hpp"
#include "core/numbers.hpp"
#include "core/tasks.hpp"
#include "features/index.hpp"
#include "features/instances.hpp"
#include "inference/structures/chain_pairs.hpp"
#include "models/layout.hpp"

namespace riata {

// The rows that one template, or one kind of named features, reads at every token: they start at base + id * step.
struct RowColumn {
  std::vector<std::int32_t> ids;  // [N] -1: no row is read at the token
  std::int64_t base, step;
};

// No two columns use the same row. The columns of one word are neighbours.
struct RowColumns {
  std::vector<RowColumn> all;
  // Named features that are in no column: [N + 1] where those of a token start, their ids and their values.
  std::vector<std::int64_t> other_starts;
  std::vector<std::int32_t> other_ids;
  std::vector<float> other_values;

  // heads: [G] for each named feature, the number of the part of its name before the value; most tokens have at most one feature per head.
  // A hashed index has no columns.
  RowColumns(const FeatureIndex& index, const Layout& layout, const Instances& instances, std::span<const std::int32_t> heads);
};

// The suffix, shape and lower case of a word follow from the word, so all rows that are read for one word at one offset have one sum. And a
// corpus has far fewer combinations of five neighbouring tags than tokens. `row_groups` finds such columns by counting combinations.
struct RowGroup {
  std::vector<std::int32_t> columns;  // numbers of the columns
  std::vector<std::int32_t> key_of;   // [N] the combination that the token has
  std::int32_t keys = 0;
  std::vector<std::int32_t> ids;  // [columns][keys] the ids of each combination
};

// Divides columns into groups. A column that shares its combinations with no other is in no group.
std::vector<RowGroup> row_groups(const std::vector<RowColumn>& columns);

// The rows of the tokens of a corpus, read and written through groups.
template <class Real>
class GroupedRows {
 public:
  // layout, instances and there must outlive the object.
  GroupedRows(std::vector<RowColumn> columns, const Layout& layout, const Instances& instances, const RowWeights& there);

  // Must be called before reading: stores the weights, and adds up the rows of every combination.
  void sum(std::span<const double> at, std::int64_t threads);
  // Writes the sum of the rows of each token of sentence s to out, [length][stride].
  void read(std::int64_t s, Real* out) const;
  // out [stride] += value times a row.
  void add(std::int64_t row, Real value, Real* out) const noexcept {
    for (std::int32_t i = there_.first(row); i < there_.end(row); ++i)
      out[there_.label(i)] += weights_[static_cast<std::size_t>(i)].value * value;
  }

  // Must be called before the first `write` of an evaluation: sets the collected gradient to zero.
  void clear(std::int64_t threads);
  // Adds rows [tokens][stride] of the sentences from first to end - 1 to the combinations of their tokens, in the same order for any number
  // of threads.
  void write(std::int64_t first, std::int64_t end, const Real* rows, std::int64_t threads);
  // Must be called after the last `write`: adds the collected gradient to `gradient`, [weights].
  void finish(std::span<double> gradient, std::int64_t threads);

 private:
  struct Weight {
    std::int32_t label;
    Real value;
  };
  // The weights of a row: first to end - 1.
  struct Range {
    std::int32_t first, end;
  };
  // A column whose rows have few weights: [N] the weights of the row that is read at each token.
  using Sparse = std::vector<Range>;
  Range range(const RowColumn& column, std::int32_t id) const noexcept;
  bool make_sparse(const RowColumn& column);

  const Layout& layout_;
  const Instances& instances_;
  const RowWeights& there_;
  std::vector<RowGroup> groups_;            // their ids and key_of are not kept
  std::vector<std::vector<Range>> ranges_;  // [groups][keys][columns] the weights of each row
  std::vector<Sparse> sparse_;
  Numbers<Weight> weights_;           // all weights
  Numbers<Real> single_;              // [weights] gradient collected by sparse columns
  std::vector<std::int32_t> places_;  // [N][groups] rows of row_sums_ and totals_ that a token uses
  std::vector<std::int64_t> firsts_;  // [groups] first row of each group in row_sums_ and totals_
  Numbers<Real> row_sums_, totals_;   // [combinations of all groups][stride] sums of weights, and collected gradient
};

}  // namespace riata
