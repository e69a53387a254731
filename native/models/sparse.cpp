#include "models/sparse.hpp"

#include <algorithm>
#include <bit>
#include <string>
#include <type_traits>
#include <utility>

#include "core/error.hpp"

namespace riata {
namespace {

Error inconsistent(const std::string& what) { return Error("ModelFileError", "the model's " + what + " are inconsistent"); }

// Adds the features of earlier labels of a file to the history. Every entry must be new, and every number in range.
void fill_history(const HistoryView& sparse, const FeatureIndex& index, std::int32_t labels, HistoryIndex& history) {
  const std::vector<HistorySlot>& slots = index.history_slots();
  if (sparse.ngrams.size() != sparse.slots.size()) throw inconsistent("features of earlier labels");
  std::vector<std::int32_t> before(static_cast<std::size_t>(history.order()), HistoryIndex::outside);
  std::size_t k = 0;
  for (std::size_t r = 0; r < sparse.slots.size(); ++r) {
    const SlotId s(std::size_t{sparse.slots[r]});
    const std::uint32_t ngram = sparse.ngrams[r];
    if (!s || s.place() >= slots.size()) throw inconsistent("features of earlier labels");
    const HistorySlot& slot = slots[s.place()];
    bool ok = k + slot.back.size() <= sparse.labels.size() &&
              (slot.family < 0 ? ngram == 0 : ngram < static_cast<std::uint32_t>(index.size(slot.family)));
    for (std::size_t b = 0; ok && b < slot.back.size(); ++b, ++k) {
      ok = sparse.labels[k] <= static_cast<std::uint32_t>(labels);
      before[static_cast<std::size_t>(slot.back[b]) - 1] = static_cast<std::int32_t>(sparse.labels[k]);
    }
    if (!ok || history.add(s, slot.family < 0 ? NgramId() : NgramId(std::size_t{ngram}), before) != RowId(r))
      throw inconsistent("features of earlier labels");
  }
  if (k != sparse.labels.size()) throw inconsistent("features of earlier labels");
}

constexpr float largest = 1e15f;    // weight: sums of many stay finite, and differences of outputs remain visible beside them
constexpr std::size_t block = 256;  // rows; the starts of every block of so many rows are known

// Throws unless there are `count` rows, every column is a label (or a label pair, if height is the number of labels), and every value is
// a number up to `largest` in size. Nothing is allocated for a file before all of its rows are checked. Returns where every block of rows
// starts.
std::vector<std::uint64_t> check(const RowsView& rows, std::size_t count, std::int32_t height, std::int32_t labels) {
  if (rows.counts.size() != count || rows.columns.size() != rows.values.size()) throw inconsistent("weights");
  std::vector<std::uint64_t> starts;
  std::uint64_t total = 0;
  rows.counts.with([&](auto counts) {
    for (std::size_t r = 0; r < counts.size(); r += block) {
      starts.push_back(total);
      for (const auto one : counts.subspan(r, std::min(block, counts.size() - r))) total += one;
    }
  });
  if (total != rows.columns.size()) throw inconsistent("weights");
  const auto width = static_cast<std::uint32_t>(height) * static_cast<std::uint32_t>(labels);
  const bool known = rows.columns.with([&](auto columns) {
    std::remove_cv_t<typename decltype(columns)::element_type> top = 0;
    for (const auto column : columns) top = std::max(top, column);
    return columns.empty() || top < width;
  });
  if (!known) throw inconsistent("labels");
  std::uint32_t top = 0;  // largest value without the sign bit; infinity and NaN are larger than all numbers
  for (const float value : rows.values) top = std::max(top, std::bit_cast<std::uint32_t>(value) & 0x7FFFFFFFu);
  if (top > std::bit_cast<std::uint32_t>(largest))
    throw Error("ModelFileError", "a weight of the model is not a finite number up to 1e+15");
  return starts;
}

// Writes the entries of one sparse row into a dense row of `height` x stride.
template <class Column>
void fill_row(std::span<const Column> columns, std::span<const float> values, std::int32_t height, std::int32_t labels, std::int32_t stride,
              float* row) {
  for (std::size_t k = 0; k < columns.size(); ++k)
    row[height == 1 ? columns[k] : std::size_t(columns[k] / labels) * stride + columns[k] % labels] = values[k];
}

// Writes sparse rows into dense rows of `height` x stride, which are zero before. Row r becomes row place(r).
template <class Place>
void fill(const RowsView& rows, std::int32_t height, std::int32_t labels, std::int32_t stride, float* dense, Place place) {
  rows.columns.with([&](auto columns) {
    std::size_t k = 0;
    for (std::size_t r = 0; r < rows.counts.size(); ++r) {
      const std::size_t count = rows.counts[r];
      fill_row(columns.subspan(k, count), rows.values.subspan(k, count), height, labels, stride, dense + place(r) * height * stride);
      k += count;
    }
  });
}

void fill(const RowsView& rows, std::int32_t height, std::int32_t labels, std::int32_t stride, float* dense) {
  fill(rows, height, labels, stride, dense, [](std::size_t r) { return r; });
}

// Writes row r into a dense row. starts: where every block of rows starts, as `check` returns it.
void fill_one(const RowsView& rows, const std::vector<std::uint64_t>& starts, std::size_t r, std::int32_t height, std::int32_t labels,
              std::int32_t stride, float* row) {
  std::size_t k = starts[r / block];
  for (std::size_t before = r / block * block; before < r; ++before) k += rows.counts[before];
  const std::size_t count = rows.counts[r];
  rows.columns.with([&](auto columns) { fill_row(columns.subspan(k, count), rows.values.subspan(k, count), height, labels, stride, row); });
}

// The rows of a hashed index that have weights must be listed in increasing order and lie within its table.
void check_places(const Narrow& places, std::int64_t rows) {
  std::int64_t before = -1;
  for (std::size_t k = 0; k < places.size(); ++k) {
    const std::int64_t place = places[k];
    if (place <= before || place >= rows) throw inconsistent("places of weights");
    before = place;
  }
}

// The key of an n-gram: keys are ordered like (parent, value).
std::uint64_t key_of(std::uint64_t parent, std::uint64_t value) noexcept { return parent << 32 | value; }

// Parents and values must be in range. parents: how many n-grams the parent family has, -1 for a root; values: how many values the
// attribute has.
void check_ngrams(const FamilyView& family, std::int64_t parents, std::int64_t values) {
  const std::size_t n = family.values.size();
  if (n > IdPairIndex::most || (family.parents.size() != n && !(parents < 0 && family.parents.empty())))
    throw inconsistent("feature families");
  const auto top = [](const Narrow& numbers) {
    return numbers.with([](auto all) { return all.empty() ? -1 : static_cast<std::int64_t>(*std::max_element(all.begin(), all.end())); });
  };
  const auto is_root = [](auto all) { return std::all_of(all.begin(), all.end(), [](auto one) { return one == 0xFFFFFFFFu; }); };
  if (top(family.values) >= values) throw inconsistent("attribute values");
  if (parents < 0 ? !family.parents.with(is_root) : top(family.parents) >= parents)
    throw Error("ModelFileError", "an entry of the feature index is inconsistent");
}

// The order must list the n-grams by strictly increasing (parent, value). Then none is missing and none occurs twice.
void check_order(const FamilyView& family, bool root) {
  const std::size_t n = family.values.size();
  if (family.order.size() != n) throw inconsistent("feature families");
  const auto refuse = [] { return Error("ModelFileError", "an entry of the feature index is inconsistent"); };
  const auto check = [&](auto order, auto parents, auto values) {
    std::uint64_t before = 0;
    for (std::size_t k = 0; k < n; ++k) {
      const std::size_t id = order[k];
      if (id >= n) throw refuse();
      const std::uint64_t key = key_of(root ? 0 : parents[id], values[id]);
      if (k > 0 && key <= before) throw refuse();
      before = key;
    }
  };
  family.order.with([&](auto order) {
    family.values.with([&](auto values) { family.parents.with([&](auto parents) { check(order, parents, values); }); });
  });
}

RowsView view(const SparseRows& rows) { return {Narrow(rows.counts), Narrow(rows.columns), rows.values}; }

}  // namespace

ChainView view(const SparseChain& sparse) {
  ChainView out{{},
                Narrow(sparse.kept_named),
                view(sparse.named),
                view(sparse.transition),
                {Narrow(sparse.history.slots), Narrow(sparse.history.ngrams), Narrow(sparse.history.labels), view(sparse.history.rows)}};
  for (const SparseFamily& family : sparse.families)
    out.families.push_back({Narrow(family.parents), Narrow(family.values), Narrow(family.order), view(family.node), view(family.edge)});
  return out;
}

StoredChain::StoredChain(ChainView the_view, std::int32_t labels, const std::vector<std::int32_t>& alphabet_sizes, std::int32_t named_size,
                         const FeatureIndex& index)
    : view_(std::move(the_view)), labels_(labels), named_size_(named_size) {
  if (view_.families.size() != static_cast<std::size_t>(index.families()) ||
      alphabet_sizes.size() != static_cast<std::size_t>(index.attributes()))
    throw inconsistent("feature families");
  for (std::int32_t f = 0; f < index.families(); ++f) {
    const FamilyView& family = view_.families[f];
    const std::int32_t above = index.spec(f).parent;
    check_ngrams(family, above < 0 ? -1 : static_cast<std::int64_t>(view_.families[above].values.size()),
                 std::int64_t{boundary_values} + alphabet_sizes[index.spec(f).attribute]);
    if (family.order.empty())
      ordered_ = ordered_ && family.values.empty();
    else
      check_order(family, above < 0);
    const std::size_t n = family.values.size();
    blocks_.push_back(
        {check(family.node, n * index.node_slots_of(f), 1, labels), check(family.edge, n * index.edge_slots_of(f), labels, labels)});
  }
  check(view_.named, index.hashed() ? view_.kept_named.size() : static_cast<std::size_t>(named_size), 1, labels);
  check(view_.transition, 1, labels, labels);
  check(view_.history.rows, view_.history.slots.size(), 1, labels);
  if (index.hashed()) {
    const HashTable table = index.table(labels);
    if (!table.fits()) throw inconsistent("bits");
    check_places(view_.kept_named, table.rows());
  }
}

void StoredChain::enter(FeatureIndex& index) const {
  for (std::int32_t f = 0; f < index.families(); ++f) {
    const FamilyView& family = view_.families[f];
    index.reserve(f, family.values.size());
    family.values.with([&](auto values) {
      family.parents.with([&](auto parents) {
        const bool root = index.spec(f).parent < 0;
        for (std::size_t id = 0; id < values.size(); ++id)
          index.insert(f, root ? -1 : static_cast<std::int32_t>(parents[id]), static_cast<std::int32_t>(values[id]));
      });
    });
  }
}

Weights<float> StoredChain::weights(const FeatureIndex& index) const {
  Weights<float> weights(labels_);
  weights.grow(index, named_size_);
  const std::int32_t stride = weights.stride;
  for (std::int32_t f = 0; f < index.families(); ++f) {
    fill(view_.families[f].node, 1, labels_, stride, weights.node_row(f, 0));
    fill(view_.families[f].edge, labels_, labels_, stride, weights.edge_row(f, 0));
  }
  if (index.hashed())
    fill(view_.named, 1, labels_, stride, weights.named_row(0),
         [&](std::size_t r) { return static_cast<std::size_t>(view_.kept_named[r]); });
  else
    fill(view_.named, 1, labels_, stride, weights.named_row(0));
  fill(view_.transition, labels_, labels_, stride, weights.transition_row());
  fill_history(view_.history, index, labels_, weights.history);
  weights.flat.resize(weights.room(), 0.0f);
  fill(view_.history.rows, 1, labels_, stride, weights.history_row(RowId(0)));
  return weights;
}

// parent: -1 for a root. Returns the id; -1 if the model does not contain the n-gram.
std::int32_t StoredChain::find(std::int32_t family, std::int64_t parent, std::int64_t value) const {
  const FamilyView& in = view_.families[family];
  const std::uint64_t key = key_of(static_cast<std::uint64_t>(std::max<std::int64_t>(parent, 0)), static_cast<std::uint64_t>(value));
  const auto key_at = [&](std::size_t k) { return key_of(parent < 0 ? 0 : in.parents[in.order[k]], in.values[in.order[k]]); };
  std::size_t low = 0, high = in.order.size();
  while (low < high) {
    const std::size_t middle = low + (high - low) / 2;
    if (key_at(middle) < key)
      low = middle + 1;
    else
      high = middle;
  }
  return low < in.order.size() && key_at(low) == key ? static_cast<std::int32_t>(in.order[low]) : -1;
}

Weights<float> StoredChain::weights_of(const FeatureIndex& some) const {
  if (!ordered_ || some.families() != static_cast<std::int32_t>(view_.families.size()) || some.hashed() || !some.history_slots().empty())
    throw Error("RiataError", "this model has no weights of some n-grams");
  Weights<float> weights(labels_);
  weights.grow(some, 0);
  // Ids in the model of the n-grams of `some`; -1: the model does not contain the n-gram
  std::vector<std::vector<std::int32_t>> here(view_.families.size());
  for (std::int32_t f = 0; f < some.families(); ++f) {
    const std::int32_t above = some.spec(f).parent;
    const auto nodes = static_cast<std::size_t>(some.node_slots_of(f)), edges = static_cast<std::size_t>(some.edge_slots_of(f));
    for (std::int32_t id = 0; id < some.size(f); ++id) {
      const std::int32_t parent = above < 0 ? -1 : here[above][some.parent(f, id)];
      const std::int32_t found = above >= 0 && parent < 0 ? -1 : find(f, parent, some.value(f, id));
      here[f].push_back(found);
      if (found < 0) continue;
      for (std::size_t k = 0; k < nodes; ++k)
        fill_one(view_.families[f].node, blocks_[f].node, std::size_t(found) * nodes + k, 1, labels_, weights.stride,
                 weights.node_row(f, std::size_t(id) * nodes + k));
      for (std::size_t k = 0; k < edges; ++k)
        fill_one(view_.families[f].edge, blocks_[f].edge, std::size_t(found) * edges + k, labels_, labels_, weights.stride,
                 weights.edge_row(f, std::size_t(id) * edges + k));
    }
  }
  fill(view_.transition, labels_, labels_, weights.stride, weights.transition_row());
  return weights;
}

Weights<float> unpack(const ChainView& view, std::int32_t labels, const std::vector<std::int32_t>& alphabet_sizes, std::int32_t named_size,
                      FeatureIndex& index) {
  const StoredChain stored(view, labels, alphabet_sizes, named_size, index);
  stored.enter(index);
  return stored.weights(index);
}

}  // namespace riata
