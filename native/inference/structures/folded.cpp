#include "inference/structures/folded.hpp"

#include <algorithm>
#include <mutex>
#include <string>

#include "core/error.hpp"
#include "core/kernels.hpp"
#include "core/tasks.hpp"
#include "features/sentence_runs.hpp"
#include "inference/structures/exact_chain.hpp"

namespace riata {
namespace {

void add_row(const float* row, std::int32_t stride, float* out) noexcept {
  for (std::int32_t j = 0; j < stride; ++j) out[j] += row[j];
}

// The links of a chain, longest n-gram first, each with the rows of the shorter ones added.
std::vector<FoldedWeights::Link> fold(const SumPlan::ChainTerm& term, const FeatureIndex& index, const Weights<float>& weights) {
  const std::int32_t stride = weights.stride;
  std::vector<FoldedWeights::Link> links;
  for (const Slot& slot : term.slots) {
    FoldedWeights::Link link{slot.family, {}};
    link.rows.resize(std::size_t(index.size(slot.family)) * stride);
    for (std::int32_t id = 0; id < index.size(slot.family); ++id) {
      float* out = link.rows.data() + std::size_t(id) * stride;
      if (!links.empty()) std::copy_n(links.back().rows.data() + std::size_t(index.parent(slot.family, id)) * stride, stride, out);
      add_row(weights.node_row(slot.family, std::size_t(id) * slot.slots + slot.slot), stride, out);
    }
    links.push_back(std::move(link));
  }
  std::reverse(links.begin(), links.end());
  return links;
}

}  // namespace

FoldedWeights::FoldedWeights(const FeatureIndex& the_index, const Weights<float>& the_weights, const Constraint<float>& constraint,
                             std::vector<AttributeSource> the_sources)
    : index(the_index),
      weights(the_weights),
      vector(Vector<float>::of(the_weights.flat)),
      sources(std::move(the_sources)),
      first(constraint.start),
      last(constraint.end),
      pairs(states_of(index, weights.labels, constraint)) {
  if (index.hashed() || sources.size() != static_cast<std::size_t>(index.attributes()))
    throw Error("RiataError", "this model cannot be folded");
  const auto reads_label_before = [](const HistorySlot& slot) { return slot.back.back() == 1; };
  shared_edges =
      index.edge_slots().size() <= 1 && std::none_of(index.history_slots().begin(), index.history_slots().end(), reads_label_before);
  std::vector<std::uint8_t> needed(index.families(), 0);
  for (const SumPlan::ChainTerm& term : index.plan().chains) {
    chains.push_back({term.offset, fold(term, index, weights)});
    needed[term.slots.back().family] = 1;
  }
  fold_edges(constraint);
  const auto reads = [&](std::int32_t family, std::int32_t offset) {
    if (family >= 0) pad = std::max({pad, -offset, offset + index.reach(family)});
  };
  for (const Slot& slot : index.node_slots()) reads(slot.family, slot.offset);
  for (const Slot& slot : index.edge_slots()) reads(slot.family, slot.offset), needed[slot.family] = 1;
  for (const HistorySlot& slot : index.history_slots()) {
    reads(slot.family, slot.offset);
    if (slot.family >= 0) needed[slot.family] = 1;
  }
  for (std::int32_t f = index.families() - 1; f >= 0; --f) {
    if (needed[f] && index.spec(f).parent >= 0) needed[index.spec(f).parent] = 1;
  }
  for (std::int32_t f = 0; f < index.families(); ++f) {
    if (needed[f]) families.push_back(f);
  }
}

// As scores are added up without folding: the constraint, then the transitions, then what edge templates say.
void FoldedWeights::fold_edges(const Constraint<float>& constraint) {
  const std::vector<Slot>& slots = index.edge_slots();
  std::vector<float> plain = constraint.follow;
  if (slots.empty() || index.transitions()) {
    for (std::size_t k = 0; k < plain.size(); ++k) plain[k] += weights.transition_row()[k];
  }
  const auto ngrams = shared_edges && !slots.empty() ? static_cast<std::size_t>(index.size(slots.front().family)) : 0;
  edges.resize((ngrams + 1) * plain.size());
  for (std::size_t id = 0; id < ngrams; ++id) {
    const float* row = weights.edge_row(slots.front().family, id);
    for (std::size_t k = 0; k < plain.size(); ++k) edges[id * plain.size() + k] = plain[k] + row[k];
  }
  std::copy(plain.begin(), plain.end(), edges.end() - static_cast<std::ptrdiff_t>(plain.size()));
}

// What one thread needs to decode sentence after sentence.
struct Folded::Scratch {
  struct TypeRead {
    const std::int32_t* types;  // [length]
    const float* rows;          // of type 0
    std::size_t step;           // from type to type
  };
  struct LinkRead {
    const std::int32_t* ids;  // [length]
    const float* rows;
    bool last;  // of its chain
  };

  explicit Scratch(const FoldedWeights& folded) : open(riata::rows_of(folded.weights, folded.vector), folded.pairs) {}

  OpenChain<float> open;
  std::vector<const std::int32_t*> ngrams;       // of templates that read earlier labels
  std::vector<std::vector<std::int32_t>> types;  // [columns][padded length]
  std::vector<std::vector<std::int32_t>> ids;    // [families][padded length]
  std::vector<TypeRead> type_reads;
  std::vector<LinkRead> link_reads;
  static constexpr std::int32_t ahead = 16;  // tokens whose rows are gathered at once
  std::vector<const float*> rows;            // [ahead][reads]
  std::int64_t counts[ahead];

  const float** rows_of(std::int32_t k) noexcept { return rows.data() + std::size_t(k) * (type_reads.size() + link_reads.size()); }

  // Finds the rows of token t, as the k-th.
  void gather(std::int32_t t, std::int32_t k, std::int32_t stride) noexcept {
    const float** out = rows_of(k);
    std::int64_t count = 0;
    const auto take = [&](const float* row) {
      for (std::int32_t j = 0; j < stride; j += 16) __builtin_prefetch(row + j);
      out[count++] = row;
    };
    for (const TypeRead& read : type_reads) take(read.rows + std::size_t(read.types[t]) * read.step);
    for (auto read = link_reads.begin(); read != link_reads.end(); ++read) {
      const std::int32_t id = read->ids[t];
      if (id < 0) continue;
      take(read->rows + std::size_t(id) * stride);
      while (!read->last) ++read;  // the longest n-gram speaks for the shorter ones
    }
    counts[k] = count;
  }
};

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
    constexpr std::size_t some = 4096;  // types, so that the first texts do not move the rows again and again
    column.rows.reserve(some * column.terms.size() * weights_->weights.stride);
    column.values.reserve(some * column.attributes.size());
    column.root_ids.reserve(some * column.roots.size());
    for (std::int32_t b = 0; b < boundary_values; ++b) append(column, std::vector<std::int32_t>(column.attributes.size(), b));
  }
}

std::int64_t Folded::bytes() const {
  std::shared_lock guard(*lock_);
  std::size_t numbers = 0;
  for (const Column& column : columns_) numbers += column.rows.size() + column.values.size() + column.root_ids.size();
  return static_cast<std::int64_t>(4 * numbers);
}

std::int32_t Folded::find(const Column& column, std::string_view text) const noexcept {
  const std::int32_t id = column.texts.find(text);
  return id < 0 ? -1 : id + boundary_values;
}

// Values are as the index knows them: boundaries first. Gives the number of the new type.
std::int32_t Folded::append(Column& column, std::span<const std::int32_t> values) {
  const FeatureIndex& index = weights_->index;
  const std::int32_t stride = weights_->weights.stride;
  // The n-gram that a family has within the type, or -1: found once, however many templates read it.
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

std::int32_t Folded::compute(Column& column, std::string_view text) {
  if (!is_ascii(text)) return -1;
  thread_local std::vector<std::int32_t> values;
  thread_local std::string value;
  values.clear();
  for (const std::int32_t a : column.attributes) {
    const AttributeSource& source = weights_->sources[a];
    if (!source.function) return -1;
    const std::int32_t id = source.function(text, value) ? source.values->find(value) : -1;
    values.push_back(id < 0 ? -1 : id + boundary_values);
  }
  column.texts.add(text);
  return append(column, values);
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
    types[id] = find(column, texts.text(id));  // another thread may have been faster
    if (types[id] < 0) types[id] = compute(column, texts.text(id));
    if (types[id] < 0) missing.push_back(id);
  }
  return types;
}

bool Folded::resolve(std::int32_t c, std::span<const std::string_view> texts, std::int32_t* types) {
  Column& column = columns_.at(static_cast<std::size_t>(c));
  std::size_t known = 0;
  {
    std::shared_lock guard(*lock_);
    while (known < texts.size() && (types[known] = find(column, texts[known])) >= 0) ++known;
  }
  if (known == texts.size()) return true;
  std::unique_lock guard(*lock_);
  for (; known < texts.size(); ++known) {
    types[known] = find(column, texts[known]);
    if (types[known] < 0) types[known] = compute(column, texts[known]);
    if (types[known] < 0) return false;
  }
  return true;
}

std::int32_t Folded::add(std::int32_t c, std::string_view text, std::span<const std::int32_t> values) {
  Column& column = columns_.at(static_cast<std::size_t>(c));
  if (values.size() != column.attributes.size()) throw Error("RiataError", "the values do not fit the attributes of the column");
  std::vector<std::int32_t> shifted;
  for (const std::int32_t value : values) shifted.push_back(value < 0 ? -1 : value + boundary_values);
  std::unique_lock guard(*lock_);
  if (const std::int32_t type = find(column, text); type >= 0) return type;
  column.texts.add(text);
  return append(column, shifted);
}

// The types at every position of the sentence, and what stands for those outside it.
void Folded::place_types(const std::vector<std::vector<std::int32_t>>& types, std::int64_t start, std::int32_t length,
                         Scratch& scratch) const {
  const std::int32_t pad = weights_->pad;
  scratch.types.resize(columns_.size());
  for (std::size_t c = 0; c < columns_.size(); ++c) {
    if (columns_[c].attributes.empty()) continue;
    std::vector<std::int32_t>& here = scratch.types[c];
    here.resize(static_cast<std::size_t>(length) + 2 * pad);
    std::copy_n(types[c].data() + start, length, here.data() + pad);
    for (std::int32_t k = 0; k < pad; ++k) {
      here[pad - 1 - k] = k;
      here[pad + length + k] = boundary_reach + k;
    }
  }
}

// The n-grams at every position, of the families that chains and edges read.
void Folded::find_ngrams(std::int32_t length, Scratch& scratch) const {
  const FeatureIndex& index = weights_->index;
  const std::int32_t positions = length + 2 * weights_->pad;
  scratch.ids.resize(static_cast<std::size_t>(index.families()));
  for (const std::int32_t f : weights_->families) {
    const FamilySpec& spec = index.spec(f);
    const Column& column = columns_[index.column(spec.attribute)];
    const std::int32_t* type = scratch.types[index.column(spec.attribute)].data();
    std::vector<std::int32_t>& ids = scratch.ids[f];
    ids.assign(static_cast<std::size_t>(positions), -1);
    if (spec.parent < 0) {
      const std::int32_t* root_ids = column.root_ids.data() + root_place_[f];
      for (std::int32_t q = 0; q < positions; ++q) ids[q] = root_ids[std::size_t(type[q]) * column.roots.size()];
      continue;
    }
    const std::vector<std::int32_t>& parents = scratch.ids[spec.parent];
    const std::int32_t* values = column.values.data() + place_[spec.attribute];
    for (std::int32_t q = 0; q < positions - spec.offset; ++q) {
      const std::int32_t value = values[std::size_t(type[q + spec.offset]) * column.attributes.size()];
      if (parents[q] >= 0 && value >= 0) ids[q] = index.find(f, parents[q], value);
    }
  }
}

void Folded::score(const std::vector<std::vector<std::int32_t>>& types, std::int64_t start, std::int32_t length, Scratch& scratch) const {
  const FoldedWeights& folded = *weights_;
  const std::int32_t stride = folded.weights.stride, pad = folded.pad;
  place_types(types, start, length, scratch);
  find_ngrams(length, scratch);

  scratch.type_reads.clear();
  for (const Column& column : columns_) {
    const std::size_t step = column.terms.size() * stride;
    for (std::size_t k = 0; k < column.terms.size(); ++k) {
      const SumPlan::TypeTerm& term = folded.index.plan().types[column.terms[k]];
      scratch.type_reads.push_back({scratch.types[term.column].data() + pad + term.offset, column.rows.data() + k * stride, step});
    }
  }
  scratch.link_reads.clear();
  for (const FoldedWeights::Chain& chain : folded.chains) {
    for (const FoldedWeights::Link& link : chain.links)
      scratch.link_reads.push_back({scratch.ids[link.family].data() + pad + chain.offset, link.rows.data(), &link == &chain.links.back()});
  }
  scratch.rows.resize((scratch.type_reads.size() + scratch.link_reads.size()) * Scratch::ahead);

  ChainScores<float>& chain = scratch.open.chain();
  chain.length = length;
  chain.labels = folded.weights.labels;
  chain.stride = stride;
  chain.node.assign(std::size_t(length) * stride, 0.0f);
  // Rows come from all over memory: those of several tokens are asked for before the first is needed.
  for (std::int32_t t = 0; t < length; t += Scratch::ahead) {
    const std::int32_t end = std::min(t + Scratch::ahead, length);
    for (std::int32_t u = t; u < end; ++u) scratch.gather(u, u - t, stride);
    for (std::int32_t u = t; u < end; ++u)
      sum_rows(scratch.rows_of(u - t), scratch.counts[u - t], stride, chain.node.data() + std::size_t(u) * stride);
  }
  add_row(folded.first.data(), stride, chain.node.data());
  add_row(folded.last.data(), stride, chain.node.data() + std::size_t(length - 1) * stride);

  score_edges(length, scratch);
  scratch.ngrams.clear();
  for (const HistorySlot& slot : folded.index.history_slots())
    scratch.ngrams.push_back(slot.family < 0 ? nullptr : scratch.ids[slot.family].data() + pad + slot.offset);
  scratch.open.add_history(scratch.ngrams);
}

void Folded::score_edges(std::int32_t length, Scratch& scratch) const {
  const FoldedWeights& folded = *weights_;
  const std::vector<Slot>& slots = folded.index.edge_slots();
  const std::size_t square = folded.weights.square();
  const float* plain = folded.edges.data() + (folded.edges.size() - square);
  const auto ids_of = [&](const Slot& slot) { return scratch.ids[slot.family].data() + folded.pad + slot.offset; };
  ChainScores<float>& chain = scratch.open.chain();
  chain.edge_per_token = !slots.empty();
  if (folded.shared_edges) {
    chain.shared_edge.assign(static_cast<std::size_t>(length), plain);
    for (std::int32_t t = 0; t < length && !slots.empty(); ++t) {
      if (const std::int32_t id = ids_of(slots.front())[t]; id >= 0) chain.shared_edge[t] = folded.edges.data() + std::size_t(id) * square;
    }
    return;
  }
  const std::size_t tables = chain.edge_per_token ? static_cast<std::size_t>(length) : 1;
  chain.edge.resize(tables * square);
  for (std::size_t t = 0; t < tables; ++t) std::copy_n(plain, square, chain.edge.data() + t * square);
  for (const Slot& slot : slots) {
    const std::int32_t* ids = ids_of(slot);
    for (std::int32_t t = 1; t < length; ++t) {
      if (ids[t] >= 0)
        add_row(folded.weights.edge_row(slot.family, std::size_t(ids[t]) * slot.slots + slot.slot), static_cast<std::int32_t>(square),
                chain.edge.data() + t * square);
    }
  }
}

void Folded::check(const std::vector<std::vector<std::int32_t>>& types, std::span<const std::int64_t> starts) const {
  std::shared_lock guard(*lock_);
  bool ok = types.size() == columns_.size() && !starts.empty() && starts.front() == 0;
  for (std::size_t s = 1; s < starts.size(); ++s) ok = ok && starts[s] >= starts[s - 1];
  for (std::size_t c = 0; ok && c < columns_.size(); ++c) {
    if (columns_[c].attributes.empty()) continue;
    ok = types[c].size() == static_cast<std::size_t>(starts.back());
    for (const std::int32_t type : types[c]) ok = ok && type >= boundary_values && type < columns_[c].types;
  }
  if (!ok) throw Error("RiataError", "the types do not fit the sentences");
}

std::vector<std::int32_t> Folded::decode(const std::vector<std::vector<std::int32_t>>& types, std::span<const std::int64_t> starts,
                                         std::int32_t threads, const Poll& poll) const {
  check(types, starts);
  std::vector<std::int32_t> labels(static_cast<std::size_t>(starts.back()), -1);
  const auto label = [&](Sentences some) {
    Scratch scratch(*weights_);
    PollClock clock(weights_->weights.labels);
    std::shared_lock guard(*lock_);
    for (std::size_t s = some.first; s < some.end; ++s) {
      const auto length = static_cast<std::int32_t>(starts[s + 1] - starts[s]);
      if (clock.due(length)) {  // whoever is asked may wait for something that a thread holds which waits for the lock
        guard.unlock();
        if (!poll(static_cast<std::int64_t>(s))) return;
        guard.lock();
      }
      if (length == 0) continue;
      if (scratch.open.two_back()) check_two_back<float>(static_cast<std::int64_t>(s), length, weights_->weights.labels);
      score(types, starts[s], length, scratch);
      scratch.open.best(labels.data() + starts[s]);
    }
  };
  if (threads <= 1) {
    label({0, starts.size() - 1});
    return labels;
  }
  constexpr std::int64_t pieces = 4;  // for each thread, so that none waits long for the others
  Tasks tasks;
  for (const Sentences& some : shared_out(starts, pieces * threads)) tasks.add([&, some] { label(some); });
  tasks.run(threads);
  return labels;
}

}  // namespace riata
