// Rows of weights that always fire together, or nearly so: their sum is made once per combination, not once per token.
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

// What one template, or one family of features that users name, fires at every token: rows of weights at base + id * step.
struct RowColumn {
  std::vector<std::int32_t> ids;  // [N] -1 where nothing fires
  std::int64_t base, step;
};

// Columns of which no two ever write to the same row; those of one word come one after the other.
struct RowColumns {
  std::vector<RowColumn> all;
  // Named features that are in no column, token by token: [N + 1] where those of a token start, and what they are.
  std::vector<std::int64_t> other_starts;
  std::vector<std::int32_t> other_ids;
  std::vector<float> other_values;

  // heads: [G] of named features, the number of what comes before the value in their name; a token mostly has one of each. Not for hashed
  // indices.
  RowColumns(const FeatureIndex& index, const Layout& layout, const Instances& instances, std::span<const std::int32_t> heads);
};

// A word's suffix, shape and lower case follow from the word, so all rows that one word fires at one offset have one sum; and a corpus has
// far fewer combinations of five neighbouring tags than it has tokens. `row_groups` finds columns of which this holds, by counting.
struct RowGroup {
  std::vector<std::int32_t> columns;  // their numbers
  std::vector<std::int32_t> key_of;   // [N] the combination that a token has
  std::int32_t keys = 0;
  std::vector<std::int32_t> ids;  // [columns][keys] as in the columns
};

// Columns in groups; one that shares its combinations with none is in no group.
std::vector<RowGroup> row_groups(const std::vector<RowColumn>& columns);

// The rows that fire at tokens, read and written through the groups.
template <class Real>
class GroupedRows {
 public:
  // All parameters must outlive it.
  GroupedRows(std::vector<RowColumn> columns, const Layout& layout, const Instances& instances, const RowWeights& there);

  // Before reading: takes on the weights, and adds up the rows of every combination.
  void sum(std::span<const double> at, std::int64_t threads);
  // out [length][stride] = the sum of the rows that fire at each token of sentence s.
  void read(std::int64_t s, Real* out) const;
  // out [stride] += value times a row.
  void add(std::int64_t row, Real value, Real* out) const noexcept {
    for (std::int32_t i = there_.first(row); i < there_.end(row); ++i)
      out[there_.label(i)] += weights_[static_cast<std::size_t>(i)].value * value;
  }

  // Before writing.
  void clear(std::int64_t threads);
  // Adds rows [tokens][stride], of the sentences from first to end, to the combinations of those tokens; in the same order for any number
  // of threads.
  void write(std::int64_t first, std::int64_t end, const Real* rows, std::int64_t threads);
  // After it: adds what they have gathered to the gradient, [weights].
  void finish(std::span<double> gradient, std::int64_t threads);

 private:
  struct Weight {
    std::int32_t label;
    Real value;
  };
  // The weights of a row.
  struct Range {
    std::int32_t first, end;
  };
  // A column whose rows hold few weights: those of the row that fires at a token, [N].
  using Sparse = std::vector<Range>;
  Range range(const RowColumn& column, std::int32_t id) const noexcept;
  bool make_sparse(const RowColumn& column);

  const Layout& layout_;
  const Instances& instances_;
  const RowWeights& there_;
  std::vector<RowGroup> groups_;            // without ids and keys of tokens
  std::vector<std::vector<Range>> ranges_;  // [groups], and of each [keys][columns]
  std::vector<Sparse> sparse_;
  Numbers<Weight> weights_;           // all that there are
  Numbers<Real> single_;              // [weights] what sparse columns have gathered
  std::vector<std::int32_t> places_;  // [N][groups] rows of the tables
  std::vector<std::int64_t> firsts_;  // [groups] rows of the tables
  Numbers<Real> row_sums_, totals_;   // [combinations of all groups][stride]
};

}  // namespace riata
