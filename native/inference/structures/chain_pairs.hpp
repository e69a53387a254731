// Which weights a chain has, and which rows score a pair of neighbouring labels.
#pragma once

#include <cstdint>
#include <map>
#include <span>
#include <vector>

#include "features/instances.hpp"
#include "inference/structures/label_ranges.hpp"
#include "models/layout.hpp"
#include "models/row_reader.hpp"
#include "models/row_weights.hpp"

namespace riata {

// Which combinations of a feature with a label or a pair of labels have a weight: those that may occur in the training data; these, and all
// pairs of neighbouring labels; or all.
enum class FeatureLabels { seen, transitions, all };

// Marks the weights of features of the truth. Where a label is unknown, all labels count as possibly true.
inline void see_weights(const FeatureIndex& index, const Layout& layout, const Instances& instances, std::vector<bool>& there) {
  const RowReader<const Layout> rows(index, layout, instances);
  for (std::int64_t s = 0; s < instances.sentences(); ++s) {
    const std::int32_t* truth = instances.labels.data() + instances.starts[s];
    for (std::int64_t t = 0; t < instances.length(s); ++t) {
      const LabelRange here = label_range(truth[t], layout.labels);
      const auto enter = [&](std::int64_t row) {
        for (std::int32_t j = here.first; j < here.end; ++j) there[static_cast<std::size_t>(row + j)] = true;
      };
      rows.nodes(s, t, [&](std::int64_t row, float) { enter(row); });
      rows.edges(s, t, [&](std::int64_t row, float) {
        const LabelRange before = label_range(truth[t - 1], layout.labels);
        for (std::int32_t i = before.first; i < before.end; ++i) enter(row + std::int64_t{i} * layout.stride);
      });
    }
  }
}

// The weights of a chain. behind: flags of the rows of earlier labels, which follow the rows of the layout.
inline RowWeights chain_weights(const FeatureIndex& index, const Layout& layout, const Instances& instances, FeatureLabels which,
                                const std::vector<bool>& behind = {}) {
  std::vector<bool> there(static_cast<std::size_t>(layout.size), false);
  const std::int64_t square = std::int64_t{layout.labels} * layout.stride;
  if (which != FeatureLabels::seen) {
    const std::int64_t end = which == FeatureLabels::all ? layout.size : square;
    for (std::int64_t place = index.transitions() ? 0 : square; place < end; ++place)
      there[static_cast<std::size_t>(place)] = place % layout.stride < layout.labels;
  }
  if (which != FeatureLabels::all) see_weights(index, layout, instances, there);
  there.insert(there.end(), behind.begin(), behind.end());
  return RowWeights(layout.stride, there);
}

// A context is the set of rows of label pairs that a step reads. Steps of the same context share their factors.
struct EdgeContexts {
  std::vector<std::vector<std::int64_t>> rows;  // [contexts] places where the matrices [labels][stride] start
  std::vector<std::int32_t> of;                 // [N] the context of the step into each token; -1 for the first token of a sentence

  EdgeContexts(const FeatureIndex& index, const Layout& layout, const Instances& instances)
      : of(static_cast<std::size_t>(instances.tokens()), -1) {
    const RowReader<const Layout> reader(index, layout, instances);
    std::map<std::vector<std::int64_t>, std::int32_t> numbers;
    std::vector<std::int64_t> here;
    for (std::int64_t s = 0; s < instances.sentences(); ++s) {
      for (std::int64_t t = 1; t < instances.length(s); ++t) {
        here.clear();
        reader.edges(s, t, [&](std::int64_t row, float) { here.push_back(row); });
        const auto [place, fresh] = numbers.emplace(here, static_cast<std::int32_t>(rows.size()));
        if (fresh) rows.push_back(here);
        of[static_cast<std::size_t>(instances.starts[s] + t)] = place->second;
      }
    }
  }
};

}  // namespace riata
