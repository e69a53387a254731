// The log-likelihood of labelled sentences under a chain, and its gradient: what a conditional random field is trained by.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "core/numbers.hpp"
#include "inference/constraint.hpp"
#include "inference/exact/chain_sums.hpp"
#include "inference/structures/chain_pairs.hpp"
#include "inference/structures/row_groups.hpp"
#include "models/chain.hpp"
#include "models/layout.hpp"
#include "models/local.hpp"

namespace riata {

// What a labelling's probability is: its share among all labellings of the sentence, or the product of the shares that its labels have
// among those that may follow the true label before (a maximum entropy Markov model).
enum class Normalised { globally, locally };

// Sentences are gone through in batches of a fixed size, and what is summed is summed in a fixed order: the same bytes for any number of
// threads. First, sentence by sentence, scores and posteriors; then, block of weights by block, the gradient.
//
// Of a sentence with unknown labels, the likelihood is that of all labellings which have the known ones: -log P = log Z - log Z(known). It
// is summed over twice, and the second time has rows of its own among alpha and into, the latter negative, behind those of the tokens.
template <class Real>
class ChainLikelihood {
 public:
  // index and instances must outlive it, and the instances have labels, which only globally may be unknown. weights: of sentences, or
  // empty. heads: as RowColumns has them, or empty.
  ChainLikelihood(const FeatureIndex& index, const Instances& instances, std::int32_t labels, std::int32_t given_size,
                  const Constraint<Real>& constraint, std::span<const double> weights, Pairs pairs, Normalised normalised,
                  std::span<const std::int32_t> heads);

  std::int64_t size() const noexcept { return there_.size(); }
  std::int64_t sentences() const noexcept { return instances_.sentences(); }

  // -log P of all labels given their sentences. at: [size]; gradient: [size] to write. Poll is asked between batches; false ends it with
  // NaN.
  double operator()(std::span<const double> at, std::span<double> gradient, std::int64_t threads, const Poll& poll);

  // The weights at a point as a model, and the point at the weights of one.
  Weights<Real> model(std::span<const double> at) const { return model_in<Real>(at); }
  template <class Out>
  Weights<Out> model_in(std::span<const double> at) const;
  std::vector<double> point(const Weights<Real>& weights) const;

 private:
  static constexpr std::int64_t batch_tokens = 1 << 15;
  static constexpr std::int64_t chunk_tokens = 1 << 12;

  struct Batch {
    std::int64_t first, end;          // sentences
    std::vector<std::int32_t> order;  // rows of the batch that have a step into them, by context
    std::vector<std::pair<std::int32_t, std::pair<std::int32_t, std::int32_t>>> chunks;  // context, and a part of `order`
  };
  // What threads work with.
  struct Scratch {
    explicit Scratch(const ChainLikelihood& of) : sums(of.layout_.labels, of.layout_.stride), local(of.layout_.labels, of.layout_.stride) {}
    ChainSums<Real> sums;
    LocalSums<Real> local;
    std::vector<Real> node, posterior;
  };

  void count_gold_edges();
  void cut_batches();
  void make_factors();
  void score(std::int64_t s, Real* node) const;
  double visit(std::int64_t s, std::int64_t base, Scratch& scratch);
  double visit_known(std::int64_t s, std::int64_t base, Scratch& scratch);
  void keep_known(std::int64_t s, Real* node) const;
  double visit_in_logarithms(std::int64_t s, std::int64_t base);
  double add_in_logarithms(std::int64_t s, const Real* node, double times, Real* difference);
  void clear_pairs(std::int64_t row, std::int64_t count);
  double visit_locally(std::int64_t s, std::int64_t base, Scratch& scratch);
  template <class Visit>
  void each_other_row(std::int64_t s, Visit visit) const;
  void write_others(const Batch& batch, std::span<double> gradient);
  void sum_edges(const Batch& batch, std::int64_t threads);
  void sum_local_edges(const Batch& batch);
  void finish_edges(std::span<double> gradient);
  template <class Out, class Visit>
  void each_cell(Weights<Out>& weights, Visit visit) const;
  // The factors of the steps of a sentence.
  auto edges(std::int64_t s) const {
    return [this, contexts = contexts_.of.data() + instances_.starts[s],
            square = std::int64_t{layout_.labels} * layout_.stride](std::int32_t t) {
      const std::int64_t c = contexts[t];
      return EdgeFactors<Real>{forward_.data() + c * square, backward_.data() + c * square, highest_[static_cast<std::size_t>(c)]};
    };
  }
  double weight(std::int64_t s) const noexcept { return weights_.empty() ? 1.0 : weights_[static_cast<std::size_t>(s)]; }

  const FeatureIndex& index_;
  const Instances& instances_;
  Layout layout_;
  Constraint<Real> constraint_;
  std::vector<double> weights_;
  std::int32_t given_size_;
  RowWeights there_;
  EdgeContexts contexts_;
  std::vector<double> gold_edges_;  // [contexts][labels][stride] weighted counts of the truth's pairs
  std::vector<Batch> batches_;
  std::vector<std::int64_t>
      known_rows_;  // [S] the row among those of the batch where the second sum of a sentence has its own; -1: all labels are known
  std::optional<GroupedRows<Real>> rows_;   // once the constructor is done
  std::vector<std::int64_t> other_starts_;  // named features that are not among them: as RowColumns has them
  std::vector<std::int32_t> other_ids_;
  std::vector<float> other_values_;
  std::vector<Real> scores_, forward_, backward_;  // [contexts][labels][stride] of pairs: scores, factors, and those turned
  std::vector<double> highest_;                    // [contexts]
  std::vector<Real> alpha_, into_, difference_;    // [rows of a batch][stride]; difference: posteriors less the truth
  std::vector<double> expected_;                   // [contexts][labels][stride]: sums of alpha x into
  std::vector<double>
      slow_expected_;           // the same of posteriors themselves, of sentences that needed logarithms, and of local ones; or empty
  std::vector<double> values_;  // [sentences of a batch]
};

}  // namespace riata
