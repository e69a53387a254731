// The log-likelihood of labelled sentences under a chain that looks two labels back, and its gradient.
#pragma once

#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "core/numbers.hpp"
#include "inference/constraint.hpp"
#include "inference/exact/second_order_sums.hpp"
#include "inference/structures/chain_pairs.hpp"
#include "inference/structures/row_groups.hpp"
#include "inference/structures/second_order_steps.hpp"
#include "models/chain.hpp"
#include "models/layout.hpp"

namespace riata {

// Asked as ChainLikelihood is, and as independent of the number of threads. Steps of one context share a cube of factors,
// [labels][labels][stride]; the most frequent are kept, others made where they are needed. What a step reads besides its context multiplies
// the factors of its pairs of labels.
//
// Labels that are not given (unknown_label) are summed over: a sentence that has some adds log Z - log Z', where Z' is over the labellings
// that agree with those that are given, and is gone through twice.
template <class Real>
class SecondOrderLikelihood {
 public:
  static constexpr std::int64_t most_kept = std::int64_t{256} << 20, most_at_once = std::int64_t{64} << 20;  // bytes
  static constexpr double often = 0.5;

  // index and instances must outlive it, and the instances have labels. weights: of sentences, or empty. kept: memory for cubes; at_once:
  // for the tables of sentences that are gone through together, and for sums; 0: as much as the contexts ask for. often: as
  // SecondOrderSteps has it.
  SecondOrderLikelihood(const FeatureIndex& index, const Instances& instances, std::int32_t labels, std::int32_t given_size,
                        const Constraint<Real>& constraint, std::span<const double> weights, Pairs pairs, std::int64_t kept = most_kept,
                        std::int64_t at_once = 0, double often_read = often);

  std::int64_t size() const noexcept { return there_.size(); }
  double operator()(std::span<const double> at, std::span<double> gradient, std::int64_t threads, const Poll& poll);
  Weights<Real> model(std::span<const double> at) const;
  std::vector<double> point(const Weights<Real>& weights) const;

 private:
  static constexpr std::int64_t chunk_tokens = 1 << 12;

  // A part of a batch's steps that are of one context.
  struct Chunk {
    std::int32_t context;
    std::int64_t low, high;
  };
  struct Batch {
    std::int64_t first, end;          // sentences
    std::vector<std::int32_t> order;  // rows of the tables that have a step into them, by context
    std::vector<Chunk> chunks;        // parts of `order`
  };
  // Where one that is not kept is made.
  struct Cube {
    std::vector<Real> factors, rows;
  };
  // What threads work with.
  struct Scratch {
    explicit Scratch(const SecondOrderLikelihood& of) : sums(of.layout_.labels, of.layout_.stride) {}
    SecondOrderSums<Real> sums;
    std::vector<Real> node, posterior, own;  // own: [length][labels][stride]
    std::vector<double> highest;             // [length] taken off the scores of pairs
    Cube cube;
  };

  void check_length(std::int64_t s) const;
  void cut_batches();
  void keep_cubes(std::int64_t bytes);
  void count_gold();
  void make_cubes(std::int64_t threads);
  double make_cube(std::int32_t context, Real* cube, std::vector<Real>& rows) const;
  TripleFactors<Real> cube(std::int32_t context, Cube& made) const;
  void score(std::int64_t s, bool given, Real* node) const;
  double visit(std::int64_t s, std::int64_t base, Scratch& scratch);
  double run(std::int64_t s, std::int64_t base, bool given, Scratch& scratch);
  double visit_in_logarithms(std::int64_t s, std::int64_t base);
  double run_in_logarithms(std::int64_t s, std::int64_t base, bool given, Real* difference);
  void sum_steps(const Batch& batch, std::int64_t threads);
  void write_others(const Batch& batch, std::span<double> gradient);
  void write_first(const Batch& batch);

  double weight(std::int64_t s) const noexcept { return weights_.empty() ? 1.0 : weights_[static_cast<std::size_t>(s)]; }
  bool complete(std::int64_t s) const noexcept { return complete_[static_cast<std::size_t>(s)]; }
  std::int64_t square() const noexcept { return std::int64_t{layout_.labels} * layout_.stride; }
  // Where the sparse weights of token n stand, in a batch whose first token is `base`.
  Real* sparse(std::int64_t n, std::int64_t base) noexcept {
    return sparse_.data() + steps_.sparse().before(n) - steps_.sparse().before(base);
  }
  std::int64_t cube_size() const noexcept { return std::int64_t{layout_.labels} * layout_.labels * layout_.stride; }
  // The first row of a sentence's tables; of those of given labels.
  std::int64_t row(std::int64_t s, bool given) const noexcept {
    return rows_of_[static_cast<std::size_t>(s)] + (given ? instances_.length(s) : 0);
  }

  const FeatureIndex& index_;
  const Instances& instances_;
  Layout layout_;
  Constraint<Real> constraint_;
  std::vector<double> weights_;
  std::int32_t given_size_;
  std::int64_t at_once_;
  HistoryIndex history_;
  RowWeights there_;  // those of earlier labels last
  SecondOrderSteps<Real> steps_;
  GroupedRows<Real> rows_;
  std::vector<bool> complete_;         // [S] whether all labels are given
  std::vector<std::int64_t> rows_of_;  // [S] in the tables of the batch
  std::vector<Batch> batches_;
  std::vector<std::int64_t> kept_;  // [contexts] where cubes begin; -1: not kept
  Numbers<Real> cubes_;
  std::vector<double> highest_;        // [contexts] of those that are kept
  std::vector<Real> table_;            // the weights of steps
  std::vector<double> gold_, totals_;  // of the same shape: weighted counts of the truth; what is expected less that
  Numbers<Real> from_, into_;          // [rows][labels][stride] as SecondOrderSums has them
  std::vector<Real> sparse_;           // what the steps of a batch expect of weights that are no part of contexts, token by token
  std::vector<Real> difference_;       // [tokens of a batch][stride]: posteriors less the truth
  std::vector<double> values_;         // [sentences of a batch]
};

extern template class SecondOrderLikelihood<float>;
extern template class SecondOrderLikelihood<double>;

}  // namespace riata
