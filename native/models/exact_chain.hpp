// Exact search on the sentences of a corpus, as far back as the templates of the model look.
#pragma once

#include <cstdint>
#include <optional>

#include "inference/exact/kbest.hpp"
#include "inference/exact/second_order.hpp"
#include "inference/exact/viterbi.hpp"
#include "models/chain.hpp"
#include "models/history_scores.hpp"

namespace riata {

inline constexpr std::int32_t exact_order = 2;          // labels back
inline constexpr std::int32_t most_exact_labels = 256;  // where it looks so far back: time grows with their third power

// Throws Error where templates read labels further back than dynamic programming here does, or there are too many labels for it.
void check_exact(const FeatureIndex& index, std::int32_t labels);

// The weights may change from one sentence to the next, and get more features of earlier labels.
template <class Real>
class ExactChain {
 public:
  ExactChain(const FeatureIndex& index, const Weights<Real>& weights, const Constraint<Real>& constraint, const Instances& instances);

  // The scores of sentence s, which has a token. They may be changed before it is searched.
  ChainScores<Real>& open(std::int64_t s);

  // All of them, where the templates look two labels back.
  const SecondOrderScores<Real>* two_back() const noexcept { return two_back_ ? &scores_ : nullptr; }

  // The best labels [length] of the sentence that is open, and their score: as Viterbi gives them.
  Real best(std::int32_t* labels);

  // The best, the second best, …: as KBest gives them.
  void open_list();
  std::optional<Real> next(std::int32_t* labels) { return two_back_ ? pair_list_.next(labels) : list_.next(labels); }

 private:
  void check_length(std::int64_t s) const;

  const FeatureIndex& index_;
  const Weights<Real>& weights_;
  const Constraint<Real>& constraint_;
  const Instances& instances_;
  bool two_back_;
  LabelPairs pairs_;
  HistoryScores<Real> history_;
  SecondOrderScores<Real> scores_;
  Viterbi<Real> viterbi_;
  SecondOrderForward<Real> forward_;
  KBest<ForwardScores<Real>> list_;
  KBest<SecondOrderForward<Real>> pair_list_;
};

// The best labels of every sentence: [N]. Stops early, leaving -1, when poll says so.
template <class Real>
std::vector<std::int32_t> decode_history(const FeatureIndex& index, const Weights<Real>& weights, const Constraint<Real>& constraint,
                                         const Instances& instances, const Poll& poll);

extern template class ExactChain<float>;
extern template class ExactChain<double>;

}  // namespace riata
