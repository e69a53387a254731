// Kernel rows: the values of a kernel function between the tokens of a corpus and the support tokens of a model, cached while learning.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "inference/corpus.hpp"
#include "inference/structures/kernel_model.hpp"
#include "models/layout.hpp"
#include "models/metric.hpp"
#include "models/row_reader.hpp"

namespace riata {

// How many features the tokens of a corpus have in all.
std::int32_t feature_count(const Corpus& corpus);

// A kernel row is computed by one thread in a fixed order, so that the number of threads changes nothing.
// Products of differences of features are sums over places. A place is a pair of labels, a label of a support token or, when the model is
// read only, a label of a token of the corpus, behind all support tokens: slot number slots() + token.
template <class Real>
class KernelRows : public Metric<Real> {
 public:
  // learns: whether tokens of the corpus become support tokens, and rows are cached. Model and corpus must outlive the object.
  KernelRows(KernelModel<Real>& model, const Corpus& corpus, bool learns);

  bool is_over(const Corpus& corpus) const noexcept { return &corpus.instances == &corpus_.instances; }

  // The features of a token.
  SparseVector read(std::int64_t token) const;
  // Computes and caches the rows of tokens, with all threads of the model.
  void prepare(std::span<const std::int64_t> tokens);
  // The scores of consecutive tokens, [count][stride], under coefficients of this version. They stay until the next call. When the model is
  // read only, the tokens that follow are scored at the same time, with all threads of the model.
  const Real* scores(std::int64_t first, std::int64_t count, const Real* coefficients, std::int64_t version);

  // The place of a label of a token. While learning, the token becomes a support token.
  std::int64_t place(std::int64_t token, std::int32_t label);
  // Whether a token of the corpus that is learnt from is a support token.
  bool is_support(std::int64_t token) const noexcept { return slot_of_[static_cast<std::size_t>(token)] >= 0; }
  // Removes support tokens whose coefficients are all 0: those added since the last call and, if the budget is used up, all of them.
  void keep_budget(Vector<Real>& vector);
  // Forgets scores that were computed.
  void reset() noexcept { scored_count_ = 0; }

  double dot(const Real* coefficients, std::int64_t version, const Difference& delta) const override;
  double product(const Difference& one, const Difference& other) const override;
  double squared_length(const Real* coefficients) const override;

 private:
  struct Row {
    std::vector<Real> values;  // [slots]
    std::int64_t known = 0;    // how many support tokens had been added when it was computed
  };

  static constexpr std::int64_t ahead = 512;  // tokens that are scored at a time

  void refresh(const SparseVector& token, Row& row) const;
  // The row of a token: cached or, if there is no room, in `spare`.
  const Row& row_of(std::int64_t token, Row& spare) const;
  void score_token(std::int64_t token, const Real* coefficients, Real* out, Row& spare) const;
  std::int64_t token_at(std::int64_t place) const noexcept;
  double between(std::int64_t one, std::int64_t other) const;
  void remove(std::int32_t slot, Vector<Real>& vector);
  std::int64_t threads() const noexcept { return model_.function->parallel() ? model_.threads : 1; }

  KernelModel<Real>& model_;
  Corpus corpus_;
  Layout layout_;  // of one label, which numbers the features
  RowReader<const Layout> reader_;
  std::vector<std::int64_t> sentence_of_;  // [tokens]
  bool learns_;
  std::vector<std::int32_t> slot_of_;   // [tokens] while learning: -1 if it is no support token
  std::vector<std::int64_t> token_of_;  // [slots] while learning: -1 for support tokens of other data
  std::vector<std::int32_t> fresh_;     // slots filled since the budget was kept
  mutable std::vector<Row> rows_;       // cached rows of the first tokens

  // The scores that were computed last.
  std::int64_t scored_first_ = 0, scored_count_ = 0, scored_version_ = 0;
  const Real* scored_of_ = nullptr;
  std::vector<Real> scored_;
};

extern template class KernelRows<float>;
extern template class KernelRows<double>;

}  // namespace riata
