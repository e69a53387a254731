// Converts between points of a batch objective on chains and models with the same weights.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "core/numbers.hpp"
#include "features/history.hpp"
#include "inference/structures/chain_pairs.hpp"
#include "inference/structures/exact_chain.hpp"
#include "models/layout.hpp"
#include "models/weights.hpp"

namespace riata {

class ChainPoints {
 public:
  // All parameters must outlive the object. history: the features of earlier labels, whose rows follow all other rows. local: whether every
  // step is normalised by itself.
  ChainPoints(const FeatureIndex& index, const Layout& layout, const HistoryIndex& history, const RowWeights& there,
              std::int32_t named_size, bool local = false)
      : index_(index), layout_(layout), history_(history), there_(there), named_size_(named_size), local_(local) {}

  // The model whose weights are those of a point, in any precision.
  template <class Out>
  Weights<Out> model(std::span<const double> at) const {
    Weights<Out> out(layout_.labels);
    out.local = local_;
    out.history = history_;
    out.grow(index_, named_size_);
    there_.each([&](std::int32_t i, std::int64_t place) {
      out.flat[static_cast<std::size_t>(place)] = static_cast<Out>(at[static_cast<std::size_t>(i)]);
    });
    return out;
  }

  // The point whose weights are those of a model. Weights of features that the model does not have are 0.
  template <class Real>
  std::vector<double> point(const Weights<Real>& weights) const {
    std::vector<double> out(static_cast<std::size_t>(there_.size()), 0);
    if (fresh(weights)) return out;
    Weights<Real> grown = weights;
    grown.grow(index_, named_size_);
    const Numbers<Real> behind = history_rows(grown);
    grown.flat.resize(static_cast<std::size_t>(layout_.size));
    grown.flat.insert(grown.flat.end(), behind.begin(), behind.end());
    there_.each([&](std::int32_t i, std::int64_t place) {
      out[static_cast<std::size_t>(i)] = double(grown.flat[static_cast<std::size_t>(place)]);
    });
    return out;
  }

 private:
  // Whether all weights are 0, so that they need not be copied.
  template <class Real>
  static bool fresh(const Weights<Real>& weights) {
    return weights.layout.families() == 0 && std::ranges::all_of(weights.flat, [](Real weight) { return weight == 0; });
  }

  // The rows of earlier labels of a model, in the order of this object's index; 0 for features that the model does not have.
  template <class Real>
  Numbers<Real> history_rows(const Weights<Real>& weights) const {
    Numbers<Real> out(static_cast<std::size_t>(history_.rows()) * layout_.stride, Real{0});
    for (RowId row(0); row.number() < history_.rows(); ++row) {
      const HistoryIndex::Entry entry = history_.entry(row);
      const std::vector<std::int32_t>& back = history_[entry.slot].back;
      std::array<std::int32_t, exact_order> before{};
      for (std::size_t k = 0; k < back.size(); ++k) before[static_cast<std::size_t>(back[k]) - 1] = entry.labels[k];
      const RowId found = weights.history.find(entry.slot, entry.ngram, before);
      if (found) std::copy_n(weights.history_row(found), layout_.stride, out.begin() + std::int64_t{row.number()} * layout_.stride);
    }
    return out;
  }

  const FeatureIndex& index_;
  const Layout& layout_;
  const HistoryIndex& history_;
  const RowWeights& there_;
  std::int32_t named_size_;
  bool local_;
};

}  // namespace riata
