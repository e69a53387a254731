// The potentials of dependency trees that are scored arc by arc: a conditional random field of trees.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "inference/sentence_gradient.hpp"
#include "inference/structures/arc_model.hpp"
#include "inference/structures/arc_posteriors.hpp"
#include "inference/structures/batched_potentials.hpp"
#include "inference/structures/chain_pairs.hpp"
#include "models/row_weights.hpp"

namespace riata {

// Weights are those of a model to start from and those of the truths.
template <class Real, class Trees>
class ArcPotentials final : public BatchedPotentials {
 public:
  // instances must outlive the potentials. gold: [N] codes. which: whether there are weights for all that n-grams could have been
  // seen with, or for what the truths have.
  ArcPotentials(const ArcModel<Real, Trees>& like, const Instances& instances, Codes gold, FeatureLabels which);

  std::int64_t size() const noexcept override { return there_->size(); }
  const ArcTemplates& templates() const noexcept { return templates_; }
  void count_truth(std::span<const double>) override {}
  double begin(std::span<const double> at, std::int64_t threads) override;
  std::unique_ptr<Visitor> visitor() override;
  void gather(std::span<double> gradient, std::int64_t threads) override;
  void finish(std::span<double>, std::int64_t) override {}
  double shared_score(std::int64_t) const override { return 0; }
  void take_truth(std::int64_t, double) override {}

  // The gradient of one sentence after another, under weights that change in between. The potentials must outlive the gradient.
  std::unique_ptr<SentenceGradient<Real>> gradient();

  const ArcPotentials& points() const noexcept { return *this; }
  // The model whose weights are those of a point, in any precision; and the point whose weights are those of a model.
  template <class Out>
  ArcWeights<Out> model(std::span<const double> at) const;
  std::vector<double> point(const ArcWeights<Real>& weights) const;

  const ArcRows& rows() const noexcept { return *rows_; }
  const Instances& instances() const noexcept { return instances_; }
  const RowWeights& there() const noexcept { return *there_; }
  const Numbers<Real>& weights() const noexcept { return weights_; }
  Codes gold(std::int64_t s) const noexcept {
    return Codes(gold_).subspan(static_cast<std::size_t>(instances_.starts[s]), static_cast<std::size_t>(instances_.length(s)));
  }
  // What a visit leaves for `gather`: an arc with the change of its weight, and those of its relations in `changes`.
  struct Change {
    std::int32_t head, child;
    double arc;
    std::size_t relations;  // where they start
  };
  struct SiblingChange {
    std::int32_t head, sibling, child;
    double by;
  };
  struct Changes {
    std::vector<Change> arcs;
    std::vector<SiblingChange> siblings;
    Numbers<Real> relations;
  };
  Changes& changes(std::int64_t s) noexcept { return changes_[static_cast<std::size_t>(s - batch().first)]; }

 private:
  void enter_truths(std::vector<bool>& exists);
  void enter_all(std::vector<bool>& exists);

  ArcTemplates templates_;
  Shared<ArcRows> rows_;
  std::vector<std::int32_t> gold_;
  std::unique_ptr<RowWeights> there_;
  Numbers<Real> weights_;
  std::vector<Changes> changes_;  // [sentences of a batch]
};

extern template class ArcPotentials<float, ProjectiveTrees>;
extern template class ArcPotentials<double, ProjectiveTrees>;
extern template class ArcPotentials<float, AllTrees>;
extern template class ArcPotentials<double, AllTrees>;

}  // namespace riata
