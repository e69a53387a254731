// The scores of the steps of a chain, one row of labels at a time. A row is computed when it is first asked for under the present weights.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <span>
#include <utility>
#include <vector>

#include "features/history.hpp"
#include "features/index.hpp"
#include "features/instances.hpp"
#include "inference/constraint.hpp"
#include "inference/possible_labels.hpp"
#include "inference/structures/local.hpp"
#include "inference/structures/truncated.hpp"
#include "inference/structures/vector_products.hpp"
#include "models/chain_rows.hpp"
#include "models/layout.hpp"
#include "models/row_reader.hpp"
#include "models/row_sum.hpp"
#include "models/vector.hpp"

namespace riata {

template <class Real>
class ChainSteps {
 public:
  ChainSteps(const FeatureIndex& index, const ChainRows<Real>& model, const Constraint<Real>& constraint, const Instances& instances)
      : layout_(model.layout),
        local_(model.local),
        truncated_(model.truncated),
        history_(model.history),
        constraint_(constraint),
        instances_(instances),
        weights_(model.vector),
        rows_(index, layout_, instances),
        vectors_(index, layout_, instances),
        per_token_(!index.edge_slots().empty() || model.local || model.truncated),
        no_edge_(static_cast<std::size_t>(layout_.stride), Real{0}),
        edge_known_(static_cast<std::size_t>(layout_.labels), -1),
        edge_(std::size_t(layout_.labels) * layout_.stride),
        local_sums_(layout_.labels),
        masks_(constraint, layout_.labels, instances.choices),
        possible_(masks_) {}
  ChainSteps(const ChainSteps&) = delete;

  void open(std::int64_t sentence) {
    sentence_ = sentence;
    gathered_at_ = -1;
    products_from_ = products_end_ = 0;
    length_ = static_cast<std::int32_t>(instances_.length(sentence));
    possible_.open(instances_, sentence);
    node_known_.assign(static_cast<std::size_t>(length_), -1);
    make_room(node_, std::size_t(length_) * layout_.stride);
    if (!per_token_) return;
    edge_known_.assign(std::size_t(length_) * layout_.labels, -1);
    make_room(edge_, std::size_t(length_) * layout_.labels * layout_.stride);
  }

  std::int32_t length() const noexcept { return length_; }

  // The score of every label at token t from the input alone, [stride].
  const Real* node(std::int32_t t) {
    if (node_known_[t] != weights_.version()) compute_node(t);
    return node_.data() + std::size_t(t) * layout_.stride;
  }

  // The score of every label at token t from the label before it, [stride]. before: that label, none at the start.
  const Real* edge(std::int32_t t, LabelId before) {
    if (!before) return no_edge_.data();
    const std::size_t at = (per_token_ ? std::size_t(t) * layout_.labels : 0) + before.place();
    if (edge_known_[at] != weights_.version()) compute_edge(t, before, at);
    return edge_.data() + at * layout_.stride;
  }

  // Writes to `out` the score of every label at token t from all earlier labels, including `edge`. before: as HistoryIndex::find takes it.
  void with_history(std::int32_t t, std::span<const std::int32_t> before, const Real* edge, Real* out) {
    std::fill_n(out, layout_.stride, Real{0});
    sum_.begin(out, layout_.stride);
    for (SlotId s(0); s.place() < history_.slots().size(); ++s) {
      const RowId row = find(s, t, before);
      if (row) sum_.add(weights_.data() + layout_.history_row(row), 1.0f);
    }
    sum_.finish();
    const auto scale = static_cast<Real>(weights_.scale());
    for (std::int32_t j = 0; j < layout_.stride; ++j) out[j] = out[j] * scale + edge[j];
    if (truncated_) truncate(node(t), out);
  }

  // The rows that are read at tokens of the sentence, as places in the layout.
  const RowReader<const Layout>& rows() const noexcept { return rows_; }

  // The n-gram that history slot s reads at token t: none if the slot reads no n-gram, `unseen` if training has not seen it, so that there
  // is no row.
  NgramId ngram(SlotId s, std::int32_t t) const noexcept { return history_ngram(history_[s], instances_, sentence_, t); }

 private:
  static constexpr std::size_t line = 64;  // bytes of a cache line

  static void make_room(std::vector<Real>& rows, std::size_t size) {
    if (rows.size() < size) rows.resize(size);
  }

  RowId find(SlotId s, std::int32_t t, std::span<const std::int32_t> before) const noexcept {
    const NgramId id = ngram(s, t);
    return id == unseen ? RowId() : history_.find(s, id, before);
  }

  void compute_node(std::int32_t t) {
    Real* out = node_.data() + std::size_t(t) * layout_.stride;
    std::fill_n(out, layout_.stride, Real{0});
    sum_.begin(out, layout_.stride);
    if (gathered_at_ != t) gather(t);
    for (const auto& [row, value] : gathered_) sum_.add(weights_.data() + row, value);
    sum_.finish();
    if (!vectors_.empty()) add(products(t), out);
    if (t + 1 < length_) gather(t + 1);
    scale(out);
    if (t == 0) add(constraint_.start.data(), out);
    if (t == length_ - 1) add(constraint_.end.data(), out);
    possible_.keep_to_dictionary(t, out);
    if (local_ && t == 0) take_off(local_sums_(out), out);
    if (!local_ || t == 0) possible_.keep_to_given(t, out);
    if (truncated_ && t == 0 && history_.order() == 0) {
      for (std::int32_t j = 0; j < layout_.labels; ++j) out[j] = truncated(out[j]);
    }
    node_known_[t] = weights_.version();
  }

  // What the vector of a token adds to its scores, [stride]: computed for several tokens at a time.
  const Real* products(std::int32_t t) {
    if (t < products_from_ || t >= products_end_ || products_version_ != weights_.version()) {
      products_from_ = t;
      products_end_ = std::min(length_, t + static_cast<std::int32_t>(VectorProducts::together));
      products_version_ = weights_.version();
      products_.assign(std::size_t(products_end_ - t) * layout_.stride, Real{0});
      vectors_.add(weights_.data(), instances_.starts[sentence_] + t, products_end_ - t, layout_.stride, products_.data());
    }
    return products_.data() + std::size_t(t - products_from_) * layout_.stride;
  }

  // Finds the rows of a token and prefetches them, so that they are in the cache when the search reaches the token.
  void gather(std::int32_t t) {
    gathered_.clear();
    gathered_at_ = t;
    rows_.nodes_apart(sentence_, t, [&](std::int64_t row, float value) {
      const char* start = reinterpret_cast<const char*>(weights_.data() + row);
      for (std::size_t byte = 0; byte < layout_.stride * sizeof(Real); byte += line) __builtin_prefetch(start + byte);
      gathered_.push_back({row, value});
    });
  }

  void compute_edge(std::int32_t t, LabelId before, std::size_t at) {
    const Real* own = local_ || truncated_ ? node(t) : nullptr;
    const std::size_t from = before.place() * layout_.stride;
    Real* out = edge_.data() + at * layout_.stride;
    std::fill_n(out, layout_.stride, Real{0});
    sum_.begin(out, layout_.stride);
    rows_.edges(sentence_, t, [&](std::int64_t row, float value) { sum_.add(weights_.data() + row + from, value); });
    sum_.finish();
    scale(out);
    add(constraint_.follow.data() + from, out);
    if (truncated_) {
      if (history_.order() == 0) truncate(own, out);
    } else if (own) {
      take_off(local_sums_(own, out), out);
      possible_.keep_to_given(t, out);  // after the normalisation, in which labels count that are not given
    }
    edge_known_[at] = weights_.version();
  }

  void scale(Real* row) const noexcept {
    const auto factor = static_cast<Real>(weights_.scale());
    for (std::int32_t j = 0; j < layout_.stride; ++j) row[j] *= factor;
  }
  // Subtracts the logarithm of a sum from a row. If no label is allowed, the sum is minus infinity and the row is left as it is.
  void take_off(double sum, Real* row) const noexcept {
    for (std::int32_t j = 0; std::isfinite(sum) && j < layout_.stride; ++j) row[j] = static_cast<Real>(double(row[j]) - sum);
  }
  // Changes a row so that its sum with the scores from the input alone is truncated. Where these forbid a label, nothing is changed.
  void truncate(const Real* own, Real* row) const noexcept {
    for (std::int32_t j = 0; j < layout_.labels; ++j) {
      if (own[j] != -std::numeric_limits<Real>::infinity()) row[j] = truncated(own[j] + row[j]) - own[j];
    }
  }
  void add(const Real* more, Real* row) const noexcept {
    for (std::int32_t j = 0; j < layout_.stride; ++j) row[j] += more[j];
  }

  const Layout& layout_;
  bool local_, truncated_;
  const HistoryIndex& history_;
  const Constraint<Real>& constraint_;
  const Instances& instances_;
  const Vector<Real>& weights_;
  RowReader<const Layout> rows_;
  VectorProducts vectors_;
  bool per_token_;  // whether scores of label pairs depend on the input
  std::int64_t sentence_ = 0;
  std::int32_t length_ = 0;
  std::vector<Real> no_edge_;                          // [stride] zeros
  std::vector<std::int64_t> node_known_;               // [T] version of the weights with which a row of node_ was computed; -1: not yet
  std::vector<Real> node_;                             // [T][stride]
  std::vector<std::int64_t> edge_known_;               // version of the weights with which a row of edge_ was computed; -1: not yet
  std::vector<Real> edge_;                             // [labels before][stride], or [T][labels before][stride] if per_token_
  std::int32_t products_from_ = 0, products_end_ = 0;  // the tokens whose products are in products_
  std::int64_t products_version_ = -1;                 // of the weights with which they were computed
  std::vector<Real> products_;                         // [tokens][stride]
  RowSum<Real> sum_;
  LocalSums<Real> local_sums_;  // of models that normalise every step by itself
  LabelMasks<Real> masks_;
  PossibleLabels<Real> possible_;
  std::int32_t gathered_at_ = -1;                         // the token whose rows are in gathered_; -1: none
  std::vector<std::pair<std::int64_t, float>> gathered_;  // place and value of each row
};

}  // namespace riata
