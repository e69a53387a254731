#include "models/sparse.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <string>

#include "core/error.hpp"

namespace riata {
namespace {

Error inconsistent(const std::string& what) { return Error("ModelFileError", "the model's " + what + " are inconsistent"); }

// Appends one dense row of `height` x stride, of which `labels` columns count.
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

// The features of earlier labels that carry weight, in the order of their rows.
template <class Real>
std::vector<HistoryIndex::Entry> kept_history(const Weights<Real>& weights) {
  std::vector<HistoryIndex::Entry> kept;
  for (std::int32_t r = 0; r < weights.history.rows(); ++r) {
    if (any_weight(weights.history_rows.data() + std::size_t(r) * weights.stride, weights.stride)) kept.push_back(weights.history.entry(r));
  }
  return kept;
}

// Fills the history from a file: every entry new, every number in range.
void fill_history(const SparseHistory& sparse, const FeatureIndex& index, std::int32_t labels, HistoryIndex& history) {
  const std::vector<HistorySlot>& slots = index.history_slots();
  if (sparse.ngrams.size() != sparse.slots.size()) throw inconsistent("features of earlier labels");
  std::vector<std::int32_t> before(static_cast<std::size_t>(history.order()), HistoryIndex::outside);
  std::size_t k = 0;
  for (std::size_t r = 0; r < sparse.slots.size(); ++r) {
    const std::int32_t s = sparse.slots[r];
    if (s < 0 || static_cast<std::size_t>(s) >= slots.size()) throw inconsistent("features of earlier labels");
    const HistorySlot& slot = slots[s];
    bool ok = k + slot.back.size() <= sparse.labels.size() && sparse.ngrams[r] >= 0 &&
              (slot.family < 0 ? sparse.ngrams[r] == 0 : sparse.ngrams[r] < index.size(slot.family));
    for (std::size_t b = 0; ok && b < slot.back.size(); ++b, ++k) {
      ok = sparse.labels[k] >= 0 && sparse.labels[k] <= labels;
      before[static_cast<std::size_t>(slot.back[b]) - 1] = sparse.labels[k];
    }
    if (!ok || history.add(s, slot.family < 0 ? -1 : sparse.ngrams[r], before) != static_cast<std::int32_t>(r))
      throw inconsistent("features of earlier labels");
  }
  if (k != sparse.labels.size()) throw inconsistent("features of earlier labels");
}

// Refuses rows that are not so many, and pairs that are not labels and finite numbers. Nothing is allocated for a file before all of its rows are checked.
void check(const SparseRows& rows, std::size_t count, std::int32_t height, std::int32_t labels) {
  if (rows.counts.size() != count || rows.columns.size() != rows.values.size()) throw inconsistent("weights");
  const std::uint64_t total = std::accumulate(rows.counts.begin(), rows.counts.end(), std::uint64_t{0});
  if (total != rows.columns.size()) throw inconsistent("weights");
  const auto width = static_cast<std::uint32_t>(height) * static_cast<std::uint32_t>(labels);
  bool known = true, finite = true;
  for (const std::uint32_t column : rows.columns) known &= column < width;
  for (const float value : rows.values) finite &= std::isfinite(value);
  if (!known) throw inconsistent("labels");
  if (!finite) throw Error("ModelFileError", "a weight of the model is not a finite number");
}

// Writes sparse rows into dense ones of `height` x stride, which are zero; place(r) is where row r goes.
template <class Place>
void fill(const SparseRows& rows, std::int32_t height, std::int32_t labels, std::int32_t stride, Numbers<float>& dense, Place place) {
  std::size_t k = 0;
  for (std::size_t r = 0; r < rows.counts.size(); ++r) {
    float* row = dense.data() + place(r) * height * stride;
    for (const std::size_t end = k + rows.counts[r]; k < end; ++k)
      row[height == 1 ? rows.columns[k] : std::size_t(rows.columns[k] / labels) * stride + rows.columns[k] % labels] = rows.values[k];
  }
}

void fill(const SparseRows& rows, std::int32_t height, std::int32_t labels, std::int32_t stride, Numbers<float>& dense) {
  fill(rows, height, labels, stride, dense, [](std::size_t r) { return r; });
}

// The places of the rows of a hashed index that carry weight must be in order, and in its table.
void check_places(const std::vector<std::int32_t>& places, std::int64_t rows) {
  std::int64_t before = -1;
  for (const std::int32_t place : places) {
    if (place <= before || place >= rows) throw inconsistent("places of weights");
    before = place;
  }
}

}  // namespace

template <class Real>
SparseChain pack(const FeatureIndex& index, const Weights<Real>& weights) {
  const std::int32_t L = weights.labels, stride = weights.stride, F = index.families();
  // Children come after their parents, so one pass from the last family up finds every n-gram that is still needed.
  std::vector<std::vector<std::uint8_t>> keep(F);
  for (std::int32_t f = 0; f < F; ++f) keep[f].resize(index.size(f), 0);
  const std::vector<HistoryIndex::Entry> remembered = kept_history(weights);
  for (const auto& entry : remembered) {
    if (entry.ngram >= 0) keep[index.history_slots()[entry.slot].family][entry.ngram] = 1;
  }
  for (std::int32_t f = F - 1; f >= 0; --f) {
    const std::size_t node = std::size_t(index.node_slots_of(f)) * stride, edge = index.edge_slots_of(f) * weights.square();
    for (std::int32_t id = 0; id < index.size(f); ++id) {
      keep[f][id] |= any_weight(weights.node[f].data() + id * node, node) || any_weight(weights.edge[f].data() + id * edge, edge);
    }
    for (std::int32_t c = f + 1; c < F; ++c) {
      if (index.spec(c).parent != f) continue;
      for (std::int32_t id = 0; id < index.size(c); ++id) keep[f][index.parent(c, id)] |= keep[c][id];
    }
  }
  SparseChain sparse;
  sparse.families.resize(F);
  std::vector<std::vector<std::int32_t>> used(index.attributes());  // value -> 1 if used, then its new number
  for (std::int32_t f = 0; f < F; ++f) {
    auto& mine = used[index.spec(f).attribute];
    for (std::int32_t id = 0; id < index.size(f); ++id) {
      if (!keep[f][id]) continue;
      const auto value = static_cast<std::size_t>(index.value(f, id));
      if (mine.size() <= value) mine.resize(value + 1, 0);
      mine[value] = 1;
    }
  }
  sparse.kept_values.resize(used.size());
  for (std::size_t a = 0; a < used.size(); ++a) {
    std::int32_t next = boundary_values;
    for (std::size_t v = 0; v < used[a].size(); ++v) {
      if (v < std::size_t(boundary_values)) { used[a][v] = static_cast<std::int32_t>(v); continue; }
      if (!used[a][v]) continue;
      used[a][v] = next++;
      sparse.kept_values[a].push_back(static_cast<std::int32_t>(v) - boundary_values);
    }
  }
  std::vector<std::vector<std::int32_t>> renumbered(F);
  for (std::int32_t f = 0; f < F; ++f) {
    SparseFamily& out = sparse.families[f];
    const FamilySpec& spec = index.spec(f);
    renumbered[f].assign(index.size(f), -1);
    for (std::int32_t id = 0; id < index.size(f); ++id) {
      if (!keep[f][id]) continue;
      renumbered[f][id] = static_cast<std::int32_t>(out.values.size());
      out.parents.push_back(spec.parent < 0 ? -1 : renumbered[spec.parent][index.parent(f, id)]);
      out.values.push_back(used[spec.attribute][index.value(f, id)]);
      for (std::int32_t k = 0; k < index.node_slots_of(f); ++k)
        append_row(weights.node[f].data() + (std::size_t(id) * index.node_slots_of(f) + k) * stride, 1, L, stride, out.node);
      for (std::int32_t k = 0; k < index.edge_slots_of(f); ++k)
        append_row(weights.edge[f].data() + (std::size_t(id) * index.edge_slots_of(f) + k) * weights.square(), L, L, stride, out.edge);
    }
  }
  for (std::int32_t g = 0; g < weights.given_size(); ++g) {
    const Real* row = weights.given.data() + std::size_t(g) * stride;
    if (!any_weight(row, stride)) continue;
    sparse.kept_given.push_back(g);
    append_row(row, 1, L, stride, sparse.given);
  }
  append_row(weights.transition.data(), L, L, stride, sparse.transition);
  for (const auto& [slot, ngram, labels] : remembered) {
    sparse.history.slots.push_back(slot);
    sparse.history.ngrams.push_back(ngram < 0 ? 0 : renumbered[index.history_slots()[slot].family][ngram]);
    sparse.history.labels.insert(sparse.history.labels.end(), labels.begin(), labels.end());
  }
  for (std::int32_t r = 0; r < weights.history.rows(); ++r) {
    const Real* row = weights.history_rows.data() + std::size_t(r) * stride;
    if (any_weight(row, stride)) append_row(row, 1, L, stride, sparse.history.rows);
  }
  return sparse;
}

void fill_index(const SparseChain& sparse, std::int32_t labels, const std::vector<std::int32_t>& alphabet_sizes, std::int32_t given_size,
                FeatureIndex& index) {
  if (sparse.families.size() != static_cast<std::size_t>(index.families()) || alphabet_sizes.size() != static_cast<std::size_t>(index.attributes()))
    throw inconsistent("feature families");
  for (std::int32_t f = 0; f < index.families(); ++f) {
    const SparseFamily& family = sparse.families[f];
    if (family.parents.size() != family.values.size()) throw inconsistent("feature families");
    const std::int64_t values = std::int64_t{boundary_values} + alphabet_sizes[index.spec(f).attribute];
    for (std::size_t id = 0; id < family.values.size(); ++id) {
      if (family.values[id] >= values) throw inconsistent("attribute values");
      index.insert(f, family.parents[id], family.values[id]);
    }
  }
  for (std::int32_t f = 0; f < index.families(); ++f) {
    const auto n = static_cast<std::size_t>(index.size(f));
    check(sparse.families[f].node, n * index.node_slots_of(f), 1, labels);
    check(sparse.families[f].edge, n * index.edge_slots_of(f), labels, labels);
  }
  check(sparse.given, index.hashed() ? sparse.kept_given.size() : static_cast<std::size_t>(given_size), 1, labels);
  check(sparse.transition, 1, labels, labels);
  check(sparse.history.rows, sparse.history.slots.size(), 1, labels);
  const HashTable table = index.table(labels, padded(labels));
  if (index.hashed()) {
    if (!table.fits()) throw inconsistent("bits");
    check_places(sparse.kept_given, table.rows());
  }
}

Weights<float> unfolded(const SparseChain& sparse, std::int32_t labels, std::int32_t given_size, const FeatureIndex& index) {
  Weights<float> weights(labels);
  weights.grow(index, given_size);
  const std::int32_t stride = weights.stride;
  for (std::int32_t f = 0; f < index.families(); ++f) {
    fill(sparse.families[f].node, 1, labels, stride, weights.node[f]);
    fill(sparse.families[f].edge, labels, labels, stride, weights.edge[f]);
  }
  if (index.hashed()) fill(sparse.given, 1, labels, stride, weights.given, [&](std::size_t r) { return static_cast<std::size_t>(sparse.kept_given[r]); });
  else fill(sparse.given, 1, labels, stride, weights.given);
  fill(sparse.transition, labels, labels, stride, weights.transition);
  fill_history(sparse.history, index, labels, weights.history);
  weights.history_rows.resize(sparse.history.slots.size() * stride);
  fill(sparse.history.rows, 1, labels, stride, weights.history_rows);
  return weights;
}

Weights<float> unpack(const SparseChain& sparse, std::int32_t labels, const std::vector<std::int32_t>& alphabet_sizes,
                      std::int32_t given_size, FeatureIndex& index) {
  fill_index(sparse, labels, alphabet_sizes, given_size, index);
  return unfolded(sparse, labels, given_size, index);
}

template SparseChain pack(const FeatureIndex&, const Weights<float>&);
template SparseChain pack(const FeatureIndex&, const Weights<double>&);

}  // namespace riata
