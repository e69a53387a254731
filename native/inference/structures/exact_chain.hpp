// Exact search on the sentences of a corpus, up to two labels back.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "inference/exact/kbest.hpp"
#include "inference/exact/second_order.hpp"
#include "inference/exact/viterbi.hpp"
#include "inference/structures/chain_scores.hpp"
#include "inference/structures/history_scores.hpp"
#include "inference/structures/truncated.hpp"

namespace riata {

inline constexpr std::int32_t exact_order = 2;  // how many labels back exact search can read
// The largest number of labels if the model reads two labels back: the time grows with the third power of the number of labels.
inline constexpr std::int32_t most_exact_labels = 256;

// Throws Error if templates read labels further back than exact search can, or there are too many labels for it.
void check_exact(const FeatureIndex& index, std::int32_t labels);

// The states of a chain that reads two labels back; none for other chains. Throws as check_exact does.
template <class Real>
LabelPairs states_of(const FeatureIndex& index, std::int32_t labels, const Constraint<Real>& constraint);

// Throws Error if a sentence is too long for exact search two labels back. sentence: its number, for the message.
template <class Real>
void check_two_back(std::int64_t sentence, std::int64_t length, std::int32_t labels, bool truncated);

// The scores of one sentence and its best labels, for models that read up to two labels back.
template <class Real>
class OpenChain {
 public:
  // pairs: the pairs of labels that may follow each other; empty if the model does not read two labels back.
  OpenChain(const ChainRows<Real>& rows, const LabelPairs& pairs)
      : two_back_(rows.history.order() == exact_order), truncated_(rows.truncated), history_(rows) {
    scores_.pairs = &pairs;
  }
  OpenChain(const OpenChain&) = delete;

  bool truncated() const noexcept { return truncated_; }
  // The scores that do not depend on earlier labels; the caller fills them in first.
  ChainScores<Real>& chain() noexcept { return scores_.chain; }

  // Adds the scores that depend on earlier labels. Scores are complete afterwards, and are truncated if the model is.
  void add_history(typename HistoryScores<Real>::Ngrams ngrams) {
    history_.add_label_before(ngrams, scores_.chain);
    if (two_back_) history_.add_two_labels_before(ngrams, scores_);
    if (truncated_) two_back_ ? truncate_steps(scores_, truncated_rows_) : truncate_steps(scores_.chain);
  }

  // All scores, if the templates read two labels back; otherwise nullptr.
  const SecondOrderScores<Real>* two_back() const noexcept { return two_back_ ? &scores_ : nullptr; }

  // Writes the best labels, [length], and returns their score, with the ties of Viterbi.
  Real best(std::int32_t* labels) {
    if (!two_back_) return viterbi_(scores_.chain, labels);
    forward_.fill(scores_);
    return forward_.best_labels(labels);
  }

 private:
  bool two_back_, truncated_;
  std::vector<Real> truncated_rows_;
  HistoryScores<Real> history_;
  SecondOrderScores<Real> scores_;
  Viterbi<Real> viterbi_;
  SecondOrderForward<Real> forward_;
};

// The weights may change between two sentences, and features of earlier labels may be added.
template <class Real>
class ExactChain {
 public:
  ExactChain(const FeatureIndex& index, const ChainRows<Real>& rows, const Constraint<Real>& constraint, const Instances& instances);

  // The scores of sentence s, which must have a token. The caller may change them before the search.
  ChainScores<Real>& open(std::int64_t s);

  // The open sentence.
  OpenChain<Real>& opened() noexcept { return open_; }

  // The scores including those two labels back, if templates read that far; otherwise nullptr.
  const SecondOrderScores<Real>* two_back() const noexcept { return open_.two_back(); }

  // Writes the best labels, [length], of the open sentence and returns their score, with the ties of Viterbi.
  Real best(std::int32_t* labels) { return open_.best(labels); }

  // Lists the best labels, the second best, and so on, as KBest does.
  void open_list();
  std::optional<Real> next(std::int32_t* labels) { return two_back() ? pair_list_.next(labels) : list_.next(labels); }

 private:
  const FeatureIndex& index_;
  const Instances& instances_;
  std::int32_t labels_;
  ChainScorer<Real> scorer_;
  LabelPairs pairs_;
  OpenChain<Real> open_;
  std::vector<const std::int32_t*> ngrams_;  // n-grams at the tokens of the open sentence, as HistoryScores reads them
  KBest<ForwardScores<Real>> list_;
  KBest<SecondOrderForward<Real>> pair_list_;
};

extern template class ExactChain<float>;
extern template class ExactChain<double>;

}  // namespace riata
