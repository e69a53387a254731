// The word types of a folded model: found, computed when they are first met, and added.
#include <mutex>
#include <string>

#include "core/error.hpp"
#include "inference/structures/folded.hpp"

namespace riata {

Folded::Folded(std::shared_ptr<const FoldedWeights> weights) : weights_(std::move(weights)) {
  const FeatureIndex& index = weights_->index;
  place_.resize(index.attributes());
  root_place_.resize(index.families());
  for (std::int32_t a = 0; a < index.attributes(); ++a) {
    if (columns() <= index.column(a)) columns_.resize(std::size_t(index.column(a)) + 1);
    Column& column = columns_[index.column(a)];
    place_[a] = static_cast<std::int32_t>(column.attributes.size());
    column.attributes.push_back(a);
  }
  for (std::size_t k = 0; k < weights_->index.plan().types.size(); ++k)
    columns_[weights_->index.plan().types[k].column].terms.push_back(static_cast<std::int32_t>(k));
  for (const std::int32_t f : weights_->families) {
    if (index.spec(f).parent >= 0) continue;
    Column& column = columns_[index.column(index.spec(f).attribute)];
    root_place_[f] = static_cast<std::int32_t>(column.roots.size());
    column.roots.push_back(f);
  }
  for (Column& column : columns_) {
    constexpr std::size_t some = 4096;  // types for which memory is reserved, so that rows do not move while the first texts are added
    column.rows.reserve(some * column.terms.size() * weights_->weights.stride);
    column.values.reserve(some * column.attributes.size());
    column.root_ids.reserve(some * column.roots.size());
    for (std::int32_t b = 0; b < boundary_values; ++b) append(column, std::vector<std::int32_t>(column.attributes.size(), b));
    const bool limits = &column == &columns_.front() && !weights_->dictionary.sets.starts.empty();
    if (limits && column.attributes.empty())
      throw Error("RiataError", "this model cannot be folded: nothing reads the words of its dictionary");
    if (limits) column.sets.assign(boundary_values, 0);
  }
}

namespace {

constexpr std::size_t longest = 100;  // bytes of a text that is kept

// What a type is known by that has such values: its text or, if that is too long to be kept, the values, after a byte that no text has.
void write_key(std::string_view text, std::span<const std::int32_t> values, std::int32_t set, std::string& key) {
  key = text.size() > longest ? "\xff" : text;
  if (text.size() <= longest) return;
  key.append(reinterpret_cast<const char*>(&set), sizeof set);
  if (!values.empty()) key.append(reinterpret_cast<const char*>(values.data()), values.size_bytes());
}

}  // namespace

std::int64_t Folded::bytes() const {
  constexpr std::size_t per_text = 48;  // bytes that the alphabet takes for a text beside its letters
  std::shared_lock guard(*lock_);
  std::size_t sum = 0;
  for (const Column& column : columns_) {
    sum += 4 * (column.rows.size() + column.values.size() + column.root_ids.size() + column.sets.size());
    sum += column.texts.bytes().size() + per_text * static_cast<std::size_t>(column.texts.size());
  }
  return static_cast<std::int64_t>(sum);
}

// The type of a text that is kept, or -1.
std::int32_t Folded::find(const Column& column, std::string_view text) const noexcept {
  if (text.size() > longest) return -1;
  const std::int32_t id = column.texts.find(text);
  return id < 0 ? -1 : id + boundary_values;
}

// Adds a type and returns its number. values: as in the index, boundaries included.
std::int32_t Folded::append(Column& column, std::span<const std::int32_t> values) {
  const FeatureIndex& index = weights_->index;
  const std::int32_t stride = weights_->weights.stride;
  // The n-gram of a family within this type, or -1. It is found once, however many templates read it.
  constexpr std::int32_t unsought = -2;
  thread_local std::vector<std::int32_t> found;
  found.assign(static_cast<std::size_t>(index.families()), unsought);
  const auto ngram = [&](const auto& self, std::int32_t f) -> std::int32_t {
    if (found[f] != unsought) return found[f];
    const FamilySpec& spec = index.spec(f);
    const std::int32_t parent = spec.parent < 0 ? -1 : self(self, spec.parent), value = values[place_[spec.attribute]];
    return found[f] = value < 0 || (spec.parent >= 0 && parent < 0) ? -1 : index.find(f, parent, value);
  };
  const std::size_t before = column.rows.size();
  column.rows.resize(before + column.terms.size() * stride, 0.0f);
  float* out = column.rows.data() + before;
  for (const std::int32_t k : column.terms) {
    for (const Slot& slot : weights_->index.plan().types[k].slots) {
      const std::int32_t id = ngram(ngram, slot.family);
      if (id >= 0) add_row(weights_->weights.node_row(slot.family, std::size_t(id) * slot.slots + slot.slot), stride, out);
    }
    out += stride;
  }
  for (const std::int32_t f : column.roots) column.root_ids.push_back(ngram(ngram, f));
  column.values.insert(column.values.end(), values.begin(), values.end());
  return column.types++;
}

// The type of a text with such values, which is added if it is new.
std::int32_t Folded::find_or_append(Column& column, std::string_view text, std::span<const std::int32_t> values) {
  thread_local std::string key;
  const std::int32_t set = column.sets.empty() ? 0 : weights_->dictionary.of(text);
  write_key(text, values, set, key);
  if (const std::int32_t id = column.texts.find(key); id >= 0) return id + boundary_values;
  column.texts.add(key);
  if (!column.sets.empty()) column.sets.push_back(set);
  return append(column, values);
}

std::int32_t Folded::compute(Column& column, std::string_view text) {
  thread_local Word word;
  if (!word.read(text)) return -1;
  thread_local std::vector<std::int32_t> values;
  thread_local std::string value;
  values.clear();
  for (const std::int32_t a : column.attributes) {
    const AttributeSource& source = weights_->sources[a];
    if (!source.function) return -1;
    const std::int32_t id = source.function(word, value) ? source.values->find(value) : -1;
    values.push_back(id < 0 ? -1 : id + boundary_values);
  }
  return find_or_append(column, text, values);
}

std::vector<std::int32_t> Folded::resolve(std::int32_t c, const Alphabet& texts, std::span<const std::int32_t> ids,
                                          std::vector<std::int32_t>& missing) {
  constexpr std::int32_t used = -2;
  std::vector<std::int32_t> types(static_cast<std::size_t>(texts.size()), -1);
  for (const std::int32_t id : ids) {
    if (id < 0 || id >= texts.size()) throw Error("RiataError", "a column's ids do not fit its alphabet");
    types[id] = used;
  }
  Column& column = columns_.at(static_cast<std::size_t>(c));
  bool all = true;
  {
    std::shared_lock guard(*lock_);
    for (std::int32_t id = 0; id < texts.size(); ++id) {
      if (types[id] != used) continue;
      const std::int32_t type = find(column, texts.text(id));
      if (type >= 0)
        types[id] = type;
      else
        all = false;
    }
  }
  if (all) return types;
  std::unique_lock guard(*lock_);
  for (std::int32_t id = 0; id < texts.size(); ++id) {
    if (types[id] != used) continue;
    types[id] = find(column, texts.text(id));  // another thread may have added it
    if (types[id] < 0) types[id] = compute(column, texts.text(id));
    if (types[id] < 0) missing.push_back(id);
  }
  return types;
}

bool Folded::resolve(std::int32_t c, std::span<const std::string_view> texts, std::int32_t* types) {
  Column& column = columns_.at(static_cast<std::size_t>(c));
  std::size_t done = 0;
  {
    std::shared_lock guard(*lock_);
    while (done < texts.size() && (types[done] = find(column, texts[done])) >= 0) ++done;
  }
  if (done == texts.size()) return true;
  std::unique_lock guard(*lock_);
  for (; done < texts.size(); ++done) {
    types[done] = find(column, texts[done]);
    if (types[done] < 0) types[done] = compute(column, texts[done]);
    if (types[done] < 0) return false;
  }
  return true;
}

std::int32_t Folded::add(std::int32_t c, std::string_view text, std::span<const std::int32_t> values) {
  Column& column = columns_.at(static_cast<std::size_t>(c));
  if (values.size() != column.attributes.size()) throw Error("RiataError", "the values do not fit the attributes of the column");
  std::vector<std::int32_t> shifted;
  for (const std::int32_t value : values) shifted.push_back(value < 0 ? -1 : value + boundary_values);
  std::unique_lock guard(*lock_);
  return find_or_append(column, text, shifted);
}

}  // namespace riata
