// Points of a batch objective on chains, and the models that have the same weights.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "core/numbers.hpp"
#include "features/history.hpp"
#include "inference/structures/chain_pairs.hpp"
#include "models/exact_chain.hpp"
#include "models/layout.hpp"
#include "models/weights.hpp"

namespace riata {

class ChainPoints {
 public:
  // All must outlive it. history: the rows of earlier labels, which stand behind all others.
  ChainPoints(const FeatureIndex& index, const Layout& layout, const HistoryIndex& history, const RowWeights& there,
              std::int32_t given_size)
      : index_(index), layout_(layout), history_(history), there_(there), given_size_(given_size) {}

  // The weights at a point as a model, in any precision.
  template <class Out>
  Weights<Out> model(std::span<const double> at) const {
    Weights<Out> out(layout_.labels);
    out.local = layout_.local;
    out.history = history_;
    out.grow(index_, given_size_);
    out.history_rows.assign(static_cast<std::size_t>(history_.rows()) * layout_.stride, Out{0});
    each_cell(out, [&](std::int32_t i, Out& cell) { cell = static_cast<Out>(at[static_cast<std::size_t>(i)]); });
    return out;
  }

  // The point at the weights of a model; features that it does not know weigh zero.
  template <class Real>
  std::vector<double> point(const Weights<Real>& weights) const {
    std::vector<double> out(static_cast<std::size_t>(there_.size()), 0);
    if (fresh(weights)) return out;
    Weights<Real> grown = weights;
    grown.grow(index_, given_size_);
    grown.history_rows = history_rows(grown);
    each_cell(grown, [&](std::int32_t i, Real& cell) { out[static_cast<std::size_t>(i)] = double(cell); });
    return out;
  }

 private:
  // Whether nothing has been learnt yet: such weights need not be copied.
  template <class Real>
  static bool fresh(const Weights<Real>& weights) {
    return weights.node.empty() && weights.given.empty() && weights.history_rows.empty() &&
           std::ranges::all_of(weights.transition, [](Real weight) { return weight == 0; });
  }

  // The rows of earlier labels that a model has, in the order of this index.
  template <class Real>
  Numbers<Real> history_rows(const Weights<Real>& weights) const {
    Numbers<Real> out(static_cast<std::size_t>(history_.rows()) * layout_.stride, Real{0});
    for (std::int32_t row = 0; row < history_.rows(); ++row) {
      const HistoryIndex::Entry entry = history_.entry(row);
      const std::vector<std::int32_t>& back = history_.slots()[static_cast<std::size_t>(entry.slot)].back;
      std::array<std::int32_t, exact_order> before{};
      for (std::size_t k = 0; k < back.size(); ++k) before[static_cast<std::size_t>(back[k]) - 1] = entry.labels[k];
      const std::int32_t known = weights.history.find(entry.slot, entry.ngram, before);
      if (known >= 0)
        std::copy_n(weights.history_row(static_cast<std::size_t>(known)), layout_.stride, out.begin() + std::int64_t{row} * layout_.stride);
    }
    return out;
  }

  // visit(weight, where a model has it) for all weights that there are.
  template <class Real, class Visit>
  void each_cell(Weights<Real>& weights, Visit visit) const {
    std::vector<std::pair<std::int64_t, Numbers<Real>*>> blocks;  // with their ends
    const auto add = [&](Numbers<Real>& block, std::int64_t start) {
      blocks.push_back({start + static_cast<std::int64_t>(block.size()), &block});
    };
    layout_.each(weights, add);
    add(weights.history_rows, layout_.size);
    std::int64_t from = 0;
    std::size_t b = 0;
    there_.each([&](std::int32_t i, std::int64_t place) {
      while (place >= blocks[b].first) from = blocks[b++].first;
      visit(i, (*blocks[b].second)[static_cast<std::size_t>(place - from)]);
    });
  }

  const FeatureIndex& index_;
  const Layout& layout_;
  const HistoryIndex& history_;
  const RowWeights& there_;
  std::int32_t given_size_;
};

}  // namespace riata
