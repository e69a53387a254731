#include "models/chain.hpp"

#include <algorithm>
#include <string>

#include "core/error.hpp"
#include "inference/legal_labels.hpp"
#include "models/exact_chain.hpp"
#include "models/local.hpp"
#include "models/planned_rows.hpp"
#include "models/row_reader.hpp"

namespace riata {

template <class Real>
void check_fit(const FeatureIndex& index, const Weights<Real>& weights, const Instances& instances) {
  bool fits = instances.sizes.size() == static_cast<std::size_t>(index.families()) && instances.pad == index.pad() &&
              weights.node.size() == instances.sizes.size() && weights.edge.size() == instances.sizes.size() &&
              instances.hashed == index.hashed();
  if (index.hashed()) {
    const HashTable table = index.table(weights.labels, weights.stride);
    fits = fits && table.fits() && weights.given.size() == std::size_t(table.rows()) * weights.stride;
  } else {
    fits = fits && std::size_t(instances.given_size) * weights.stride <= weights.given.size();
  }
  for (std::int32_t f = 0; fits && f < index.families(); ++f) {
    const auto known = std::size_t(instances.sizes[f]);
    fits = known <= std::size_t(index.size(f)) && known * index.node_slots_of(f) * weights.stride <= weights.node[f].size() &&
           known * index.edge_slots_of(f) * weights.square() <= weights.edge[f].size();
  }
  fits = fits && weights.history.slots().size() == index.history_slots().size() &&
         weights.history_rows.size() == std::size_t(weights.history.rows()) * weights.stride;
  if (!fits) throw Error("RiataError", "the instances were made with another feature index than the weights");
}

template <class Real>
void score_sentence(const FeatureIndex& index, const Weights<Real>& weights, const Constraint<Real>& constraint, const Instances& instances,
                    std::int64_t s, ChainScores<Real>& chain) {
  const auto T = static_cast<std::int32_t>(instances.length(s));
  const std::int32_t stride = weights.stride;
  chain.length = T;
  chain.labels = weights.labels;
  chain.stride = stride;
  chain.edge_per_token = !index.edge_slots().empty();
  chain.node.assign(std::size_t(T) * stride, Real{0});
  chain.edge.resize(weights.square() * (chain.edge_per_token ? T : 1));
  if (!chain.edge_per_token) {
    for (std::size_t k = 0; k < weights.square(); ++k) chain.edge[k] = weights.transition[k] + constraint.follow[k];
  }
  PlannedRows<Real> nodes(index, weights, instances);
  const RowReader rows(index, weights, instances);
  for (std::int32_t t = 0; t < T; ++t) {
    nodes.add(s, t, chain.node.data() + std::size_t(t) * stride);
    Real* out_edge = chain.edge_per_token ? chain.edge.data() + std::size_t(t) * weights.square() : nullptr;
    if (out_edge) std::copy(constraint.follow.begin(), constraint.follow.end(), out_edge);
    if (!out_edge) continue;
    rows.edges(s, t, [&](const Real* row, float value) {
      for (std::size_t k = 0; k < weights.square(); ++k) out_edge[k] += row[k] * Real(value);
    });
  }
  Real* first = chain.node.data();
  Real* last = chain.node.data() + std::size_t(T - 1) * stride;
  for (std::int32_t j = 0; j < stride; ++j) first[j] += constraint.start[j];
  for (std::int32_t j = 0; j < stride; ++j) last[j] += constraint.end[j];
  if (weights.local) normalise_locally(chain);
  LegalLabels legal;
  legal.open(constraint, weights.labels, stride, instances.allowed, instances.starts[s], T);
  for (std::int32_t t = 0; t < T; ++t) legal.forbid(t, chain.node.data() + std::size_t(t) * stride);
}

template <class Real>
std::vector<std::int32_t> decode(const FeatureIndex& index, const Weights<Real>& weights, const Constraint<Real>& constraint,
                                 const Instances& instances, const Poll& poll) {
  check_fit(index, weights, instances);
  if (!index.history_slots().empty()) return decode_history(index, weights, constraint, instances, poll);
  std::vector<std::int32_t> labels(static_cast<std::size_t>(instances.tokens()), -1);
  ChainScores<Real> chain;
  Viterbi<Real> viterbi;
  PollClock clock(weights.labels);
  for (std::int64_t s = 0; s < instances.sentences(); ++s) {
    if (clock.due(instances.length(s)) && !poll(s)) break;
    if (instances.length(s) == 0) continue;
    score_sentence(index, weights, constraint, instances, s, chain);
    viterbi(chain, labels.data() + instances.starts[s]);
  }
  return labels;
}

// What the labels before token t of a path say of its label.
template <class Real>
static double history_score(const Weights<Real>& weights, const Instances& instances, std::int64_t s, std::int32_t t,
                            const std::int32_t* path) {
  const HistoryIndex& history = weights.history;
  std::vector<std::int32_t> before(static_cast<std::size_t>(history.order()), HistoryIndex::outside);
  for (std::int32_t k = 1; k <= std::min(history.order(), t); ++k) before[k - 1] = path[t - k] + 1;
  double score = 0;
  for (std::int32_t slot = 0; slot < static_cast<std::int32_t>(history.slots().size()); ++slot) {
    const std::int32_t ngram = history_ngram(history.slots()[slot], instances, s, t);
    const std::int32_t row = ngram == unseen ? -1 : history.find(slot, ngram, before);
    if (row >= 0) score += weights.history_row(std::size_t(row))[path[t]];
  }
  return score;
}

template <class Real>
std::vector<double> scores_of(const FeatureIndex& index, const Weights<Real>& weights, const Constraint<Real>& constraint,
                              const Instances& instances, std::span<const std::int32_t> labels) {
  check_fit(index, weights, instances);
  std::vector<double> scores(static_cast<std::size_t>(instances.sentences()), 0.0);
  ChainScores<Real> chain;
  for (std::int64_t s = 0; s < instances.sentences(); ++s) {
    if (instances.length(s) == 0) continue;
    score_sentence(index, weights, constraint, instances, s, chain);
    const std::int32_t* path = labels.data() + instances.starts[s];
    for (std::int32_t t = 0; t < chain.length; ++t) {
      scores[s] += chain.node[std::size_t(t) * chain.stride + path[t]];
      if (t > 0) scores[s] += chain.edge_into(t)[std::size_t(path[t - 1]) * chain.stride + path[t]];
      scores[s] += history_score(weights, instances, s, t, path);
    }
  }
  return scores;
}

template std::vector<double> scores_of(const FeatureIndex&, const Weights<float>&, const Constraint<float>&, const Instances&,
                                       std::span<const std::int32_t>);
template std::vector<double> scores_of(const FeatureIndex&, const Weights<double>&, const Constraint<double>&, const Instances&,
                                       std::span<const std::int32_t>);
template void check_fit(const FeatureIndex&, const Weights<float>&, const Instances&);
template void check_fit(const FeatureIndex&, const Weights<double>&, const Instances&);
template void score_sentence(const FeatureIndex&, const Weights<float>&, const Constraint<float>&, const Instances&, std::int64_t,
                             ChainScores<float>&);
template void score_sentence(const FeatureIndex&, const Weights<double>&, const Constraint<double>&, const Instances&, std::int64_t,
                             ChainScores<double>&);
template std::vector<std::int32_t> decode(const FeatureIndex&, const Weights<float>&, const Constraint<float>&, const Instances&,
                                          const Poll&);
template std::vector<std::int32_t> decode(const FeatureIndex&, const Weights<double>&, const Constraint<double>&, const Instances&,
                                          const Poll&);

}  // namespace riata
