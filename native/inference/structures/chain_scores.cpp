#include "inference/structures/chain_scores.hpp"

#include <algorithm>

#include "core/error.hpp"
#include "inference/structures/local.hpp"

namespace riata {

void check_fit(const FeatureIndex& index, const Layout& layout, const HistoryIndex& history, std::size_t size, const Instances& instances) {
  bool fits = instances.sizes.size() == static_cast<std::size_t>(index.families()) && instances.pad == index.pad() &&
              layout.families() == index.families() && instances.hashed == index.hashed();
  if (index.hashed()) {
    const HashTable table = index.table(layout.labels);
    fits = fits && table.fits() && layout.named_size() == static_cast<std::int32_t>(table.rows());
  } else {
    fits = fits && instances.named_size <= layout.named_size();
  }
  for (std::int32_t f = 0; fits && f < index.families(); ++f) {
    const std::int64_t ngrams = instances.sizes[f], row = layout.stride;
    fits = ngrams <= index.size(f) && ngrams * index.node_slots_of(f) * row <= layout.node_size(f) &&
           ngrams * index.edge_slots_of(f) * layout.labels * row <= layout.edge_size(f);
  }
  const std::int64_t room = history.hashed() ? layout.size : layout.history_row(RowId(history.rows()));
  fits = fits && history.slots().size() == index.history_slots().size() && static_cast<std::int64_t>(size) >= room;
  if (!fits) throw Error("RiataError", "the instances were made with another feature index than the weights");
}

template <class Real>
void ChainScorer<Real>::operator()(std::int64_t s, ChainScores<Real>& chain) {
  const auto length = static_cast<std::int32_t>(instances_.length(s));
  const std::int32_t stride = rows_.stride();
  const std::size_t square = rows_.square();
  const auto scale = static_cast<Real>(rows_.vector.scale());
  chain.length = length;
  chain.labels = rows_.labels();
  chain.stride = stride;
  chain.edge_per_token = edges_read_;
  chain.node.assign(std::size_t(length) * stride, Real{0});
  chain.edge.resize(square * (edges_read_ ? length : 1));
  if (!edges_read_) {
    const Real* transition = rows_.row(rows_.layout.transition_row());
    for (std::size_t k = 0; k < square; ++k) chain.edge[k] = transition[k] * scale + constraint_.follow[k];
  }
  for (std::int32_t t = 0; t < length; ++t) {
    nodes_.add(s, t, chain.node.data() + std::size_t(t) * stride);
    if (!edges_read_) continue;
    Real* out = chain.edge.data() + std::size_t(t) * square;
    std::copy(constraint_.follow.begin(), constraint_.follow.end(), out);
    edges_.edges(s, t, [&](std::int64_t place, float value) {
      const Real* row = rows_.row(place);
      for (std::size_t k = 0; k < square; ++k) out[k] += row[k] * (Real(value) * scale);
    });
  }
  vectors_.add(rows_.vector.data(), instances_.starts[s], length, stride, chain.node.data());
  if (scale != 1) {
    for (Real& score : chain.node) score *= scale;
  }
  Real* first = chain.node.data();
  Real* last = chain.node.data() + std::size_t(length - 1) * stride;
  for (std::int32_t j = 0; j < stride; ++j) first[j] += constraint_.start[j];
  for (std::int32_t j = 0; j < stride; ++j) last[j] += constraint_.end[j];
  possible_.open(instances_, s);
  chain.limited = possible_.limits();
  for (std::int32_t t = 0; t < length; ++t) possible_.keep_to_dictionary(t, chain.node.data() + std::size_t(t) * stride);
  if (rows_.local) normalise_locally(chain);
  for (std::int32_t t = 0; t < length; ++t) possible_.keep_to_given(t, chain.node.data() + std::size_t(t) * stride);
}

template class ChainScorer<float>;
template class ChainScorer<double>;

}  // namespace riata
