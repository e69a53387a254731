#include "inference/structures/factorial_rows.hpp"

#include <algorithm>
#include <utility>

#include "core/tasks.hpp"

namespace riata {

template <class Real>
FactorialRows<Real>::FactorialRows(const FeatureIndex& index, const FactorialTemplates& templates, const FactorialCoding& coding,
                                   const Instances& instances, std::span<const std::int32_t> gold, FeatureLabels which)
    : instances_(instances),
      templates_(templates),
      coding_(coding),
      layout_(index, templates, coding),
      shape_(shape_of(templates, coding)),
      per_token_(tables_per_token(templates)) {
  const std::vector<bool> there = seen(gold, which);
  there_ = std::make_unique<RowWeights>(row_multiple, there);
  find_columns(index, there);
  find_cells();
  each_factor(shape_, [&](FactorId k) { shared_.emplace_back(static_cast<std::size_t>(shape_.table(k)), Real{0}); });
}

// [size of the layout] which places hold a weight: those of features of the truth, or of all labels that exist.
template <class Real>
std::vector<bool> FactorialRows<Real>::seen(std::span<const std::int32_t> gold, FeatureLabels which) const {
  std::vector<bool> there(static_cast<std::size_t>(layout_.size), false);
  const FactorialScorer<Real> reader(templates_, coding_, layout_, instances_);
  for (std::int64_t s = 0; s < instances_.sentences(); ++s) {
    const std::int32_t* codes = gold.data() + instances_.starts[s];
    for (std::int64_t t = 0; t < instances_.length(s); ++t) {
      if (which == FeatureLabels::seen) {
        reader.each_weight(s, t, codes, [&](std::int64_t place) { there[static_cast<std::size_t>(place)] = true; });
        continue;
      }
      reader.each_row(s, t, [&](SlotId id, std::int64_t row) {
        const ColumnId c(templates_.slots()[id.place()].column);
        for (std::int64_t x = 0; x < layout_.row_size(id); ++x)
          there[static_cast<std::size_t>(row + x)] = x % shape_.stride(c) < shape_.labels(c);
      });
    }
  }
  return there;
}

// Slots that read single values come first, sorted by offset, so that those of one word are neighbours (see RowColumns).
template <class Real>
void FactorialRows<Real>::find_columns(const FeatureIndex& index, const std::vector<bool>& there) {
  firsts_.push_back(0);
  each_column(shape_, [&](ColumnId c) {
    const std::int64_t from = layout_.column(c.number()), to = layout_.column(c.number() + 1);
    std::vector<SlotId> slots;
    for (SlotId id(0); id.place() < templates_.slots().size(); ++id) {
      const FactorialSlot& slot = templates_.slots()[id.place()];
      if (slot.alone() && slot.column == c.number()) slots.push_back(id);
    }
    const auto single = [&](SlotId id) { return index.spec(templates_.slots()[id.place()].family).parent < 0; };
    std::ranges::stable_sort(slots, [&](SlotId a, SlotId b) {
      if (single(a) != single(b)) return single(a);
      return single(a) && templates_.slots()[a.place()].offset < templates_.slots()[b.place()].offset;
    });
    std::vector<RowColumn> rows;
    for (const SlotId id : slots) {
      RowColumn& one = rows.emplace_back(RowColumn{{}, layout_.row(id, NgramId(0)) - from, shape_.stride(c)});
      for (std::int64_t s = 0; s < instances_.sentences(); ++s) {
        for (std::int64_t t = 0; t < instances_.length(s); ++t)
          one.ids.push_back(ngram_of(templates_.slots()[id.place()], instances_, s, t).number());
      }
    }
    layouts_.push_back(std::make_unique<Layout>(shape_.labels(c)));
    of_column_.push_back(std::make_unique<RowWeights>(shape_.stride(c), std::vector<bool>(there.begin() + from, there.begin() + to)));
    columns_.push_back(std::make_unique<GroupedRows<Real>>(std::move(rows), *layouts_.back(), instances_, *of_column_.back()));
    firsts_.push_back(firsts_.back() + of_column_.back()->size());
  });
  first_pair_ = firsts_.back();
}

template <class Real>
void FactorialRows<Real>::find_cells() {
  cells_.resize(static_cast<std::size_t>(there_->size() - first_pair_));
  std::vector<std::pair<std::int64_t, std::int64_t>> blocks;  // where the rows of a slot start, and their size
  each_pair_slot([&](SlotId id, FactorId) { blocks.emplace_back(layout_.row(id, NgramId(0)), layout_.row_size(id)); });
  std::size_t block = 0;
  there_->each([&](std::int32_t i, std::int64_t place) {
    if (i < first_pair_) return;
    while (block + 1 < blocks.size() && blocks[block + 1].first <= place) ++block;
    cells_[static_cast<std::size_t>(i - first_pair_)] = static_cast<std::int32_t>((place - blocks[block].first) % blocks[block].second);
  });
  values_.resize(cells_.size());
  totals_.resize(cells_.size());
}

template <class Real>
void FactorialRows<Real>::begin(std::span<const double> at, std::int64_t threads) {
  for (std::size_t c = 0; c < columns_.size(); ++c) {
    columns_[c]->sum(at.subspan(static_cast<std::size_t>(firsts_[c]), static_cast<std::size_t>(firsts_[c + 1] - firsts_[c])), threads);
    columns_[c]->clear(threads);
  }
  for (std::size_t i = 0; i < values_.size(); ++i) values_[i] = static_cast<Real>(at[static_cast<std::size_t>(first_pair_) + i]);
  std::ranges::fill(totals_, 0);
  for (Numbers<Real>& table : shared_) std::ranges::fill(table, Real{0});
  each_pair_slot([&](SlotId id, FactorId k) {
    if (per_token_[k.place()]) return;
    const Range weights = range(id, NgramId(0));
    for (auto i = static_cast<std::size_t>(weights.first); i < static_cast<std::size_t>(weights.end); ++i)
      shared_[k.place()][static_cast<std::size_t>(cells_[i])] += values_[i];
  });
}

template <class Real>
void FactorialRows<Real>::read(std::int64_t s, FactorialScores<Real>& out) const {
  const auto length = static_cast<std::int32_t>(instances_.length(s));
  out.open(shape_, length, per_token_);
  each_column(shape_, [&](ColumnId c) {
    std::ranges::fill(out.node[c.place()], Real{0});
    columns_[c.place()]->read(s, out.nodes(c, 0));
  });
  each_factor(shape_, [&](FactorId k) {
    if (per_token_[k.place()]) std::ranges::fill(out.pair[k.place()], Real{0});
  });
  each_pair_slot([&](SlotId id, FactorId k) {
    if (!per_token_[k.place()]) return;
    for (std::int32_t t = 0; t < length; ++t) {
      const NgramId ngram = ngram_of(templates_.slots()[id.place()], instances_, s, t);
      if (!ngram) continue;
      const Range weights = range(id, ngram);
      Real* table = out.own_table(k, t);
      for (auto i = static_cast<std::size_t>(weights.first); i < static_cast<std::size_t>(weights.end); ++i) table[cells_[i]] += values_[i];
    }
  });
}

// Slots have different weights, so they are processed in parallel, each with its sentences in order.
template <class Real>
void FactorialRows<Real>::gather(const SentenceRange& batch, const std::vector<Numbers<Real>>& node, const std::vector<Numbers<Real>>& pair,
                                 std::int64_t threads) {
  for (std::size_t c = 0; c < columns_.size(); ++c) columns_[c]->write(batch.first, batch.end, node[c].data(), threads);
  Tasks work;
  each_pair_slot([&](SlotId id, FactorId k) {
    work.add([this, &batch, &pair, id, k] {
      const std::int64_t size = shape_.table(k);
      const Real* table = pair[k.place()].data();
      const auto collect = [&](Range weights) {
        for (auto i = static_cast<std::size_t>(weights.first); i < static_cast<std::size_t>(weights.end); ++i)
          totals_[i] += double(table[cells_[i]]);
        table += size;
      };
      for (std::int64_t s = batch.first; s < batch.end; ++s) {
        if (!per_token_[k.place()]) {
          collect(range(id, NgramId(0)));
          continue;
        }
        for (std::int64_t t = 0; t < instances_.length(s); ++t) {
          const NgramId ngram = ngram_of(templates_.slots()[id.place()], instances_, s, t);
          collect(ngram ? range(id, ngram) : Range{0, 0});
        }
      }
    });
  });
  work.run(threads);
}

template <class Real>
void FactorialRows<Real>::finish(std::span<double> gradient, std::int64_t threads) {
  for (std::size_t c = 0; c < columns_.size(); ++c)
    columns_[c]->finish(gradient.subspan(static_cast<std::size_t>(firsts_[c]), static_cast<std::size_t>(firsts_[c + 1] - firsts_[c])),
                        threads);
  for (std::size_t i = 0; i < totals_.size(); ++i) gradient[static_cast<std::size_t>(first_pair_) + i] += totals_[i];
}

template <class Real>
template <class Out>
FactorialWeights<Out> FactorialRows<Real>::model(std::span<const double> at) const {
  FactorialWeights<Out> out{coding_, Numbers<Out>(static_cast<std::size_t>(layout_.size), Out{0}), layout_};
  there_->each([&](std::int32_t i, std::int64_t place) {
    out.flat[static_cast<std::size_t>(place)] = static_cast<Out>(at[static_cast<std::size_t>(i)]);
  });
  return out;
}

template <class Real>
std::vector<double> FactorialRows<Real>::point(const FactorialWeights<Real>& weights) const {
  std::vector<double> out(static_cast<std::size_t>(size()), 0);
  if (weights.layout.size == 0) return out;
  const Numbers<Real> moved = layout_.moved(weights.flat, weights.layout);
  there_->each(
      [&](std::int32_t i, std::int64_t place) { out[static_cast<std::size_t>(i)] = double(moved[static_cast<std::size_t>(place)]); });
  return out;
}

template class FactorialRows<float>;
template class FactorialRows<double>;
template FactorialWeights<float> FactorialRows<float>::model(std::span<const double>) const;
template FactorialWeights<float> FactorialRows<double>::model(std::span<const double>) const;
template FactorialWeights<double> FactorialRows<double>::model(std::span<const double>) const;

}  // namespace riata
