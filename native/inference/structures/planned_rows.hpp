// The rows of weights that are read at a token, in the groups of the plan, and their sum.
#pragma once

#include <cstdint>
#include <vector>

#include "core/kernels.hpp"
#include "features/index.hpp"
#include "features/instances.hpp"
#include "models/chain_rows.hpp"

namespace riata {

template <class Real>
class PlannedRows {
 public:
  PlannedRows(const FeatureIndex& index, const ChainRows<Real>& rows, const Instances& instances)
      : weights_(rows), instances_(instances), hashed_(index.hashed()), table_(index.table(rows.labels())) {
    const auto read = [&](const std::vector<Slot>& slots) {
      for (const Slot& slot : slots) {
        const std::int64_t first = hashed_ ? 0 : rows.layout.node_row(slot.family, static_cast<std::size_t>(slot.slot));
        const std::int64_t step = hashed_ ? slot.slot : std::int64_t{slot.slots} * rows.stride();
        reads_.push_back({instances.ngrams[slot.family].data() + slot.offset, first, step, &slot == &slots.back()});
      }
    };
    for (const SumPlan::TypeTerm& term : index.plan().types) read(term.slots);
    for (const SumPlan::ChainTerm& term : index.plan().chains) read(term.slots);
    rows_.resize(reads_.size());
    ends_.resize(reads_.size());
  }

  // Adds the scores of token t of sentence s from the input, apart from its vector, to out, [stride].
  void add(std::int64_t s, std::int64_t t, Real* out) noexcept {
    const std::int64_t at = instances_.origin(s) + t;
    const Real* const data = weights_.vector.data();
    std::int32_t count = 0, groups = 0, begin = 0;
    for (const Read& read : reads_) {
      const std::int32_t id = read.ids[at];
      if (id >= 0) rows_[count++] = hashed_ ? hashed_row(id, read) : data + read.first + id * read.step;
      if (read.last && count > begin) begin = ends_[groups++] = count;
    }
    sum_groups(rows_.data(), ends_.data(), groups, weights_.stride(), out);
    if (instances_.named_starts.empty()) return;
    const std::int64_t token = instances_.starts[s] + t;
    for (std::int64_t k = instances_.named_starts[token]; k < instances_.named_starts[token + 1]; ++k) {
      const std::int32_t id = instances_.named_ids[k];
      const Real* row = weights_.row(weights_.layout.named_row(hashed_ ? table_.row(id, Reader::named) : std::size_t(id)));
      for (std::int32_t j = 0; j < weights_.stride(); ++j) out[j] += row[j] * Real(instances_.named_values[k]);
    }
  }

 private:
  struct Read {
    const std::int32_t* ids;
    std::int64_t first;  // the place of the first row
    std::int64_t step;   // distance from the row of an n-gram to that of the next; for a hashed index, the number of the slot
    bool last;           // whether this is the last one of its group
  };

  const Real* hashed_row(std::int32_t id, const Read& read) const noexcept {
    return weights_.row(weights_.layout.named_row(table_.row(id, Reader::node, static_cast<std::int32_t>(read.step))));
  }

  ChainRows<Real> weights_;
  const Instances& instances_;
  bool hashed_;
  HashTable table_;
  std::vector<Read> reads_;
  std::vector<const Real*> rows_;
  std::vector<std::int32_t> ends_;
};

}  // namespace riata
