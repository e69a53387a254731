// MIRA on chains: the smallest step that makes the truth beat what was found by its loss.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "learning/output_learner.hpp"
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
class ChainMira : public OutputLearner<Real> {
 public:
  ChainMira(Weights<Real> initial, Constraint<Real> constraint, const MiraSpec& spec)
      : OutputLearner<Real>(std::move(initial), std::move(constraint)), spec_(spec) {}

  // One pass over the sentences in the given order. sentence_weights [S] and class_weights [labels] may be empty.
  // An update is a sentence that changed the weights; wrong tokens are those of the best output, loss included.
  EpochResult epoch(const FeatureIndex& index, const Instances& instances, std::span<const std::int64_t> order,
                    std::span<const double> sentence_weights, std::span<const double> class_weights, const Poll& poll);

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

  using OutputLearner<Real>::weights_;
  using OutputLearner<Real>::constraint_;
  MiraSpec spec_;
  std::vector<double> cost_of_;  // [labels] of getting a token of that label wrong

  // Kept from sentence to sentence for their memory.
  std::vector<std::int32_t> found_;  // [outputs][length]
  std::vector<Rival> rivals_;        // the first `rival_count_` are those of the sentence at hand
  std::size_t rival_count_ = 0;
};

}  // namespace riata
