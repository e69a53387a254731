#include "features/index.hpp"

#include <algorithm>
#include <cstdlib>
#include <limits>
#include <set>
#include <string>
#include <utility>

#include "core/error.hpp"

namespace riata {
namespace {

void check_family(const FamilySpec& spec, std::int32_t family, std::int32_t attributes) {
  const bool ok = spec.parent >= -1 && spec.parent < family && spec.attribute >= 0 && spec.attribute < attributes &&
                  spec.offset >= 0 && spec.offset <= 2 * boundary_reach && (spec.parent >= 0 || spec.offset == 0);
  if (!ok) throw Error("TemplateError", "family " + std::to_string(family) + " of the feature index is inconsistent");
}

void check_back(const HistorySlot& slot) {
  bool ok = !slot.back.empty() && slot.back.front() >= 1 && slot.back.back() <= boundary_reach;
  for (std::size_t k = 1; k < slot.back.size(); ++k) ok = ok && slot.back[k] > slot.back[k - 1];
  if (!ok) throw Error("TemplateError", "the labels that a template reads are inconsistent", "Labels go from label[-1] to label[-8].");
}

// The value an attribute has at position p of a sentence of `length` tokens that starts at token `start`.
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

}  // namespace

FeatureIndex::FeatureIndex(std::vector<FamilySpec> families, const std::vector<TemplateSpec>& templates, std::int32_t attributes,
                           bool transitions, std::vector<HistorySlot> history, std::vector<std::int32_t> columns)
    : specs_(std::move(families)), dictionaries_(specs_.size()),
      first_(specs_.size(), std::numeric_limits<std::int32_t>::max()), last_(specs_.size(), std::numeric_limits<std::int32_t>::min()),
      history_slots_(std::move(history)),
      node_counts_(specs_.size(), 0), edge_counts_(specs_.size(), 0), read_(specs_.size(), 0), attributes_(attributes),
      columns_(std::move(columns)), transitions_(transitions) {
  for (std::int32_t a = 0; columns_.size() < static_cast<std::size_t>(attributes); ++a) columns_.push_back(a);
  if (columns_.size() != static_cast<std::size_t>(attributes) || std::any_of(columns_.begin(), columns_.end(), [](std::int32_t c) { return c < 0; }))
    throw Error("TemplateError", "the columns that attributes read are inconsistent");
  std::vector<std::int32_t> reach(specs_.size(), 0);  // offset of the furthest element of each family's n-gram
  for (std::int32_t f = 0; f < this->families(); ++f) {
    check_family(specs_[f], f, attributes);
    reach[f] = std::max(specs_[f].offset, specs_[f].parent < 0 ? 0 : reach[specs_[f].parent]);
  }
  const auto reads = [&](std::int32_t family, std::int32_t offset) {
    if (family < 0 || family >= this->families()) throw Error("TemplateError", "a template reads family " + std::to_string(family) + ", which does not exist");
    if (offset < -boundary_reach || offset + reach[family] > boundary_reach)
      throw Error("TemplateError", "a template reads further than 8 tokens away", "Offsets go from -8 to 8.");
    read_[family] = 1;
    first_[family] = std::min(first_[family], offset);
    last_[family] = std::max(last_[family], offset);
  };
  std::set<std::pair<std::int32_t, std::int32_t>> seen[2];
  for (const TemplateSpec& t : templates) {
    reads(t.family, t.offset);
    if (!seen[t.edge].insert({t.family, t.offset}).second) throw Error("TemplateError", "two templates read the same family at the same offset");
    auto& counts = t.edge ? edge_counts_ : node_counts_;
    (t.edge ? edge_slots_ : node_slots_).push_back({t.family, t.offset, counts[t.family]++, 0});
  }
  for (const HistorySlot& slot : history_slots_) {
    check_back(slot);
    if (slot.family != -1) reads(slot.family, slot.offset);
  }
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

// Calls visit(padded position, position in the sentence, start, length) wherever the family is read.
template <class Visit>
void FeatureIndex::for_each_position(std::int32_t family, const Tokens& tokens, Visit visit) const {
  if (first_[family] > last_[family]) return;
  for (std::size_t s = 0; s + 1 < tokens.starts.size(); ++s) {
    const std::int64_t start = tokens.starts[s], length = tokens.starts[s + 1] - start;
    const std::int64_t origin = start + 2 * pad_ * static_cast<std::int64_t>(s) + pad_;
    for (std::int64_t p = first_[family]; p <= length - 1 + last_[family]; ++p)
      visit(static_cast<std::size_t>(origin + p), p, start, length);
  }
}

void FeatureIndex::extend(const Tokens& tokens, std::int64_t cutoff) {
  std::vector<std::vector<std::int32_t>> ids(specs_.size());
  for (std::int32_t f = 0; f < families(); ++f) {
    const FamilySpec& spec = specs_[f];
    const auto& above = spec.parent < 0 ? ids[f] : ids[spec.parent];  // unused for a root
    PairIndex fresh;
    std::vector<std::int64_t> counts;
    const auto key = [&](std::size_t at, std::int64_t p, std::int64_t start, std::int64_t length) {
      const std::int32_t parent = spec.parent < 0 ? -1 : above[at];
      return std::pair(parent, spec.parent >= 0 && parent < 0 ? -1 : value_at(tokens.values[spec.attribute], start, length, p + spec.offset));
    };
    for_each_position(f, tokens, [&](std::size_t at, std::int64_t p, std::int64_t start, std::int64_t length) {
      const auto [parent, value] = key(at, p, start, length);
      if (value < 0 || find(f, parent, value) >= 0) return;
      const auto id = static_cast<std::size_t>(fresh.add(parent, value));
      if (id == counts.size()) counts.push_back(0);
      ++counts[id];
    });
    for (std::int32_t id = 0; id < fresh.size(); ++id) {
      if (counts[id] >= cutoff) dictionaries_[f].add(fresh.left(id), fresh.right(id));
    }
    ids[f].assign(padded_size(tokens, pad_), -1);
    for_each_position(f, tokens, [&](std::size_t at, std::int64_t p, std::int64_t start, std::int64_t length) {
      const auto [parent, value] = key(at, p, start, length);
      if (value >= 0) ids[f][at] = find(f, parent, value);
    });
  }
}

std::vector<std::vector<std::int32_t>> FeatureIndex::look_up(const Tokens& tokens) const {
  std::vector<std::vector<std::int32_t>> ids(specs_.size());
  for (std::int32_t f = 0; f < families(); ++f) {
    const FamilySpec& spec = specs_[f];
    ids[f].assign(padded_size(tokens, pad_), -1);
    for_each_position(f, tokens, [&](std::size_t at, std::int64_t p, std::int64_t start, std::int64_t length) {
      const std::int32_t parent = spec.parent < 0 ? -1 : ids[spec.parent][at];
      if (spec.parent >= 0 && parent < 0) return;
      const std::int32_t value = value_at(tokens.values[spec.attribute], start, length, p + spec.offset);
      if (value >= 0) ids[f][at] = find(f, parent, value);
    });
  }
  for (std::int32_t f = 0; f < families(); ++f) {
    if (!read_[f]) ids[f] = {};
  }
  return ids;
}

}  // namespace riata
