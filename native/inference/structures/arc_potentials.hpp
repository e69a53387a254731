// The potentials of dependency trees that are scored arc by arc: a conditional random field of trees.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "inference/structures/arc_model.hpp"
#include "inference/structures/arc_posteriors.hpp"
#include "inference/structures/chain_pairs.hpp"
#include "inference/structures/sentence_potentials.hpp"

namespace riata {

// Weights are those of a model to start from, which come first, at the same places, and those of the truths.
template <class Real, class Trees>
class ArcPotentials final : public SentencePotentials<Real, ArcPosteriors<Real, Trees>> {
 public:
  // instances must outlive the potentials. gold: [N] codes. which: whether there are weights for all that n-grams could have been
  // seen with, or for what the truths have.
  ArcPotentials(const ArcModel<Real, Trees>& like, const Instances& instances, Codes gold, FeatureLabels which);

  const ArcTemplates& templates() const noexcept { return templates_; }
  const ArcPotentials& points() const noexcept { return *this; }
  // The model whose weights are those of a point, in any precision; and the point whose weights are those of a model.
  template <class Out>
  ArcWeights<Out> model(std::span<const double> at) const {
    return {rows_, this->template flat<Out>(at)};
  }
  std::vector<double> point(const ArcWeights<Real>& weights) const { return this->point_of(weights.flat); }

 private:
  ArcPosteriors<Real, Trees> answers(bool alone) override;
  void enter_truths(std::vector<bool>& exists);
  void enter_all(std::vector<bool>& exists);

  ArcTemplates templates_;
  Shared<ArcRows> rows_;
};

extern template class ArcPotentials<float, ProjectiveTrees>;
extern template class ArcPotentials<double, ProjectiveTrees>;
extern template class ArcPotentials<float, AllTrees>;
extern template class ArcPotentials<double, AllTrees>;

}  // namespace riata
