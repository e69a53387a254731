// The potentials of a first-order chain: scores of single labels and of pairs of neighbouring labels.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "features/history.hpp"
#include "inference/constraint.hpp"
#include "inference/exact/chain_sums.hpp"
#include "inference/sentence_gradient.hpp"
#include "inference/structures/batched_potentials.hpp"
#include "inference/structures/chain_pairs.hpp"
#include "inference/structures/chain_points.hpp"
#include "inference/structures/step_chunks.hpp"
#include "inference/structures/token_rows.hpp"
#include "models/layout.hpp"

namespace riata {

// How a labelling's probability is defined. globally: exp(score) divided by the sum over all labellings of the sentence. locally: the
// product over tokens of the probability of the label among all labels that may follow the true label before (a maximum entropy Markov
// model). by_label: as globally, but losses are of the probabilities of single labels, each summed over all labellings that have it.
enum class Normalised { globally, locally, by_label };

template <class Real>
class ChainVisitor;
template <class Real>
class ChainLabelVisitor;
template <class Real>
class ChainGradient;
template <class Real>
class LocalVisitor;

// If some labels of a sentence are unknown, every labelling that agrees with the known labels counts as true: P = Z(known) / Z. Such a
// sentence has two sums. The rows of the second sum stand in alpha_ and into_ behind the rows of the tokens of the batch; its rows of into_
// are negative. With Normalised::by_label, every sentence has two blocks of rows (ChainLabelVisitor).
template <class Real>
class ChainPotentials final : public BatchedPotentials {
 public:
  // index and instances must outlive the potentials. The instances must have labels; only with Normalised::globally, some may be unknown.
  // heads: see RowColumns; may be empty.
  ChainPotentials(const FeatureIndex& index, const Instances& instances, std::int32_t labels, std::int32_t named_size,
                  const Constraint<Real>& constraint, FeatureLabels which, Normalised normalised, std::span<const std::int32_t> heads);

  std::int64_t size() const noexcept override { return there_.size(); }
  std::int32_t labels() const noexcept { return layout_.labels; }
  void count_truth(std::span<const double> weights) override;
  double begin(std::span<const double> at, std::int64_t threads) override;
  std::unique_ptr<Visitor> visitor() override;
  std::unique_ptr<LabelVisitor> label_visitor() override;
  void gather(std::span<double> gradient, std::int64_t threads) override;
  void finish(std::span<double> gradient, std::int64_t threads) override;
  double shared_score(std::int64_t s) const override;
  void take_truth(std::int64_t s, double times) override;

  // The gradient of one sentence after another, under weights that change in between. The potentials must outlive the gradient.
  std::unique_ptr<SentenceGradient<Real>> gradient();

  const ChainPoints& points() const noexcept { return points_; }

 private:
  friend class ChainVisitor<Real>;
  friend class ChainLabelVisitor<Real>;
  friend class ChainGradient<Real>;
  friend class LocalVisitor<Real>;

  void make_chunks();
  void make_factors();
  void sum_edges(std::int64_t threads);
  void gather_local_pairs(std::span<double> gradient);
  void finish_edges(std::span<double> gradient);
  std::vector<double>& slow_expected();
  // Calls visit(place in the tables of contexts) for all true pairs of labels of a sentence; for none if some labels are unknown, or if
  // every step is normalised by itself: visitors then see to pairs.
  template <class Visit>
  void each_true_pair(std::int64_t s, Visit visit) const {
    if (local_ || known_row(s) >= 0) return;
    for (std::int64_t n = instances_.starts[s] + 1; n < instances_.starts[s + 1]; ++n)
      visit(
          static_cast<std::size_t>(context(n) * square() + std::int64_t{instances_.labels[n - 1]} * layout_.stride + instances_.labels[n]));
  }

  // Whether a dictionary limits the labels of words.
  bool limited() const noexcept { return !tokens_.possible().of.empty(); }
  // totals[i][j] += alpha[t - 1][i] * into[t][j], summed over the t in `at`.
  void add_pairs(const std::int32_t* at, std::int64_t count, const Real* alpha, const Real* into, Real* totals) const noexcept {
    if (limited())
      add_outer_of_some(at, count, alpha, into, layout_.labels, layout_.stride, totals);
    else
      add_outer(at, count, alpha, into, layout_.labels, layout_.stride, totals);
  }

  std::int64_t square() const noexcept { return std::int64_t{layout_.labels} * layout_.stride; }
  std::int64_t context(std::int64_t n) const noexcept { return contexts_.of[static_cast<std::size_t>(n)]; }
  // Rows of the batch's tables: of the first token of a sentence, and of its first token in the second sum; -1 if all labels are known, so
  // that there is no second sum.
  std::int64_t row(std::int64_t s) const noexcept { return instances_.starts[s] - base(); }
  std::int64_t known_row(std::int64_t s) const noexcept { return known_rows_[static_cast<std::size_t>(s)]; }
  // The factors of the steps of a sentence, as a function of the token that the step leads to.
  auto edges(std::int64_t s) const {
    return [this, contexts = contexts_.of.data() + instances_.starts[s], cells = square()](std::int32_t t) {
      const std::int64_t c = contexts[t];
      return EdgeFactors<Real>{forward_.data() + c * cells, backward_.data() + c * cells, highest_[static_cast<std::size_t>(c)]};
    };
  }

  bool local_;     // whether every step is normalised by itself
  bool by_label_;  // whether losses are of single labels
  Layout layout_;
  Constraint<Real> constraint_;
  HistoryIndex no_history_;
  RowWeights there_;
  EdgeContexts contexts_;
  TokenRows<Real> tokens_;
  ChainPoints points_;
  std::vector<StepChunks> chunks_;                 // [batches] steps of the batch, grouped by context
  std::vector<std::int64_t> known_rows_;           // [S] row where the second sum of a sentence starts in its batch, -1: none
  std::vector<double> gold_;                       // [contexts][labels][stride] weighted counts of the true pairs
  std::vector<Real> scores_, forward_, backward_;  // [contexts][labels][stride] of label pairs: scores, factors, and factors transposed
  std::vector<double> highest_;                    // [contexts] the highest score, which the factors do not contain
  std::vector<Real> alpha_, into_, difference_;    // [rows of a batch][stride]; difference_: posteriors minus the truth
  std::vector<double> expected_;                   // [contexts][labels][stride] sums of alpha x into
  // [contexts][labels][stride] posteriors that are not products of alpha and into, such as those of sums in logarithms; or empty.
  std::vector<double> slow_expected_;
};

extern template class ChainPotentials<float>;
extern template class ChainPotentials<double>;

}  // namespace riata
