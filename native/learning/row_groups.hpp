// Rows of weights that always fire together, or nearly so: their sum is made once per combination, not once per token.
#pragma once

#include <cstdint>
#include <vector>

#include "core/kernels.hpp"
#include "core/numbers.hpp"
#include "core/tasks.hpp"
#include "features/index.hpp"
#include "features/instances.hpp"
#include "models/layout.hpp"

namespace riata {

// A word's suffix, shape and lower case follow from the word, so all rows that one word fires at one offset have one sum; and a corpus has far fewer
// combinations of five neighbouring tags than it has tokens. `Groups` finds slots of which this holds, by counting.
struct RowGroup {
  std::vector<std::int32_t> slots;   // numbers of node slots
  std::vector<std::int32_t> key_of;  // [N] the combination that a token has
  std::int32_t keys = 0;
  std::vector<std::int32_t> ids;     // [slots][keys] n-grams; -1 where there is none
};

// Slots in groups; a slot that shares its combinations with none is in no group.
std::vector<RowGroup> row_groups(const FeatureIndex& index, const Instances& instances);

// The rows of a long vector that fire at tokens, read and written through the groups.
template <class Real>
class GroupedRows {
 public:
  // All must outlive it. Not for hashed indices, whose slots share rows. places: of the weights that there are, rising; others are zero and stay so.
  GroupedRows(const FeatureIndex& index, const Layout& layout, const Instances& instances, const std::vector<std::int64_t>& places);

  // Before reading: adds up the rows of every combination.
  void sum(const Real* flat, std::int64_t threads);
  // out [length][stride] = the sum of the rows that fire at each token of sentence s.
  void read(std::int64_t s, Real* out) const;

  // Before writing.
  void clear();
  // Adds rows [tokens][stride], of the sentences from first to end, to the combinations of those tokens; in the same order for any number of threads.
  void write(std::int64_t first, std::int64_t end, const Real* rows, std::int64_t threads);
  // After it: hands on what they have gathered, into a long vector.
  void finish(Real* gradient, std::int64_t threads);

 private:
  std::int64_t step(std::int32_t slot) const noexcept { return std::int64_t{index_.node_slots()[static_cast<std::size_t>(slot)].slots} * layout_.stride; }
  std::int64_t base(std::int32_t slot) const noexcept {
    const Slot& read = index_.node_slots()[static_cast<std::size_t>(slot)];
    return layout_.node_row(read.family, static_cast<std::size_t>(read.slot));
  }

  const FeatureIndex& index_;
  const Layout& layout_;
  const Instances& instances_;
  std::vector<RowGroup> groups_;
  // A slot whose rows hold few weights: only these, row after row.
  struct Entry {
    std::int32_t label;
    Real value;
  };
  struct Sparse {
    const std::int32_t* ids;
    std::vector<std::int32_t> first;   // [rows + 1] the first weight of each
    std::vector<std::int64_t> places;  // of the weights
    std::vector<Entry> weights;
    std::vector<Real> totals;
  };
  bool make_sparse(std::int32_t slot, const std::vector<std::int64_t>& places);

  std::vector<Sparse> sparse_;
  std::vector<std::int32_t> places_;          // [N][groups] rows of the tables
  std::vector<std::int64_t> firsts_;          // [groups] rows of the tables
  Numbers<Real> sums_, totals_;               // [combinations of all groups][stride]
};

}  // namespace riata
