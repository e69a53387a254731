// Exact search on the sentences of a corpus, as far back as the templates of the model look.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "inference/exact/kbest.hpp"
#include "inference/exact/second_order.hpp"
#include "inference/exact/viterbi.hpp"
#include "inference/structures/chain_scores.hpp"
#include "inference/structures/history_scores.hpp"

namespace riata {

inline constexpr std::int32_t exact_order = 2;          // labels back
inline constexpr std::int32_t most_exact_labels = 256;  // where it looks so far back: time grows with their third power

// Throws Error where templates read labels further back than dynamic programming here does, or there are too many labels for it.
void check_exact(const FeatureIndex& index, std::int32_t labels);

// The states of a chain that looks two labels back; none of another. Throws as check_exact does.
template <class Real>
LabelPairs states_of(const FeatureIndex& index, std::int32_t labels, const Constraint<Real>& constraint);

// Throws Error where the sentence, which has this number, is too long for dynamic programming two labels back.
template <class Real>
void check_two_back(std::int64_t sentence, std::int64_t length, std::int32_t labels);

// The scores of one sentence, and its best labels, as far back as the model looks.
template <class Real>
class OpenChain {
 public:
  // pairs: of labels that may follow each other; none are needed where nothing looks two labels back.
  OpenChain(const ChainRows<Real>& rows, const LabelPairs& pairs) : two_back_(rows.history.order() == exact_order), history_(rows) {
    scores_.pairs = &pairs;
  }
  OpenChain(const OpenChain&) = delete;

  // The scores that do not depend on earlier labels; to be filled in first.
  ChainScores<Real>& chain() noexcept { return scores_.chain; }

  // Adds the scores that depend on earlier labels.
  void add_history(typename HistoryScores<Real>::Ngrams ngrams) {
    history_.add_label_before(ngrams, scores_.chain);
    if (two_back_) history_.add_two_labels_before(ngrams, scores_);
  }

  // All scores, where the templates look two labels back.
  const SecondOrderScores<Real>* two_back() const noexcept { return two_back_ ? &scores_ : nullptr; }

  // The best labels [length], and their score: as Viterbi gives them.
  Real best(std::int32_t* labels) {
    if (!two_back_) return viterbi_(scores_.chain, labels);
    forward_.fill(scores_);
    return forward_.best_labels(labels);
  }

 private:
  bool two_back_;
  HistoryScores<Real> history_;
  SecondOrderScores<Real> scores_;
  Viterbi<Real> viterbi_;
  SecondOrderForward<Real> forward_;
};

// The weights may change from one sentence to the next, and get more features of earlier labels.
template <class Real>
class ExactChain {
 public:
  ExactChain(const FeatureIndex& index, const ChainRows<Real>& rows, const Constraint<Real>& constraint, const Instances& instances);

  // The scores of sentence s, which has a token. They may be changed before it is searched.
  ChainScores<Real>& open(std::int64_t s);

  // The scores with those of two labels back, where templates look so far back; else null.
  const SecondOrderScores<Real>* two_back() const noexcept { return open_.two_back(); }

  // The best labels [length] of the sentence that is open, and their score: as Viterbi gives them.
  Real best(std::int32_t* labels) { return open_.best(labels); }

  // The best, the second best, …: as KBest gives them.
  void open_list();
  std::optional<Real> next(std::int32_t* labels) { return two_back() ? pair_list_.next(labels) : list_.next(labels); }

 private:
  const FeatureIndex& index_;
  const Instances& instances_;
  std::int32_t labels_;
  ChainScorer<Real> scorer_;
  LabelPairs pairs_;
  OpenChain<Real> open_;
  std::vector<const std::int32_t*> ngrams_;  // as HistoryScores reads them
  KBest<ForwardScores<Real>> list_;
  KBest<SecondOrderForward<Real>> pair_list_;
};

extern template class ExactChain<float>;
extern template class ExactChain<double>;

}  // namespace riata
