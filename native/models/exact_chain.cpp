#include "models/exact_chain.hpp"

#include <algorithm>
#include <string>

#include "core/error.hpp"

namespace riata {
namespace {

std::int32_t order_of(const FeatureIndex& index) {
  std::int32_t order = 0;
  for (const HistorySlot& slot : index.history_slots()) order = std::max(order, slot.back.back());
  return order;
}

}  // namespace

void check_exact(const FeatureIndex& index, std::int32_t labels) {
  const std::int32_t order = order_of(index);
  if (order > exact_order)
    throw Error("UnsupportedError", "exact search looks two labels back; the templates read label[-" + std::to_string(order) + "].",
                "Use a beam.");
  if (order == exact_order && labels > most_exact_labels)
    throw Error("UnsupportedError",
                "exact search two labels back takes at most " + std::to_string(most_exact_labels) + " labels, found " +
                    std::to_string(labels) + ".",
                "Use a beam.");
}

template <class Real>
LabelPairs states_of(const FeatureIndex& index, const Weights<Real>& weights, const Constraint<Real>& constraint) {
  check_exact(index, weights.labels);
  return LabelPairs(order_of(index) == exact_order ? weights.labels : 0, weights.stride, constraint);
}

template <class Real>
void check_two_back(std::int64_t sentence, std::int64_t length, const Weights<Real>& weights) {
  constexpr double most = 4.0 * (1 << 30);  // bytes
  if (double(length) * double(weights.square()) * sizeof(Real) <= most) return;
  throw Error("UnsupportedError",
              "sentence " + std::to_string(sentence) + " (from 0) has " + std::to_string(length) +
                  " tokens: too many for exact search two labels back with " + std::to_string(weights.labels) + " labels.",
              "Split it, or use a beam.");
}

template <class Real>
ExactChain<Real>::ExactChain(const FeatureIndex& index, const Weights<Real>& weights, const Constraint<Real>& constraint,
                             const Instances& instances)
    : index_(index),
      weights_(weights),
      constraint_(constraint),
      instances_(instances),
      pairs_(states_of(index, weights, constraint)),
      open_(weights, pairs_),
      ngrams_(index.history_slots().size(), nullptr) {}

template <class Real>
ChainScores<Real>& ExactChain<Real>::open(std::int64_t s) {
  if (two_back()) check_two_back(s, instances_.length(s), weights_);
  score_sentence(index_, weights_, constraint_, instances_, s, open_.chain());
  for (std::size_t k = 0; k < ngrams_.size(); ++k) {
    const HistorySlot& slot = index_.history_slots()[k];
    if (slot.family >= 0) ngrams_[k] = instances_.ngrams[slot.family].data() + instances_.origin(s) + slot.offset;
  }
  open_.add_history(ngrams_);
  return open_.chain();
}

template <class Real>
void ExactChain<Real>::open_list() {
  if (two_back())
    pair_list_.open(*two_back());
  else
    list_.open(open_.chain());
}

template <class Real>
std::vector<std::int32_t> decode_history(const FeatureIndex& index, const Weights<Real>& weights, const Constraint<Real>& constraint,
                                         const Instances& instances, const Poll& poll) {
  ExactChain<Real> chain(index, weights, constraint, instances);
  std::vector<std::int32_t> labels(static_cast<std::size_t>(instances.tokens()), -1);
  PollClock clock(weights.labels);
  for (std::int64_t s = 0; s < instances.sentences(); ++s) {
    if (clock.due(instances.length(s)) && !poll(s)) break;
    if (instances.length(s) == 0) continue;
    chain.open(s);
    chain.best(labels.data() + instances.starts[s]);
  }
  return labels;
}

template LabelPairs states_of(const FeatureIndex&, const Weights<float>&, const Constraint<float>&);
template LabelPairs states_of(const FeatureIndex&, const Weights<double>&, const Constraint<double>&);
template void check_two_back(std::int64_t, std::int64_t, const Weights<float>&);
template void check_two_back(std::int64_t, std::int64_t, const Weights<double>&);
template class ExactChain<float>;
template class ExactChain<double>;
template std::vector<std::int32_t> decode_history(const FeatureIndex&, const Weights<float>&, const Constraint<float>&, const Instances&,
                                                  const Poll&);
template std::vector<std::int32_t> decode_history(const FeatureIndex&, const Weights<double>&, const Constraint<double>&, const Instances&,
                                                  const Poll&);

}  // namespace riata
