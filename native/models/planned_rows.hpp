// The rows of weights that fire at a token, in the groups of the plan, and their sum.
#pragma once

#include <cstdint>
#include <vector>

#include "core/kernels.hpp"
#include "features/index.hpp"
#include "features/instances.hpp"
#include "models/weights.hpp"

namespace riata {

template <class Real>
class PlannedRows {
 public:
  PlannedRows(const FeatureIndex& index, const Weights<Real>& weights, const Instances& instances) : weights_(weights), instances_(instances) {
    const auto read = [&](const std::vector<Slot>& slots) {
      for (const Slot& slot : slots) {
        const Real* first = weights.node[slot.family].data() + std::size_t(slot.slot) * weights.stride;
        reads_.push_back({instances.ngrams[slot.family].data() + slot.offset, first, std::int64_t{slot.slots} * weights.stride, &slot == &slots.back()});
      }
    };
    for (const SumPlan::TypeTerm& term : index.plan().types) read(term.slots);
    for (const SumPlan::ChainTerm& term : index.plan().chains) read(term.slots);
    rows_.resize(reads_.size());
    ends_.resize(reads_.size());
  }

  // Adds to out [stride] what token t of sentence s says.
  void add(std::int64_t s, std::int64_t t, Real* out) noexcept {
    const std::int64_t at = instances_.origin(s) + t;
    std::int32_t count = 0, groups = 0, begin = 0;
    for (const Read& read : reads_) {
      const std::int32_t id = read.ids[at];
      if (id >= 0) rows_[count++] = read.first + id * read.step;
      if (read.last && count > begin) begin = ends_[groups++] = count;
    }
    sum_groups(rows_.data(), ends_.data(), groups, weights_.stride, out);
    if (instances_.given_starts.empty()) return;
    const std::int64_t token = instances_.starts[s] + t;
    for (std::int64_t k = instances_.given_starts[token]; k < instances_.given_starts[token + 1]; ++k) {
      const Real* row = weights_.given_row(std::size_t(instances_.given_ids[k]));
      for (std::int32_t j = 0; j < weights_.stride; ++j) out[j] += row[j] * Real(instances_.given_values[k]);
    }
  }

 private:
  struct Read {
    const std::int32_t* ids;
    const Real* first;
    std::int64_t step;
    bool last;  // of its group
  };

  const Weights<Real>& weights_;
  const Instances& instances_;
  std::vector<Read> reads_;
  std::vector<const Real*> rows_;
  std::vector<std::int32_t> ends_;
};

}  // namespace riata
