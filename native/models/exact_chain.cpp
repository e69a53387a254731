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

bool looks_two_back(const FeatureIndex& index, std::int32_t labels) {
  check_exact(index, labels);
  return order_of(index) == exact_order;
}

}  // namespace

void check_exact(const FeatureIndex& index, std::int32_t labels) {
  const std::int32_t order = order_of(index);
  if (order > exact_order)
    throw Error("UnsupportedError", "exact search looks two labels back; the templates read label[-" + std::to_string(order) + "].", "Use a beam.");
  if (order == exact_order && labels > most_exact_labels)
    throw Error("UnsupportedError", "exact search two labels back takes at most " + std::to_string(most_exact_labels) + " labels, found " + std::to_string(labels) + ".",
                "Use a beam.");
}

template <class Real>
ExactChain<Real>::ExactChain(const FeatureIndex& index, const Weights<Real>& weights, const Constraint<Real>& constraint, const Instances& instances)
    : index_(index), weights_(weights), constraint_(constraint), instances_(instances), two_back_(looks_two_back(index, weights.labels)),
      pairs_(two_back_ ? weights.labels : 0, weights.stride, constraint), history_(weights, instances) {}

template <class Real>
ChainScores<Real>& ExactChain<Real>::open(std::int64_t s) {
  check_length(s);
  score_sentence(index_, weights_, constraint_, instances_, s, scores_.chain);
  scores_.pairs = &pairs_;
  history_.add_label_before(s, scores_.chain);
  if (two_back_) history_.add_two_labels_before(s, scores_);
  return scores_.chain;
}

template <class Real>
void ExactChain<Real>::check_length(std::int64_t s) const {
  constexpr double most = 4.0 * (1 << 30);  // bytes
  if (!two_back_ || double(instances_.length(s)) * double(weights_.square()) * sizeof(Real) <= most) return;
  throw Error("UnsupportedError", "sentence " + std::to_string(s) + " (from 0) has " + std::to_string(instances_.length(s)) + " tokens: too many for exact search two labels back with " +
                                      std::to_string(weights_.labels) + " labels.", "Split it, or use a beam.");
}

template <class Real>
Real ExactChain<Real>::best(std::int32_t* labels) {
  if (!two_back_) return viterbi_(scores_.chain, labels);
  forward_.fill(scores_);
  return forward_.best_labels(labels);
}

template <class Real>
void ExactChain<Real>::open_list() {
  if (two_back_) pair_list_.open(scores_);
  else list_.open(scores_.chain);
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

template class ExactChain<float>;
template class ExactChain<double>;
template std::vector<std::int32_t> decode_history(const FeatureIndex&, const Weights<float>&, const Constraint<float>&, const Instances&, const Poll&);
template std::vector<std::int32_t> decode_history(const FeatureIndex&, const Weights<double>&, const Constraint<double>&, const Instances&, const Poll&);

}  // namespace riata
