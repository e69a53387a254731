// MIRA on chains: the smallest step that makes the truth beat what was found by its loss.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "learning/averaged.hpp"
#include "learning/chain_perceptron.hpp"
#include "learning/placed_difference.hpp"
#include "models/exact_chain.hpp"

namespace riata {

struct MiraSpec {
  double c = 1;        // the largest multiplier of one output
  double cost = 1;     // loss of a wrong label
  std::int64_t k = 1;  // outputs that the truth must beat
};

// Crammer & Singer 2003 and McDonald, Crammer & Pereira 2005: among the k outputs of the highest score plus loss, the weights move as
// little as it takes for the truth to beat each by its loss; multipliers are capped at C, as if each constraint had a slack of that price.
// Differs: the outputs are found with the loss in their scores. Sentence weights multiply C, class weights the cost of a token's label.
template <class Real>
class ChainMira {
 public:
  ChainMira(Weights<Real> initial, Constraint<Real> constraint, const MiraSpec& spec)
      : weights_(std::move(initial)), constraint_(std::move(constraint)), spec_(spec) {}

  // One pass over the sentences in the given order. sentence_weights [S] and class_weights [labels] may be empty.
  // An update is a sentence that changed the weights; wrong tokens are those of the best output, loss included.
  EpochResult epoch(const FeatureIndex& index, const Instances& instances, std::span<const std::int64_t> order,
                    std::span<const double> sentence_weights, std::span<const double> class_weights, const Poll& poll);

  Weights<Real> averaged() const { return weights_.average(); }
  void average_into(Weights<Real>& mean) const { weights_.average_into(mean); }
  Weights<Real> finish() { return weights_.finish(); }  // the average, and the learner forgets all
  const Weights<Real>& last() const noexcept { return weights_.current; }
  Averaged<Real>& weights() noexcept { return weights_; }

 private:
  // An output that the truth must beat: how far it is away, and by how much that falls short of its loss.
  struct Rival {
    PlacedDifference<Real> difference;
    double shortfall = 0;
    double squared_norm = 0;
  };

  void find_rivals(const FeatureIndex& index, const Instances& instances, std::int64_t s, ExactChain<Real>& chain, EpochResult& result);
  void make_rows(const Instances& instances, std::int64_t s);
  void add_rival(const FeatureIndex& index, const Instances& instances, std::int64_t s, const std::int32_t* found);
  bool step(double cap);

  Averaged<Real> weights_;
  Constraint<Real> constraint_;
  MiraSpec spec_;
  std::vector<double> cost_of_;  // [labels] of getting a token of that label wrong

  // Kept from sentence to sentence for their memory.
  std::vector<std::int32_t> found_;  // [outputs][length]
  std::vector<Rival> rivals_;  // the first `rival_count_` are those of the sentence at hand
  std::size_t rival_count_ = 0;
};

}  // namespace riata
