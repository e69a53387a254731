// Decoding with a folded model: the scores of a sentence are sums of the rows of its types and n-grams.
#include "inference/structures/folded.hpp"

#include <algorithm>
#include <mutex>
#include <optional>

#include "core/error.hpp"
#include "core/kernels.hpp"
#include "core/tasks.hpp"
#include "features/sentence_runs.hpp"
#include "inference/structures/chain_risk.hpp"
#include "inference/structures/exact_chain.hpp"

namespace riata {

// The memory that one thread needs to decode one sentence after another.
struct Folded::Scratch {
  struct TypeRead {
    const std::int32_t* types;  // [length] the type at each token
    const float* rows;          // row of type 0
    std::size_t step;           // distance from the row of a type to that of the next type
  };
  struct LinkRead {
    const std::int32_t* ids;  // [length] the n-gram at each token, -1: unknown
    const float* rows;
    bool last;  // whether this is the last link of its chain
  };

  explicit Scratch(const FoldedWeights& folded)
      : open(riata::rows_of(folded.weights, folded.vector), folded.pairs), possible(folded.masks) {}

  OpenChain<float> open;
  PossibleLabels<float> possible;
  std::vector<std::int32_t> sets;                // [length] sets of labels in the dictionary
  std::vector<const std::int32_t*> ngrams;       // n-grams of the templates that read earlier labels
  std::vector<std::vector<std::int32_t>> types;  // [columns][padded length]
  std::vector<std::vector<std::int32_t>> ids;    // [families][padded length]
  std::vector<TypeRead> type_reads;
  std::vector<LinkRead> link_reads;
  static constexpr std::int32_t ahead = 16;  // how many tokens' rows are gathered at once
  std::vector<const float*> rows;            // [ahead][reads]
  std::int64_t counts[ahead];

  const float** rows_of(std::int32_t k) noexcept { return rows.data() + std::size_t(k) * (type_reads.size() + link_reads.size()); }

  // Collects the rows of token t as the k-th of the tokens that are gathered at once.
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
      while (!read->last) ++read;  // the row of the longest n-gram contains those of the shorter ones
    }
    counts[k] = count;
  }
};

// Writes the types at all positions of the sentence, with the boundary values for positions outside it.
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

// Finds the n-grams at all positions, for the families that chains, edges and earlier labels read.
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
  // Rows are spread over memory, so rows of several tokens are prefetched before the first one is needed.
  for (std::int32_t t = 0; t < length; t += Scratch::ahead) {
    const std::int32_t end = std::min(t + Scratch::ahead, length);
    for (std::int32_t u = t; u < end; ++u) scratch.gather(u, u - t, stride);
    for (std::int32_t u = t; u < end; ++u)
      sum_rows(scratch.rows_of(u - t), scratch.counts[u - t], stride, chain.node.data() + std::size_t(u) * stride);
  }
  add_row(folded.constraint.start.data(), stride, chain.node.data());
  add_row(folded.constraint.end.data(), stride, chain.node.data() + std::size_t(length - 1) * stride);
  if (!columns_.front().sets.empty()) keep_to_dictionary(types.front(), start, scratch);

  score_edges(length, scratch);
  scratch.ngrams.clear();
  for (const HistorySlot& slot : folded.index.history_slots())
    scratch.ngrams.push_back(slot.family < 0 ? nullptr : scratch.ids[slot.family].data() + pad + slot.offset);
  scratch.open.add_history(scratch.ngrams);
}

void Folded::keep_to_dictionary(const std::vector<std::int32_t>& types, std::int64_t start, Scratch& scratch) const {
  ChainScores<float>& chain = scratch.open.chain();
  scratch.sets.resize(static_cast<std::size_t>(chain.length));
  for (std::int32_t t = 0; t < chain.length; ++t)
    scratch.sets[static_cast<std::size_t>(t)] = columns_.front().sets[static_cast<std::size_t>(types[static_cast<std::size_t>(start + t)])];
  scratch.possible.find(scratch.sets.data(), Allowed(), 0, chain.length);
  chain.limited = scratch.possible.limits();
  for (std::int32_t t = 0; t < chain.length; ++t) scratch.possible.keep_to_dictionary(t, chain.node.data() + std::size_t(t) * chain.stride);
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
                                         std::int32_t threads, const Poll& poll, const Risk* risk) const {
  check(types, starts);
  std::vector<std::int32_t> labels(static_cast<std::size_t>(starts.back()), -1);
  const auto label = [&](Sentences some) {
    Scratch scratch(*weights_);
    std::optional<ChainRisk<float>> by_risk;
    if (risk != nullptr) by_risk.emplace(weights_->weights.labels, weights_->constraint, *risk);
    PollClock clock(weights_->weights.labels);
    std::shared_lock guard(*lock_);
    for (std::size_t s = some.first; s < some.end; ++s) {
      const auto length = static_cast<std::int32_t>(starts[s + 1] - starts[s]);
      // The lock is released during the poll, which may wait for a lock that another thread holds while it waits for this one.
      if (clock.due(length)) {
        guard.unlock();
        if (!poll(static_cast<std::int64_t>(s))) return;
        guard.lock();
      }
      if (length == 0) continue;
      if (scratch.open.two_back())
        check_two_back<float>(static_cast<std::int64_t>(s), length, weights_->weights.labels, scratch.open.truncated());
      score(types, starts[s], length, scratch);
      if (by_risk)
        (*by_risk)(scratch.open, labels.data() + starts[s]);
      else
        scratch.open.best(labels.data() + starts[s]);
    }
  };
  if (threads <= 1) {
    label({0, starts.size() - 1});
    return labels;
  }
  constexpr std::int64_t pieces = 4;  // runs of sentences per thread, so that no thread waits long for the others
  Tasks tasks;
  for (const Sentences& some : shared_out(starts, pieces * threads)) tasks.add([&, some] { label(some); });
  tasks.run(threads);
  return labels;
}

}  // namespace riata
