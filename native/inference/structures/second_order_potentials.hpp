// The potentials of a chain that reads two labels back: scores of labels, of pairs and of triples of neighbouring labels.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "core/numbers.hpp"
#include "inference/constraint.hpp"
#include "inference/exact/second_order_sums.hpp"
#include "inference/sentence_gradient.hpp"
#include "inference/structures/batched_potentials.hpp"
#include "inference/structures/chain_pairs.hpp"
#include "inference/structures/chain_points.hpp"
#include "inference/structures/second_order_steps.hpp"
#include "inference/structures/step_chunks.hpp"
#include "inference/structures/token_rows.hpp"
#include "models/layout.hpp"

namespace riata {

template <class Real>
class SecondOrderVisitor;
template <class Real>
class SecondOrderGradient;
template <class Real>
class SecondOrderSlowSums;

// Steps of one context share a cube of factors, [labels][labels][stride]. The cubes of the most frequent contexts are stored; the others
// are computed when they are needed. Weights that a step reads but that are not part of its context (SparsePairs) multiply the factors of
// label pairs.
//
// If some labels of a sentence are unknown, every labelling that agrees with the known labels counts as true: P = Z(known) / Z. Such a
// sentence has two sums; the rows of the second sum stand behind those of the first.
template <class Real>
class SecondOrderPotentials final : public BatchedPotentials {
 public:
  static constexpr std::int64_t most_kept = std::int64_t{256} << 20, most_at_once = std::int64_t{64} << 20;  // bytes
  static constexpr double often = 0.5;

  // index and instances must outlive the potentials. The instances must have labels. kept: bytes for cubes of factors. at_once: bytes for
  // the tables of the sentences of a batch, and for sums; 0: a default that grows with the number of contexts. often_read: see
  // SecondOrderSteps.
  SecondOrderPotentials(const FeatureIndex& index, const Instances& instances, std::int32_t labels, std::int32_t named_size,
                        const Constraint<Real>& constraint, FeatureLabels which, std::int64_t kept = most_kept, std::int64_t at_once = 0,
                        double often_read = often);

  std::int64_t size() const noexcept override { return there_.size(); }
  std::int32_t labels() const noexcept { return layout_.labels; }
  void count_truth(std::span<const double> weights) override;
  double begin(std::span<const double> at, std::int64_t threads) override;
  std::unique_ptr<Visitor> visitor() override;
  void gather(std::span<double> gradient, std::int64_t threads) override;
  void finish(std::span<double> gradient, std::int64_t threads) override;
  double shared_score(std::int64_t s) const override;
  void take_truth(std::int64_t s, double times) override;

  // The gradient of one sentence after another, under weights that change in between. The potentials must outlive the gradient.
  std::unique_ptr<SentenceGradient<Real>> gradient();

  const ChainPoints& points() const noexcept { return points_; }

 private:
  friend class SecondOrderVisitor<Real>;
  friend class SecondOrderGradient<Real>;
  friend class SecondOrderSlowSums<Real>;

  // Memory for a cube that is not stored.
  struct Cube {
    std::vector<Real> factors, rows;
  };

  void check_length(std::int64_t s) const;
  void make_tables();
  void keep_cubes(std::int64_t bytes);
  void make_cubes(std::int64_t threads);
  double make_cube(std::int32_t context, Real* cube, std::vector<Real>& rows) const;
  TripleFactors<Real> cube(std::int32_t context, Cube& made) const;
  void score(std::int64_t s, Real* node) const;
  void sum_steps(std::int64_t threads);
  void sum_chunk(const StepChunks::Chunk& chunk, std::int64_t low, std::int64_t high, Real* sum) const;
  void gather_first();
  // Calls visit(place in the table of steps) for the true pairs and triples of a sentence, and visit_pair(token, label before, label) for
  // its true pairs; neither if some labels are unknown.
  template <class Visit, class VisitPair>
  void each_true_step(std::int64_t s, Visit visit, VisitPair visit_pair) const {
    const std::int64_t start = instances_.starts[s];
    const std::int32_t* gold = instances_.labels.data() + start;
    for (std::int64_t t = 1; t < instances_.length(s) && complete(s); ++t) {
      const LabelId h(t == 1 ? 0 : gold[t - 2]), i(gold[t - 1]), j(gold[t]);
      steps_.each(steps_.context(start + t), h, i, j, [&](std::int64_t place) { visit(static_cast<std::size_t>(place)); });
      visit_pair(start + t, i, j);
    }
  }

  bool complete(std::int64_t s) const noexcept { return complete_[static_cast<std::size_t>(s)]; }
  std::int64_t rows_needed(std::int64_t s) const noexcept { return instances_.length(s) * (complete(s) ? 1 : 2); }
  std::int64_t square() const noexcept { return std::int64_t{layout_.labels} * layout_.stride; }
  std::int64_t cube_size() const noexcept { return layout_.labels * square(); }
  // Where the sparse weights of token n stand in the present batch.
  Real* sparse(std::int64_t n) noexcept { return sparse_.data() + steps_.sparse().before(n) - steps_.sparse().before(base()); }
  // The first row of a sentence in the tables of its batch. second: of its second sum, over labellings that agree with the known labels.
  std::int64_t row(std::int64_t s, bool second) const noexcept {
    return rows_of_[static_cast<std::size_t>(s)] + (second ? instances_.length(s) : 0);
  }

  Layout layout_;
  Constraint<Real> constraint_;
  std::int64_t at_once_;
  HistoryIndex history_;
  RowWeights there_;  // rows of earlier labels come last
  SecondOrderSteps<Real> steps_;
  TokenRows<Real> tokens_;
  ChainPoints points_;
  std::vector<bool> complete_;         // [S] whether all labels are known
  std::vector<StepChunks> chunks_;     // [batches] steps of the batch, grouped by context
  std::vector<std::int64_t> rows_of_;  // [S] first row of the sentence in the tables of its batch
  std::vector<std::int64_t> kept_;     // [contexts] place of the cube in cubes_; -1: not stored
  Numbers<Real> cubes_;
  std::vector<double> highest_;        // [contexts] highest score of the stored cubes, which the factors do not contain
  std::vector<Real> table_;            // the weights that contexts read
  std::vector<double> gold_, totals_;  // as table_: weighted counts of the truth; expected counts minus those of the truth
  Numbers<Real> from_, into_;          // [rows][labels][stride] as SecondOrderSums writes them
  std::vector<Real> sparse_;           // expected counts of the sparse weights of the steps of a batch, token by token
  std::vector<Real> difference_;       // [tokens of a batch][stride] posteriors minus the truth
};

extern template class SecondOrderPotentials<float>;
extern template class SecondOrderPotentials<double>;

}  // namespace riata
