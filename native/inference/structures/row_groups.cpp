#include "inference/structures/row_groups.hpp"

#include <algorithm>

#include "core/id_pair_table.hpp"

namespace riata {
namespace {

constexpr std::int64_t few = 6;    // average number of weights of a row up to which weights are read one by one
constexpr std::int64_t ahead = 8;  // how many tokens ahead weights are prefetched
constexpr double worth = 0.4;      // combinations per token above which groups do not save time

constexpr std::size_t most_columns = 64;  // largest number of columns of named features

// The n-grams of a slot at all tokens, [N].
std::vector<std::int32_t> ids_of(const Slot& slot, const Instances& instances) {
  std::vector<std::int32_t> out(static_cast<std::size_t>(instances.tokens()));
  for (std::int64_t s = 0; s < instances.sentences(); ++s) {
    const std::int32_t* ids = instances.ngrams[slot.family].data() + instances.origin(s) + slot.offset;
    for (std::int64_t t = 0; t < instances.length(s); ++t) out[static_cast<std::size_t>(instances.starts[s] + t)] = std::max(ids[t], -1);
  }
  return out;
}

// The column of each head: the most frequent heads have columns, in the order of their numbers; -1: none.
std::vector<std::int32_t> columns_of(std::span<const std::int32_t> heads, const Instances& instances) {
  if (heads.empty()) return {};
  std::vector<std::int64_t> counts(static_cast<std::size_t>(*std::max_element(heads.begin(), heads.end())) + 1, 0);
  for (std::size_t k = 0; k < instances.named_ids.size(); ++k)
    ++counts[static_cast<std::size_t>(heads[static_cast<std::size_t>(instances.named_ids[k])])];
  std::vector<std::int32_t> order(counts.size()), out(counts.size(), -1);
  for (std::size_t head = 0; head < order.size(); ++head) order[head] = static_cast<std::int32_t>(head);
  std::stable_sort(order.begin(), order.end(), [&](std::int32_t a, std::int32_t b) {
    return counts[static_cast<std::size_t>(a)] > counts[static_cast<std::size_t>(b)];
  });
  order.resize(std::min(order.size(), most_columns));
  std::sort(order.begin(), order.end());
  for (std::size_t column = 0; column < order.size(); ++column)
    out[static_cast<std::size_t>(order[column])] = static_cast<std::int32_t>(column);
  return out;
}

// Numbers the combinations of a key and an id at every token, in order of appearance. Stops when there are more than `most`.
struct Joined {
  std::vector<std::int32_t> key_of;
  std::int32_t keys = 0;
};
Joined joined(const std::vector<std::int32_t>& keys, const std::vector<std::int32_t>& ids, std::size_t most) {
  Joined out;
  out.key_of.resize(ids.size());
  IdPairTable numbers;
  for (std::size_t n = 0; n < ids.size(); ++n) {
    std::int32_t& number = numbers.at(keys.empty() ? 0 : keys[n], ids[n]);
    if (number < 0) {
      number = out.keys++;
      if (static_cast<std::size_t>(out.keys) > most) return out;  // too many, whatever follows
    }
    out.key_of[n] = number;
  }
  return out;
}

RowGroup with_ids(RowGroup group, const std::vector<RowColumn>& columns) {
  const auto keys = static_cast<std::size_t>(group.keys);
  group.ids.assign(group.columns.size() * keys, -1);
  for (std::size_t m = 0; m < group.columns.size(); ++m) {
    const std::vector<std::int32_t>& ids = columns[static_cast<std::size_t>(group.columns[m])].ids;
    for (std::size_t n = 0; n < ids.size(); ++n) group.ids[m * keys + static_cast<std::size_t>(group.key_of[n])] = ids[n];
  }
  return group;
}

}  // namespace

RowColumns::RowColumns(const FeatureIndex& index, const Layout& layout, const Instances& instances, std::span<const std::int32_t> heads) {
  if (index.hashed()) return;
  // Slots are sorted by offset, so that the slots of one word are neighbours; single values come before longer n-grams.
  std::vector<Slot> slots = index.node_slots();
  const auto single = [&](const Slot& slot) { return index.spec(slot.family).parent < 0; };
  std::stable_sort(slots.begin(), slots.end(), [&](const Slot& a, const Slot& b) {
    if (single(a) != single(b)) return single(a);
    return single(a) && a.offset < b.offset;
  });
  for (const Slot& slot : slots) {
    all.push_back({ids_of(slot, instances), layout.node_row(slot.family, static_cast<std::size_t>(slot.slot)),
                   std::int64_t{slot.slots} * layout.stride});
  }
  if (instances.named_starts.empty()) return;
  const std::vector<std::int32_t> columns = columns_of(heads, instances);
  const std::size_t first = all.size(), tokens = static_cast<std::size_t>(instances.tokens());
  const std::int32_t count = columns.empty() ? 0 : *std::max_element(columns.begin(), columns.end()) + 1;
  for (std::int32_t column = 0; column < count; ++column)
    all.push_back({std::vector<std::int32_t>(tokens, -1), layout.named_row(0), layout.stride});
  other_starts.push_back(0);
  for (std::size_t n = 0; n < tokens; ++n) {
    for (auto k = static_cast<std::size_t>(instances.named_starts[n]); k < static_cast<std::size_t>(instances.named_starts[n + 1]); ++k) {
      const std::int32_t id = instances.named_ids[k];
      const std::int32_t column = heads.empty() ? -1 : columns[static_cast<std::size_t>(heads[static_cast<std::size_t>(id)])];
      std::int32_t* place = column < 0 ? nullptr : &all[first + static_cast<std::size_t>(column)].ids[n];
      if (place != nullptr && *place < 0 && instances.named_values[k] == 1) {
        *place = id;
        continue;
      }
      other_ids.push_back(id);
      other_values.push_back(instances.named_values[k]);
    }
    other_starts.push_back(static_cast<std::int64_t>(other_ids.size()));
  }
}

std::vector<RowGroup> row_groups(const std::vector<RowColumn>& columns) {
  const auto tokens = columns.empty() ? 0 : columns.front().ids.size();
  const auto most = static_cast<std::size_t>(worth * static_cast<double>(tokens));
  std::vector<RowGroup> groups;
  for (std::int32_t number = 0; number < static_cast<std::int32_t>(columns.size()); ++number) {
    const std::vector<std::int32_t>& ids = columns[static_cast<std::size_t>(number)].ids;
    const std::int32_t own = joined({}, ids, most).keys;
    if (static_cast<std::size_t>(own) > most) continue;
    bool placed = false;
    for (RowGroup& group : groups) {
      // A new combination costs one row, so a column joins the group only if it adds few combinations. A column whose ids follow from those
      // of the group adds none.
      const auto limit = static_cast<std::size_t>(1.25 * std::max(group.keys, own)) + tokens / 50;
      Joined with = joined(group.key_of, ids, std::min(most, limit));
      if (static_cast<std::size_t>(with.keys) > std::min(most, limit)) continue;
      group.key_of = std::move(with.key_of);
      group.keys = with.keys;
      group.columns.push_back(number);
      placed = true;
      break;
    }
    if (!placed) {
      Joined with = joined({}, ids, tokens);
      groups.push_back({{number}, std::move(with.key_of), with.keys, {}});
    }
  }
  std::erase_if(groups, [](const RowGroup& group) { return group.columns.size() < 2; });
  for (RowGroup& group : groups) group = with_ids(std::move(group), columns);
  return groups;
}

template <class Real>
GroupedRows<Real>::GroupedRows(std::vector<RowColumn> columns, const Layout& layout, const Instances& instances, const RowWeights& there)
    : layout_(layout), instances_(instances), there_(there), groups_(row_groups(columns)) {
  std::vector<bool> grouped(columns.size(), false);
  for (const RowGroup& group : groups_) {
    for (const std::int32_t column : group.columns) grouped[static_cast<std::size_t>(column)] = true;
  }
  for (std::size_t column = 0; column < columns.size(); ++column) {
    if (grouped[column] || make_sparse(columns[column])) continue;
    Joined alone = joined({}, columns[column].ids, columns[column].ids.size());
    groups_.push_back(with_ids({{static_cast<std::int32_t>(column)}, std::move(alone.key_of), alone.keys, {}}, columns));
  }
  for (RowGroup& group : groups_) {
    std::vector<Range>& ranges = ranges_.emplace_back();
    for (std::int32_t key = 0; key < group.keys; ++key) {
      for (std::size_t m = 0; m < group.columns.size(); ++m) {
        const std::int32_t id = group.ids[m * static_cast<std::size_t>(group.keys) + static_cast<std::size_t>(key)];
        ranges.push_back(range(columns[static_cast<std::size_t>(group.columns[m])], id));
      }
    }
    group.ids = {};
  }
  const std::size_t width = groups_.size(), tokens = static_cast<std::size_t>(instances.tokens());
  std::int64_t rows = 0;
  places_.resize(tokens * width);
  for (std::size_t g = 0; g < width; ++g) {
    firsts_.push_back(rows);
    for (std::size_t n = 0; n < tokens; ++n) places_[n * width + g] = static_cast<std::int32_t>(rows) + groups_[g].key_of[n];
    rows += groups_[g].keys;
    groups_[g].key_of = {};
  }
  row_sums_.assign(static_cast<std::size_t>(rows) * layout.stride, Real{0});
  totals_.assign(static_cast<std::size_t>(rows) * layout.stride, Real{0});
  single_.assign(static_cast<std::size_t>(there.size()), Real{0});
  weights_.resize(static_cast<std::size_t>(there.size()));
  for (std::int64_t i = 0; i < there.size(); ++i) weights_[static_cast<std::size_t>(i)] = {there.label(i), Real{0}};
}

template <class Real>
auto GroupedRows<Real>::range(const RowColumn& column, std::int32_t id) const noexcept -> Range {
  const std::int64_t row = column.base + id * column.step;
  return id < 0 ? Range{0, 0} : Range{there_.first(row), there_.end(row)};
}

template <class Real>
bool GroupedRows<Real>::make_sparse(const RowColumn& column) {
  std::vector<bool> met(static_cast<std::size_t>(*std::max_element(column.ids.begin(), column.ids.end()) + 1), false);
  std::int64_t rows = 0, weights = 0;
  Sparse made;
  for (const std::int32_t id : column.ids) {
    made.push_back(range(column, id));
    if (id < 0 || met[static_cast<std::size_t>(id)]) continue;
    met[static_cast<std::size_t>(id)] = true;
    ++rows;
    weights += made.back().end - made.back().first;
  }
  if (weights > few * rows) return false;
  sparse_.push_back(std::move(made));
  return true;
}

template <class Real>
void GroupedRows<Real>::sum(std::span<const double> at, std::int64_t threads) {
  in_parts(there_.size(), threads, [&](std::int64_t from, std::int64_t to) {
    for (auto i = static_cast<std::size_t>(from); i < static_cast<std::size_t>(to); ++i) weights_[i].value = static_cast<Real>(at[i]);
  });
  constexpr std::int32_t piece = 4096;
  Tasks work;
  for (std::size_t g = 0; g < groups_.size(); ++g) {
    for (std::int32_t from = 0; from < groups_[g].keys; from += piece) {
      work.add([this, g, from] {
        const RowGroup& group = groups_[g];
        const auto width = static_cast<std::int64_t>(group.columns.size());
        Real* out = row_sums_.data() + (firsts_[g] + from) * layout_.stride;
        for (std::int32_t key = from; key < std::min(group.keys, from + piece); ++key, out += layout_.stride) {
          std::fill_n(out, layout_.stride, Real{0});
          const Range* range = ranges_[g].data() + std::int64_t{key} * width;
          for (std::int64_t m = 0; m < width; ++m) {
            for (auto i = static_cast<std::size_t>(range[m].first); i < static_cast<std::size_t>(range[m].end); ++i)
              out[weights_[i].label] += weights_[i].value;
          }
        }
      });
    }
  }
  work.run(threads);
}

template <class Real>
void GroupedRows<Real>::read(std::int64_t s, Real* out) const {
  const auto width = static_cast<std::int32_t>(groups_.size());
  const std::int64_t length = instances_.length(s), start = instances_.starts[s], stride = layout_.stride;
  gather_places(places_.data() + start * width, length, width, row_sums_.data(), layout_.stride, out);
  for (const Sparse& column : sparse_) {
    const Range* of = column.data() + start;
    for (std::int64_t t = 0; t < length; ++t) {
      if (t + ahead < length) __builtin_prefetch(weights_.data() + of[t + ahead].first);
      for (auto i = static_cast<std::size_t>(of[t].first); i < static_cast<std::size_t>(of[t].end); ++i)
        out[t * stride + weights_[i].label] += weights_[i].value;
    }
  }
}

template <class Real>
void GroupedRows<Real>::clear(std::int64_t threads) {
  const auto zero = [&](Numbers<Real>& all) {
    in_parts(static_cast<std::int64_t>(all.size()), threads,
             [&](std::int64_t from, std::int64_t to) { std::fill(all.begin() + from, all.begin() + to, Real{0}); });
  };
  zero(totals_);
  zero(single_);
}

template <class Real>
void GroupedRows<Real>::write(std::int64_t first, std::int64_t end, const Real* rows, std::int64_t threads) {
  constexpr std::int32_t together = 4;  // groups per task
  const auto width = static_cast<std::int32_t>(groups_.size());
  const std::int64_t from = instances_.starts[first], count = instances_.starts[end] - from;
  Tasks work;
  for (std::int32_t g = 0; g < width; g += together) {
    work.add([this, g, from, count, rows, width] {
      scatter_places(places_.data() + from * width, count, width, g, std::min(width, g + together), rows, layout_.stride, totals_.data());
    });
  }
  for (const Sparse& column : sparse_) {
    work.add([this, &column, from, count, rows] {
      const Range* of = column.data() + from;
      const Real* row = rows;
      for (std::int64_t t = 0; t < count; ++t, row += layout_.stride) {
        if (t + ahead < count) {
          __builtin_prefetch(weights_.data() + of[t + ahead].first);
          __builtin_prefetch(single_.data() + of[t + ahead].first);
        }
        for (auto i = static_cast<std::size_t>(of[t].first); i < static_cast<std::size_t>(of[t].end); ++i)
          single_[i] += row[weights_[i].label];
      }
    });
  }
  work.run(threads);
}

template <class Real>
void GroupedRows<Real>::finish(std::span<double> gradient, std::int64_t threads) {
  in_parts(there_.size(), threads, [&](std::int64_t from, std::int64_t to) {
    for (auto i = static_cast<std::size_t>(from); i < static_cast<std::size_t>(to); ++i) gradient[i] += double(single_[i]);
  });
  Tasks work;
  for (std::size_t g = 0; g < groups_.size(); ++g) {
    for (std::size_t m = 0; m < groups_[g].columns.size(); ++m) {
      work.add([this, g, m, gradient] {
        const RowGroup& group = groups_[g];
        const Range* range = ranges_[g].data() + m;
        const Real* total = totals_.data() + firsts_[g] * layout_.stride;
        for (std::int32_t key = 0; key < group.keys; ++key, total += layout_.stride, range += group.columns.size()) {
          for (auto i = static_cast<std::size_t>(range->first); i < static_cast<std::size_t>(range->end); ++i)
            gradient[i] += double(total[weights_[i].label]);
        }
      });
    }
  }
  work.run(threads);
}

template class GroupedRows<float>;
template class GroupedRows<double>;

}  // namespace riata
