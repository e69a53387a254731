// Folds the weights of a chain model: the rows of n-grams and of label pairs.
#include <algorithm>

#include "core/error.hpp"
#include "inference/structures/exact_chain.hpp"
#include "inference/structures/folded.hpp"

namespace riata {
namespace {

// The links of a chain, longest n-gram first. Each row includes the rows of the shorter n-grams.
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

FoldedWeights::FoldedWeights(const FeatureIndex& the_index, const Weights<float>& the_weights, const Constraint<float>& the_constraint,
                             std::vector<AttributeSource> the_sources, WordChoices the_dictionary)
    : index(the_index),
      weights(the_weights),
      vector(Vector<float>::of(the_weights.flat)),
      sources(std::move(the_sources)),
      constraint(the_constraint),
      dictionary(std::move(the_dictionary)),
      masks(constraint, weights.labels, dictionary.sets),
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
  fold_edges();
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

// Adds up the scores of label pairs in the order that ChainScorer uses: the constraint, the transitions, then edge templates.
void FoldedWeights::fold_edges() {
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

}  // namespace riata
