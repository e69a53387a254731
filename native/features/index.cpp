#include "features/index.hpp"

#include <algorithm>
#include <cstdlib>
#include <limits>
#include <string>
#include <utility>

#include "core/error.hpp"
#include "core/tasks.hpp"
#include "features/id_pair_adder.hpp"

namespace riata {
namespace {

void check_family(const FamilySpec& spec, std::int32_t family, std::int32_t attributes) {
  const bool ok = spec.parent >= -1 && spec.parent < family && spec.attribute >= 0 && spec.attribute < attributes && spec.offset >= 0 &&
                  spec.offset <= 2 * boundary_reach && (spec.parent >= 0 || spec.offset == 0);
  if (!ok) throw Error("TemplateError", "family " + std::to_string(family) + " of the feature index is inconsistent");
}

void check_back(const HistorySlot& slot) {
  bool ok = !slot.back.empty() && slot.back.front() >= 1 && slot.back.back() <= boundary_reach;
  for (std::size_t k = 1; k < slot.back.size(); ++k) ok = ok && slot.back[k] > slot.back[k - 1];
  if (!ok) throw Error("TemplateError", "the labels that a template reads are inconsistent", "Labels go from label[-1] to label[-8].");
}

// The value of an attribute at position p of a sentence of `length` tokens that starts at token `start`. p may lie outside the sentence.
std::int32_t value_at(std::span<const std::int32_t> values, std::int64_t start, std::int64_t length, std::int64_t p) noexcept {
  if (p < 0) return static_cast<std::int32_t>(-p - 1);
  if (p >= length) return static_cast<std::int32_t>(boundary_reach + p - length);
  const std::int32_t value = values[static_cast<std::size_t>(start + p)];
  return value < 0 ? -1 : boundary_values + value;
}

std::size_t padded_size(const Tokens& tokens, std::int32_t pad) {
  const auto sentences = static_cast<std::int64_t>(tokens.starts.size()) - 1;
  return static_cast<std::size_t>(tokens.starts.back() + 2 * pad * sentences);
}

constexpr std::int64_t most_parts = 4;  // parts of one family; each part walks over all positions
constexpr std::int64_t enough = 2;      // families per thread: with fewer, families are divided among threads
constexpr std::size_t most_positions = std::numeric_limits<std::int32_t>::max() - 2;

// The largest number of entries in a table of ids: one per token.
std::int64_t room(const Tokens& tokens) { return tokens.starts.back(); }

std::int64_t values_of(const Tokens& tokens, std::int32_t attribute) {
  const std::span<const std::int32_t> values = tokens.values[attribute];
  return boundary_values + 1 + (values.empty() ? -1 : *std::max_element(values.begin(), values.end()));
}

Sentences all_sentences(const Tokens& tokens) { return {0, tokens.starts.size() - 1}; }

}  // namespace

FeatureIndex::FeatureIndex(std::vector<FamilySpec> families, const std::vector<TemplateSpec>& templates, std::int32_t attributes,
                           bool transitions, std::vector<HistorySlot> history, std::vector<std::int32_t> columns, std::int32_t bits,
                           const std::vector<std::pair<std::int32_t, std::int32_t>>& others)
    : specs_(std::move(families)),
      dictionaries_(specs_.size()),
      first_(specs_.size(), std::numeric_limits<std::int32_t>::max()),
      last_(specs_.size(), std::numeric_limits<std::int32_t>::min()),
      history_slots_(std::move(history)),
      node_counts_(specs_.size(), 0),
      edge_counts_(specs_.size(), 0),
      read_(specs_.size(), 0),
      attributes_(attributes),
      columns_(std::move(columns)),
      transitions_(transitions),
      bits_(bits) {
  for (std::int32_t a = 0; columns_.size() < static_cast<std::size_t>(attributes); ++a) columns_.push_back(a);
  if (columns_.size() != static_cast<std::size_t>(attributes) ||
      std::any_of(columns_.begin(), columns_.end(), [](std::int32_t c) { return c < 0; }))
    throw Error("TemplateError", "the columns that attributes read are inconsistent");
  if (bits < 0 || bits > 30) throw Error("SettingError", "a table of 2^" + std::to_string(bits) + " weights is out of range");
  for (std::int32_t f = 0; f < this->families(); ++f) check_family(specs_[f], f, attributes);
  const auto reads = [&](std::int32_t family, std::int32_t offset) {
    if (family < 0 || family >= this->families())
      throw Error("TemplateError", "a template reads family " + std::to_string(family) + ", which does not exist");
    if (offset < -boundary_reach || offset + reach(family) > boundary_reach)
      throw Error("TemplateError", "a template reads further than 8 tokens away", "Offsets go from -8 to 8.");
    read_[family] = 1;
    first_[family] = std::min(first_[family], offset);
    last_[family] = std::max(last_[family], offset);
  };
  for (const TemplateSpec& t : templates) {
    reads(t.family, t.offset);
    auto& counts = t.edge ? edge_counts_ : node_counts_;
    (t.edge ? edge_slots_ : node_slots_).push_back({t.family, t.offset, counts[t.family]++, 0});
  }
  for (const HistorySlot& slot : history_slots_) {
    check_back(slot);
    if (slot.family != -1) reads(slot.family, slot.offset);
  }
  for (const auto& [family, offset] : others) reads(family, offset);
  for (Slot& s : node_slots_) s.slots = node_counts_[s.family];
  for (Slot& s : edge_slots_) s.slots = edge_counts_[s.family];
  plan_ = SumPlan(specs_, columns_, node_slots_);
  for (std::int32_t f = this->families() - 1; f >= 0; --f) {
    if (const std::int32_t p = specs_[f].parent; p >= 0) {
      first_[p] = std::min(first_[p], first_[f]);
      last_[p] = std::max(last_[p], last_[f]);
    }
    if (first_[f] <= last_[f]) pad_ = std::max({pad_, -first_[f], last_[f]});
  }
}

void FeatureIndex::insert(std::int32_t family, std::int32_t parent, std::int32_t value) {
  const std::int32_t above = specs_[family].parent;
  const bool parent_exists = above < 0 ? parent == -1 : parent >= 0 && parent < size(above);
  const std::int32_t before = size(family);
  if (!parent_exists || value < 0 || dictionaries_[family].add(parent, value) != before)
    throw Error("ModelFileError", "an entry of the feature index is inconsistent");
}

// Calls visit(padded position, position in the sentence, start, length) for all positions of the sentences `some` at which the family is
// read.
template <class Visit>
void FeatureIndex::for_each_position(std::int32_t family, const Tokens& tokens, Sentences some, Visit visit) const {
  if (first_[family] > last_[family]) return;
  for (std::size_t s = some.first; s < some.end; ++s) {
    const std::int64_t start = tokens.starts[s], length = tokens.starts[s + 1] - start;
    const std::int64_t origin = start + 2 * pad_ * static_cast<std::int64_t>(s) + pad_;
    for (std::int64_t p = first_[family]; p <= length - 1 + last_[family]; ++p)
      visit(static_cast<std::size_t>(origin + p), p, start, length);
  }
}

std::vector<std::vector<std::int32_t>> FeatureIndex::extend(const Tokens& tokens, std::int64_t cutoff, std::int64_t threads) {
  if (hashed()) return look_up(tokens, threads);
  if (padded_size(tokens, pad_) > most_positions)
    throw Error("DataError", "more than 2^31 tokens at once", "Train on parts of the data, with partial_fit.");
  std::vector<std::vector<std::int32_t>> ids(specs_.size());
  const bool share = families() < enough * threads;
  const auto parts = static_cast<std::size_t>(share ? std::clamp<std::int64_t>(threads, 1, most_parts) : 1);
  std::vector<Parts> seen(specs_.size(), Parts(parts));
  Tasks tasks;
  std::vector<std::size_t> done(specs_.size());  // [F] the task after which the ids of a family are complete
  for (std::int32_t f = 0; f < families(); ++f) {
    const std::int32_t parent = specs_[f].parent;
    std::vector<std::size_t> before = parent < 0 ? std::vector<std::size_t>{} : std::vector{done[parent]};
    if (parts > 1) {
      std::vector<std::size_t> looked;
      for (std::size_t part = 0; part < parts; ++part)
        looked.push_back(tasks.add([&, f, part] { first_seen(f, tokens, ids, part, seen[f]); }, before));
      before = looked;
    }
    done[f] = tasks.add(
        [&, f] {
          const std::int32_t before = size(f);
          if (seen[f][0].empty())
            add_all(f, tokens, ids);
          else
            number(f, tokens, ids, std::move(seen[f]));
          if (cutoff > 1) prune(f, before, cutoff, ids[f]);
        },
        before);
  }
  tasks.run(threads);
  drop_unread(ids);
  return ids;
}

// Whether a table can hold all pairs of the family. Such a family is not worth dividing among threads.
bool FeatureIndex::is_small(std::int32_t f, const Tokens& tokens) const {
  return IdPairAdder::fits(parents(f), values_of(tokens, specs_[f].attribute), room(tokens));
}

// Calls visit(padded position, id of the parent's n-gram or -1, value) for all positions of the sentences `some` where the family has an
// n-gram.
template <class Visit>
void FeatureIndex::for_each_ngram(std::int32_t f, const Tokens& tokens, Sentences some, const std::vector<std::vector<std::int32_t>>& ids,
                                  Visit visit) const {
  const FamilySpec& spec = specs_[f];
  const std::int32_t* above = spec.parent < 0 ? nullptr : ids[spec.parent].data();
  const std::span<const std::int32_t> values = tokens.values[spec.attribute];
  for_each_position(f, tokens, some, [&](std::size_t at, std::int64_t p, std::int64_t start, std::int64_t length) {
    const std::int32_t parent = above == nullptr ? -1 : above[at];
    if (above != nullptr && parent < 0) return;
    const std::int32_t value = value_at(values, start, length, p + spec.offset);
    if (value >= 0) visit(at, parent, value);
  });
}

// Adds all n-grams of one family. New n-grams are numbered in the order of the tokens.
void FeatureIndex::add_all(std::int32_t f, const Tokens& tokens, std::vector<std::vector<std::int32_t>>& ids) {
  ids[f].assign(padded_size(tokens, pad_), -1);
  IdPairAdder add(dictionaries_[f], parents(f), values_of(tokens, specs_[f].attribute), room(tokens));
  for_each_ngram(f, tokens, all_sentences(tokens), ids,
                 [&](std::size_t at, std::int32_t parent, std::int32_t value) { ids[f][at] = add(parent, value); });
}

// First step of adding all n-grams of a family with several threads. Each thread handles one part of the n-grams. For a known n-gram it
// writes the id, for a new one -2 - (the position at which it occurs first). Each thread writes to an array of its own, which is -1 at
// n-grams of other parts: in a shared array the threads would write to the same cache lines.
void FeatureIndex::first_seen(std::int32_t f, const Tokens& tokens, const std::vector<std::vector<std::int32_t>>& ids, std::size_t part,
                              Parts& seen) const {
  if (is_small(f, tokens)) return;
  seen[part].assign(padded_size(tokens, pad_), -1);
  IdPairIndex fresh;
  std::vector<std::int32_t> firsts;  // [fresh] first position of each new n-gram
  for_each_ngram(f, tokens, all_sentences(tokens), ids, [&](std::size_t at, std::int32_t parent, std::int32_t value) {
    if (IdPairIndex::part(parent, value, seen.size()) != part) return;
    std::int32_t id = find(f, parent, value);
    if (id < 0) {
      const auto found = static_cast<std::size_t>(fresh.add(parent, value));
      if (found == firsts.size()) firsts.push_back(static_cast<std::int32_t>(at));
      id = -2 - firsts[found];
    }
    seen[part][at] = id;
  });
}

// Second step: numbers the new n-grams in the order of their first positions, so that the numbers do not depend on the parts.
void FeatureIndex::number(std::int32_t f, const Tokens& tokens, std::vector<std::vector<std::int32_t>>& ids, Parts seen) {
  ids[f] = std::move(seen[0]);
  std::int32_t* const of = ids[f].data();
  for_each_ngram(f, tokens, all_sentences(tokens), ids, [&](std::size_t at, std::int32_t parent, std::int32_t value) {
    for (std::size_t part = 1; part < seen.size(); ++part) of[at] = seen[part][at] == -1 ? of[at] : seen[part][at];
    if (of[at] >= -1) return;
    const auto first = static_cast<std::size_t>(-2 - of[at]);
    of[at] = first == at ? size(f) : of[first];
    if (first == at) dictionaries_[f].add_new(parent, value);
  });
}

// Removes n-grams that occur fewer than `cutoff` times; n-grams with ids below `first` stay. `ids` is renumbered.
void FeatureIndex::prune(std::int32_t f, std::int32_t first, std::int64_t cutoff, std::vector<std::int32_t>& ids) {
  std::vector<std::int64_t> counts(static_cast<std::size_t>(size(f)), 0);
  for (const std::int32_t id : ids) {
    if (id >= 0) ++counts[id];
  }
  IdPairIndex kept;
  std::vector<std::int32_t> now(counts.size(), -1);
  for (std::int32_t id = 0; id < size(f); ++id) {
    if (id >= first && counts[id] < cutoff) continue;
    now[id] = kept.size();
    kept.add_new(parent(f, id), value(f, id));
  }
  for (std::int32_t& id : ids) id = id < 0 ? -1 : now[id];
  dictionaries_[f] = std::move(kept);
}

std::vector<std::vector<std::int32_t>> FeatureIndex::look_up(const Tokens& tokens, std::int64_t threads) const {
  std::vector<std::vector<std::int32_t>> ids(specs_.size());
  Tasks making, looking;
  for (std::vector<std::int32_t>& family : ids) making.add([&] { family.assign(padded_size(tokens, pad_), -1); });
  making.run(threads);
  for (const Sentences& some : shared_out(tokens.starts, threads)) {
    looking.add([&, some] {
      for (std::int32_t f = 0; f < families(); ++f)
        for_each_ngram(f, tokens, some, ids,
                       [&](std::size_t at, std::int32_t parent, std::int32_t value) { ids[f][at] = find(f, parent, value); });
    });
  }
  looking.run(threads);
  drop_unread(ids);
  return ids;
}

void FeatureIndex::drop_unread(std::vector<std::vector<std::int32_t>>& ids) const {
  for (std::int32_t f = 0; f < families(); ++f) {
    if (!read_[f]) ids[f] = {};
  }
}

}  // namespace riata
