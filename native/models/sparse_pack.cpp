// From dense weights to the sparse form: which n-grams are kept, their new numbers, and their rows.
#include <algorithm>
#include <numeric>
#include <utility>

#include "models/sparse.hpp"

namespace riata {
namespace {

// Appends the nonzero entries of one dense row of `height` x stride, whose first `labels` columns are used.
template <class Real>
void append_row(const Real* row, std::int32_t height, std::int32_t labels, std::int32_t stride, SparseRows& out) {
  const std::size_t before = out.columns.size();
  for (std::int32_t i = 0; i < height; ++i) {
    for (std::int32_t j = 0; j < labels; ++j) {
      const auto value = static_cast<float>(row[std::size_t(i) * stride + j]);
      if (value == 0.0f) continue;
      out.columns.push_back(static_cast<std::uint32_t>(i * labels + j));
      out.values.push_back(value);
    }
  }
  out.counts.push_back(static_cast<std::uint32_t>(out.columns.size() - before));
}

template <class Real>
bool any_weight(const Real* from, std::size_t size) {
  return std::any_of(from, from + size, [](Real value) { return static_cast<float>(value) != 0.0f; });
}

// The features of earlier labels that have weights, in the order of their rows.
template <class Real>
std::vector<HistoryIndex::Entry> kept_history(const Weights<Real>& weights) {
  std::vector<HistoryIndex::Entry> kept;
  for (RowId r(0); r.number() < weights.history.rows(); ++r) {
    if (any_weight(weights.history_row(r), weights.stride)) kept.push_back(weights.history.entry(r));
  }
  return kept;
}

// The ids of a family's n-grams in the order of (parent, value).
std::vector<std::int32_t> ordered(const SparseFamily& family) {
  std::vector<std::int32_t> ids(family.values.size());
  std::iota(ids.begin(), ids.end(), 0);
  std::sort(ids.begin(), ids.end(), [&](std::int32_t a, std::int32_t b) {
    return std::pair(family.parents[a], family.values[a]) < std::pair(family.parents[b], family.values[b]);
  });
  return ids;
}

// [F][n-grams]: 1 for an n-gram that has weights, or is a prefix of an n-gram with weights, or is read by a feature of earlier labels with
// weights.
template <class Real>
std::vector<std::vector<std::uint8_t>> kept_ngrams(const FeatureIndex& index, const Weights<Real>& weights,
                                                   const std::vector<HistoryIndex::Entry>& history) {
  const std::int32_t F = index.families();
  std::vector<std::vector<std::uint8_t>> keep(F);
  for (std::int32_t f = 0; f < F; ++f) keep[f].resize(index.size(f), 0);
  for (const auto& entry : history) {
    if (entry.ngram) keep[index.history_slots()[entry.slot.place()].family][entry.ngram.place()] = 1;
  }
  // Children come after their parents, so one pass from the last family to the first marks all prefixes.
  for (std::int32_t f = F - 1; f >= 0; --f) {
    const std::size_t node = std::size_t(index.node_slots_of(f)) * weights.stride, edge = index.edge_slots_of(f) * weights.square();
    for (std::int32_t id = 0; id < index.size(f); ++id) {
      keep[f][id] |= any_weight(weights.node_row(f, 0) + id * node, node) || any_weight(weights.edge_row(f, 0) + id * edge, edge);
    }
    for (std::int32_t c = f + 1; c < F; ++c) {
      if (index.spec(c).parent != f) continue;
      for (std::int32_t id = 0; id < index.size(c); ++id) keep[f][index.parent(c, id)] |= keep[c][id];
    }
  }
  return keep;
}

// [A][values]: 1 for a value of an attribute that is the last element of a kept n-gram.
std::vector<std::vector<std::int32_t>> used_values(const FeatureIndex& index, const std::vector<std::vector<std::uint8_t>>& keep) {
  std::vector<std::vector<std::int32_t>> used(index.attributes());
  for (std::int32_t f = 0; f < index.families(); ++f) {
    auto& mine = used[index.spec(f).attribute];
    for (std::int32_t id = 0; id < index.size(f); ++id) {
      if (!keep[f][id]) continue;
      const auto value = static_cast<std::size_t>(index.value(f, id));
      if (mine.size() <= value) mine.resize(value + 1, 0);
      mine[value] = 1;
    }
  }
  return used;
}

// Replaces the mark of every used value by its new number; values outside the sentence keep their numbers. Returns the used values as ids
// of the old alphabet.
std::vector<std::int32_t> renumber(std::vector<std::int32_t>& used) {
  std::vector<std::int32_t> kept;
  std::int32_t next = boundary_values;
  for (std::size_t v = 0; v < used.size(); ++v) {
    if (v < std::size_t(boundary_values)) {
      used[v] = static_cast<std::int32_t>(v);
      continue;
    }
    if (!used[v]) continue;
    used[v] = next++;
    kept.push_back(static_cast<std::int32_t>(v) - boundary_values);
  }
  return kept;
}

// The new numbers of the n-grams of each family, [F][n-grams]; -1: the n-gram is dropped. Families come after their parents.
using Numbering = std::vector<std::vector<std::int32_t>>;

template <class Real>
SparseFamily pack_family(const FeatureIndex& index, const Weights<Real>& weights, std::int32_t f, const std::vector<std::uint8_t>& keep,
                         const std::vector<std::int32_t>& values, Numbering& numbers) {
  const std::int32_t L = weights.labels, stride = weights.stride, parent = index.spec(f).parent;
  SparseFamily out;
  numbers[f].assign(index.size(f), -1);
  for (std::int32_t id = 0; id < index.size(f); ++id) {
    if (!keep[id]) continue;
    numbers[f][id] = static_cast<std::int32_t>(out.values.size());
    out.parents.push_back(parent < 0 ? -1 : numbers[parent][index.parent(f, id)]);
    out.values.push_back(values[index.value(f, id)]);
    for (std::int32_t k = 0; k < index.node_slots_of(f); ++k)
      append_row(weights.node_row(f, 0) + (std::size_t(id) * index.node_slots_of(f) + k) * stride, 1, L, stride, out.node);
    for (std::int32_t k = 0; k < index.edge_slots_of(f); ++k)
      append_row(weights.edge_row(f, 0) + (std::size_t(id) * index.edge_slots_of(f) + k) * weights.square(), L, L, stride, out.edge);
  }
  out.order = ordered(out);
  return out;
}

template <class Real>
SparseHistory pack_history(const FeatureIndex& index, const Weights<Real>& weights, const std::vector<HistoryIndex::Entry>& history,
                           const Numbering& numbers) {
  SparseHistory out;
  for (const auto& [slot, ngram, labels] : history) {
    out.slots.push_back(slot.number());
    out.ngrams.push_back(ngram ? numbers[index.history_slots()[slot.place()].family][ngram.place()] : 0);
    out.labels.insert(out.labels.end(), labels.begin(), labels.end());
  }
  for (RowId r(0); r.number() < weights.history.rows(); ++r) {
    const Real* row = weights.history_row(r);
    if (any_weight(row, weights.stride)) append_row(row, 1, weights.labels, weights.stride, out.rows);
  }
  return out;
}

}  // namespace

template <class Real>
SparseChain pack(const FeatureIndex& index, const Weights<Real>& weights) {
  const std::vector<HistoryIndex::Entry> history = kept_history(weights);
  const std::vector<std::vector<std::uint8_t>> keep = kept_ngrams(index, weights, history);
  std::vector<std::vector<std::int32_t>> values = used_values(index, keep);
  SparseChain sparse;
  for (std::vector<std::int32_t>& used : values) sparse.kept_values.push_back(renumber(used));
  Numbering numbers(index.families());
  for (std::int32_t f = 0; f < index.families(); ++f)
    sparse.families.push_back(pack_family(index, weights, f, keep[f], values[index.spec(f).attribute], numbers));
  for (std::int32_t g = 0; g < weights.named_size(); ++g) {
    const Real* row = weights.named_row(static_cast<std::size_t>(g));
    if (!any_weight(row, weights.stride)) continue;
    sparse.kept_named.push_back(g);
    append_row(row, 1, weights.labels, weights.stride, sparse.named);
  }
  append_row(weights.transition_row(), weights.labels, weights.labels, weights.stride, sparse.transition);
  sparse.history = pack_history(index, weights, history, numbers);
  return sparse;
}

template SparseChain pack(const FeatureIndex&, const Weights<float>&);
template SparseChain pack(const FeatureIndex&, const Weights<double>&);

}  // namespace riata
