#include "learning/row_groups.hpp"

#include <algorithm>
#include <unordered_map>

namespace riata {
namespace {

constexpr std::int64_t few = 6;  // weights of a row on average, up to which it is read one by one
constexpr double worth = 0.4;  // combinations for each token, above which they do not pay

// The n-grams of a slot, token by token.
std::vector<std::int32_t> column(const Slot& slot, const Instances& instances) {
  std::vector<std::int32_t> out(static_cast<std::size_t>(instances.tokens()));
  for (std::int64_t s = 0; s < instances.sentences(); ++s) {
    const std::int32_t* ids = instances.ngrams[slot.family].data() + instances.origin(s) + slot.offset;
    for (std::int64_t t = 0; t < instances.length(s); ++t) out[static_cast<std::size_t>(instances.starts[s] + t)] = std::max(ids[t], -1);
  }
  return out;
}

// Combinations of keys and one more column, numbered in order of appearance.
struct Joined {
  std::vector<std::int32_t> key_of;
  std::int32_t keys = 0;
};
Joined joined(const std::vector<std::int32_t>& keys, const std::vector<std::int32_t>& ids, std::size_t most) {
  Joined out;
  out.key_of.resize(ids.size());
  std::unordered_map<std::uint64_t, std::int32_t> known;
  known.reserve(std::min(ids.size(), most) + 1);
  for (std::size_t n = 0; n < ids.size(); ++n) {
    const std::uint64_t pair = std::uint64_t{static_cast<std::uint32_t>(keys.empty() ? 0 : keys[n])} << 32 | static_cast<std::uint32_t>(ids[n]);
    const auto [place, fresh] = known.emplace(pair, out.keys);
    if (fresh && static_cast<std::size_t>(++out.keys) > most) return out;  // too many, whatever comes
    out.key_of[n] = place->second;
  }
  return out;
}

RowGroup with_ids(RowGroup group, const FeatureIndex& index, const Instances& instances) {
  const auto keys = static_cast<std::size_t>(group.keys);
  group.ids.assign(group.slots.size() * keys, -1);
  for (std::size_t m = 0; m < group.slots.size(); ++m) {
    const std::vector<std::int32_t> ids = column(index.node_slots()[static_cast<std::size_t>(group.slots[m])], instances);
    for (std::size_t n = 0; n < ids.size(); ++n) group.ids[m * keys + static_cast<std::size_t>(group.key_of[n])] = ids[n];
  }
  return group;
}

}  // namespace

std::vector<RowGroup> row_groups(const FeatureIndex& index, const Instances& instances) {
  const auto tokens = static_cast<std::size_t>(instances.tokens());
  const auto most = static_cast<std::size_t>(worth * static_cast<double>(tokens));
  // Slots in order of where they read, so that those of one word come together; single values before n-grams.
  std::vector<std::int32_t> order;
  for (std::int32_t slot = 0; slot < static_cast<std::int32_t>(index.node_slots().size()); ++slot) order.push_back(slot);
  const auto single = [&](std::int32_t slot) { return index.spec(index.node_slots()[static_cast<std::size_t>(slot)].family).parent < 0; };
  std::stable_sort(order.begin(), order.end(), [&](std::int32_t a, std::int32_t b) {
    if (single(a) != single(b)) return single(a);
    return single(a) && index.node_slots()[static_cast<std::size_t>(a)].offset < index.node_slots()[static_cast<std::size_t>(b)].offset;
  });
  std::vector<RowGroup> groups;
  for (const std::int32_t slot : order) {
    const std::vector<std::int32_t> ids = column(index.node_slots()[static_cast<std::size_t>(slot)], instances);
    const std::int32_t own = joined({}, ids, tokens).keys;
    bool placed = false;
    for (RowGroup& group : groups) {
      // A new combination costs a row per slot, so it must not add many: of what follows from what is there, it adds none.
      const auto limit = static_cast<std::size_t>(1.25 * std::max(group.keys, own)) + tokens / 50;
      Joined with = joined(group.key_of, ids, std::min(most, limit));
      if (static_cast<std::size_t>(with.keys) > std::min(most, limit)) continue;
      group.key_of = std::move(with.key_of);
      group.keys = with.keys;
      group.slots.push_back(slot);
      placed = true;
      break;
    }
    if (!placed && static_cast<std::size_t>(own) <= most) {
      Joined with = joined({}, ids, tokens);
      groups.push_back({{slot}, std::move(with.key_of), with.keys, {}});
    }
  }
  std::erase_if(groups, [](const RowGroup& group) { return group.slots.size() < 2; });
  for (RowGroup& group : groups) group = with_ids(std::move(group), index, instances);
  return groups;
}

template <class Real>
GroupedRows<Real>::GroupedRows(const FeatureIndex& index, const Layout& layout, const Instances& instances, const std::vector<std::int64_t>& places)
    : index_(index), layout_(layout), instances_(instances), groups_(row_groups(index, instances)) {
  std::vector<bool> grouped(index.node_slots().size(), false);
  for (const RowGroup& group : groups_) {
    for (const std::int32_t slot : group.slots) grouped[static_cast<std::size_t>(slot)] = true;
  }
  for (std::int32_t slot = 0; slot < static_cast<std::int32_t>(grouped.size()); ++slot) {
    if (grouped[static_cast<std::size_t>(slot)] || make_sparse(slot, places)) continue;
    const std::vector<std::int32_t> ids = column(index.node_slots()[static_cast<std::size_t>(slot)], instances);
    Joined alone = joined({}, ids, ids.size());
    groups_.push_back(with_ids({{slot}, std::move(alone.key_of), alone.keys, {}}, index, instances));
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
  sums_.assign(static_cast<std::size_t>(rows) * layout.stride, Real{0});
  totals_.assign(static_cast<std::size_t>(rows) * layout.stride, Real{0});
}

template <class Real>
bool GroupedRows<Real>::make_sparse(std::int32_t number, const std::vector<std::int64_t>& places) {
  const Slot& slot = index_.node_slots()[static_cast<std::size_t>(number)];
  const std::int32_t rows = index_.size(slot.family);
  Sparse made{instances_.ngrams[slot.family].data() + slot.offset, {0}, {}, {}, {}};
  for (std::int32_t row = 0; row < rows; ++row) {
    const std::int64_t start = base(number) + row * step(number);
    for (auto place = std::lower_bound(places.begin(), places.end(), start); place != places.end() && *place < start + layout_.stride; ++place) {
      made.places.push_back(*place);
      made.weights.push_back({static_cast<std::int32_t>(*place - start), Real{0}});
    }
    made.first.push_back(static_cast<std::int32_t>(made.places.size()));
  }
  if (static_cast<std::int64_t>(made.places.size()) > few * rows) return false;
  made.totals.assign(made.places.size(), Real{0});
  sparse_.push_back(std::move(made));
  return true;
}

template <class Real>
void GroupedRows<Real>::sum(const Real* flat, std::int64_t threads) {
  constexpr std::int32_t piece = 4096;
  Tasks work;
  for (std::size_t g = 0; g < groups_.size(); ++g) {
    for (std::int32_t from = 0; from < groups_[g].keys; from += piece) {
      work.add([this, flat, g, from] {
        const RowGroup& group = groups_[g];
        std::vector<const Real*> rows(group.slots.size());
        std::vector<std::int64_t> bases, steps;
        for (const std::int32_t slot : group.slots) {
          bases.push_back(base(slot));
          steps.push_back(step(slot));
        }
        for (std::int32_t key = from; key < std::min(group.keys, from + piece); ++key) {
          std::int64_t count = 0;
          for (std::size_t m = 0; m < group.slots.size(); ++m) {
            const std::int32_t id = group.ids[m * static_cast<std::size_t>(group.keys) + static_cast<std::size_t>(key)];
            if (id >= 0) rows[static_cast<std::size_t>(count++)] = flat + bases[m] + id * steps[m];
          }
          Real* out = sums_.data() + (firsts_[g] + key) * layout_.stride;
          std::fill_n(out, layout_.stride, Real{0});
          sum_rows(rows.data(), count, layout_.stride, out);
        }
      });
    }
  }
  for (Sparse& slot : sparse_) {
    work.add([&slot, flat] {
      for (std::size_t i = 0; i < slot.places.size(); ++i) slot.weights[i].value = flat[slot.places[i]];
    });
  }
  work.run(threads);
}

template <class Real>
void GroupedRows<Real>::read(std::int64_t s, Real* out) const {
  const auto width = static_cast<std::int32_t>(groups_.size());
  const std::int64_t length = instances_.length(s), origin = instances_.origin(s), stride = layout_.stride;
  gather_places(places_.data() + instances_.starts[s] * width, length, width, sums_.data(), layout_.stride, out);
  for (const Sparse& slot : sparse_) {
    const std::int32_t* ids = slot.ids + origin;
    for (std::int64_t t = 0; t < length; ++t) {
      if (ids[t] < 0) continue;
      const auto id = static_cast<std::size_t>(ids[t]);
      for (auto i = static_cast<std::size_t>(slot.first[id]); i < static_cast<std::size_t>(slot.first[id + 1]); ++i) {
        out[t * stride + slot.weights[i].label] += slot.weights[i].value;
      }
    }
  }
}

template <class Real>
void GroupedRows<Real>::clear() {
  std::fill(totals_.begin(), totals_.end(), Real{0});
  for (Sparse& slot : sparse_) std::fill(slot.totals.begin(), slot.totals.end(), Real{0});
}

template <class Real>
void GroupedRows<Real>::write(std::int64_t first, std::int64_t end, const Real* rows, std::int64_t threads) {
  constexpr std::int32_t together = 4;  // groups of one piece of work
  const auto width = static_cast<std::int32_t>(groups_.size());
  const std::int64_t from = instances_.starts[first], count = instances_.starts[end] - from;
  Tasks work;
  for (std::int32_t g = 0; g < width; g += together) {
    work.add([this, g, from, count, rows, width] {
      scatter_places(places_.data() + from * width, count, width, g, std::min(width, g + together), rows, layout_.stride, totals_.data());
    });
  }
  for (Sparse& slot : sparse_) {
    work.add([this, &slot, first, end, from, rows] {
      for (std::int64_t s = first; s < end; ++s) {
        const std::int32_t* ids = slot.ids + instances_.origin(s);
        const Real* row = rows + (instances_.starts[s] - from) * layout_.stride;
        for (std::int64_t t = 0; t < instances_.length(s); ++t, row += layout_.stride) {
          if (ids[t] < 0) continue;
          const auto id = static_cast<std::size_t>(ids[t]);
          for (auto i = static_cast<std::size_t>(slot.first[id]); i < static_cast<std::size_t>(slot.first[id + 1]); ++i) slot.totals[i] += row[slot.weights[i].label];
        }
      }
    });
  }
  work.run(threads);
}

template <class Real>
void GroupedRows<Real>::finish(Real* gradient, std::int64_t threads) {
  Tasks work;
  for (std::size_t g = 0; g < groups_.size(); ++g) {
    for (std::size_t m = 0; m < groups_[g].slots.size(); ++m) {
      work.add([this, g, m, gradient] {
        const RowGroup& group = groups_[g];
        scatter_rows(group.ids.data() + m * static_cast<std::size_t>(group.keys), group.keys, step(group.slots[m]),
                     totals_.data() + firsts_[g] * layout_.stride, layout_.stride, gradient + base(group.slots[m]));
      });
    }
  }
  for (const Sparse& slot : sparse_) {
    work.add([&slot, gradient] {
      for (std::size_t i = 0; i < slot.places.size(); ++i) gradient[slot.places[i]] = slot.totals[i];
    });
  }
  work.run(threads);
}

template class GroupedRows<float>;
template class GroupedRows<double>;

}  // namespace riata
