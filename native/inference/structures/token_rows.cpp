#include "inference/structures/token_rows.hpp"

#include <algorithm>
#include <utility>

namespace riata {

template <class Real>
TokenRows<Real>::TokenRows(const FeatureIndex& index, const Layout& layout, const Instances& instances, const Constraint<Real>& constraint,
                           const RowWeights& there, std::span<const std::int32_t> heads)
    : TokenRows(index, layout, instances, constraint, there, RowColumns(index, layout, instances, heads)) {}

template <class Real>
TokenRows<Real>::TokenRows(const FeatureIndex& index, const Layout& layout, const Instances& instances, const Constraint<Real>& constraint,
                           const RowWeights& there, RowColumns columns)
    : index_(index),
      layout_(layout),
      instances_(instances),
      constraint_(constraint),
      there_(there),
      possible_(all_possible(constraint, layout.labels, instances)),
      rows_(std::move(columns.all), layout, instances, there),
      vectors_(index, layout, instances, there),
      other_starts_(std::move(columns.other_starts)),
      other_ids_(std::move(columns.other_ids)),
      other_values_(std::move(columns.other_values)) {}

template <class Real>
void TokenRows<Real>::score(std::int64_t s, Real* node) const {
  const std::int64_t length = instances_.length(s), stride = layout_.stride;
  rows_.read(s, node);
  each_other_row(s, [&](std::int64_t t, std::int64_t row, float value) { rows_.add(row, Real(value), node + t * stride); });
  vectors_.read(s, node);
  for (std::int64_t t = 0; t < length; ++t) std::fill(node + t * stride + layout_.labels, node + (t + 1) * stride, Constraint<Real>::never);
  for (std::int32_t j = 0; j < layout_.labels; ++j) {
    node[j] += constraint_.start[static_cast<std::size_t>(j)];
    node[(length - 1) * stride + j] += constraint_.end[static_cast<std::size_t>(j)];
  }
  for (std::int64_t t = 0; t < length; ++t) possible_.forbid(instances_.starts[s] + t, node + t * stride);
}

template <class Real>
void TokenRows<Real>::keep_known(std::int64_t s, Real* node) const {
  const std::int32_t* known = instances_.labels.data() + instances_.starts[s];
  for (std::int64_t t = 0; t < instances_.length(s); ++t, node += layout_.stride) {
    for (std::int32_t j = 0; known[t] != unknown_label && j < layout_.labels; ++j)
      node[j] = j == known[t] ? node[j] : Constraint<Real>::never;
  }
}

template <class Real>
double TokenRows<Real>::score_of_truth(std::int64_t s, const Real* node) const {
  const std::int32_t* gold = instances_.labels.data() + instances_.starts[s];
  double score = 0;
  for (std::int64_t t = 0; t < instances_.length(s); ++t) score += double(node[t * layout_.stride + gold[t]]);
  return score;
}

template <class Real>
void TokenRows<Real>::take_truth(std::int64_t s, Real times, Real* difference) const {
  const std::int32_t* gold = instances_.labels.data() + instances_.starts[s];
  for (std::int64_t t = 0; t < instances_.length(s); ++t) difference[t * layout_.stride + gold[t]] -= times;
}

// Calls visit(token, row, value) for rows that are in no column: some named features, and all rows of a hashed index.
template <class Real>
template <class Visit>
void TokenRows<Real>::each_other_row(std::int64_t s, Visit visit) const {
  const bool hashed = index_.hashed();
  if (!hashed && other_ids_.empty()) return;
  const auto& starts = hashed ? instances_.named_starts : other_starts_;
  const auto& ids = hashed ? instances_.named_ids : other_ids_;
  const auto& values = hashed ? instances_.named_values : other_values_;
  const HashTable table = index_.table(layout_.labels);
  for (std::int64_t t = 0; t < instances_.length(s); ++t) {
    for (const Slot& slot : index_.node_slots()) {
      if (!hashed) break;
      const std::int32_t id = instances_.ngrams[slot.family][static_cast<std::size_t>(instances_.origin(s) + t + slot.offset)];
      if (id >= 0) visit(t, layout_.named_row(table.row(id, Reader::node, slot.slot)), 1.0f);
    }
    if (starts.empty()) continue;
    const auto token = static_cast<std::size_t>(instances_.starts[s] + t);
    for (auto k = static_cast<std::size_t>(starts[token]); k < static_cast<std::size_t>(starts[token + 1]); ++k) {
      visit(t, layout_.named_row(hashed ? table.row(ids[k], Reader::named) : static_cast<std::size_t>(ids[k])), values[k]);
    }
  }
}

template <class Real>
void TokenRows<Real>::gather(const SentenceRange& batch, const Real* differences, std::span<double> gradient, std::int64_t threads) {
  rows_.write(batch.first, batch.end, differences, threads);
  vectors_.write(instances_.starts[batch.first], instances_.starts[batch.end], differences, gradient, threads);
  for (std::int64_t s = batch.first; s < batch.end; ++s) {
    const Real* from = differences + (instances_.starts[s] - instances_.starts[batch.first]) * layout_.stride;
    each_other_row(
        s, [&](std::int64_t t, std::int64_t row, float value) { there_.add(row, from + t * layout_.stride, double(value), gradient); });
  }
}

template class TokenRows<float>;
template class TokenRows<double>;

}  // namespace riata
