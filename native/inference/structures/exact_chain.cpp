#include "inference/structures/exact_chain.hpp"

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
LabelPairs states_of(const FeatureIndex& index, std::int32_t labels, const Constraint<Real>& constraint) {
  check_exact(index, labels);
  return LabelPairs(order_of(index) == exact_order ? labels : 0, constraint);
}

template <class Real>
void check_two_back(std::int64_t sentence, std::int64_t length, std::int32_t labels, bool truncated) {
  constexpr double most = 4.0 * (1 << 30);                                 // bytes
  const double rows = double(length) * labels * (truncated ? labels : 1);  // truncated scores of pairs of labels have rows of their own
  if (rows * padded(labels) * sizeof(Real) <= most) return;
  throw Error("UnsupportedError",
              "sentence " + std::to_string(sentence) + " (from 0) has " + std::to_string(length) +
                  " tokens: too many for exact search two labels back with " + std::to_string(labels) + " labels.",
              "Split it, or use a beam.");
}

template <class Real>
ExactChain<Real>::ExactChain(const FeatureIndex& index, const ChainRows<Real>& rows, const Constraint<Real>& constraint,
                             const Instances& instances)
    : index_(index),
      instances_(instances),
      labels_(rows.labels()),
      scorer_(index, rows, constraint, instances),
      pairs_(states_of(index, rows.labels(), constraint)),
      open_(rows, pairs_),
      ngrams_(index.history_slots().size(), nullptr) {}

template <class Real>
ChainScores<Real>& ExactChain<Real>::open(std::int64_t s) {
  if (two_back()) check_two_back<Real>(s, instances_.length(s), labels_, open_.truncated());
  scorer_(s, open_.chain());
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

template LabelPairs states_of(const FeatureIndex&, std::int32_t, const Constraint<float>&);
template LabelPairs states_of(const FeatureIndex&, std::int32_t, const Constraint<double>&);
template void check_two_back<float>(std::int64_t, std::int64_t, std::int32_t, bool);
template void check_two_back<double>(std::int64_t, std::int64_t, std::int32_t, bool);
template class ExactChain<float>;
template class ExactChain<double>;

}  // namespace riata
