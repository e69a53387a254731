// The potentials of outputs that are sets of parts: a conditional random field over them.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "inference/sentence_gradient.hpp"
#include "inference/structures/batched_potentials.hpp"
#include "inference/structures/chain_pairs.hpp"
#include "inference/structures/part_model.hpp"
#include "models/row_weights.hpp"

namespace riata {

// A point has those weights of the model that exist, in their order: those of a model to start from and those that truths have, or all.
template <class Real>
class PartPotentials final : public BatchedPotentials {
 public:
  // instances must outlive the potentials. gold: [N] codes.
  PartPotentials(const PartModel<Real>& like, const Instances& instances, Codes gold, FeatureLabels which);

  std::int64_t size() const noexcept override { return there_.size(); }
  void count_truth(std::span<const double>) override {}
  double begin(std::span<const double> at, std::int64_t threads) override;
  std::unique_ptr<Visitor> visitor() override;
  void gather(std::span<double> gradient, std::int64_t threads) override;
  void finish(std::span<double>, std::int64_t) override {}
  double shared_score(std::int64_t) const override { return 0; }
  void take_truth(std::int64_t, double) override {}

  // The gradient of one sentence after another, under weights that change in between. The potentials must outlive the gradient.
  std::unique_ptr<SentenceGradient<Real>> gradient();

  const PartPotentials& points() const noexcept { return *this; }
  // The model whose weights are those of a point, in any precision; and the point whose weights are those of a model.
  template <class Out>
  PartModel<Out> model(std::span<const double> at) const {
    PartModel<Out> made(labels_, static_cast<std::int64_t>(weights_.size()) / labels_);
    there_.each([&](std::int32_t i, std::int64_t place) {
      made.weights[static_cast<std::size_t>(place)] = static_cast<Out>(at[static_cast<std::size_t>(i)]);
    });
    return made;
  }
  std::vector<double> point(const Numbers<Real>& weights) const {
    std::vector<double> at(static_cast<std::size_t>(size()));
    there_.each(
        [&](std::int32_t i, std::int64_t place) { at[static_cast<std::size_t>(i)] = double(weights[static_cast<std::size_t>(place)]); });
    return at;
  }

  std::int32_t labels() const noexcept { return labels_; }
  const Instances& instances() const noexcept { return instances_; }
  const RowWeights& there() const noexcept { return there_; }
  std::span<const double> weights() const noexcept { return weights_; }
  Codes gold(std::int64_t s) const noexcept {
    return Codes(gold_).subspan(static_cast<std::size_t>(instances_.starts[static_cast<std::size_t>(s)]),
                                static_cast<std::size_t>(instances_.length(s)));
  }
  // What a visit leaves for `gather`: [parts] how the score of each part is to change.
  double* changes(std::int64_t s) noexcept { return changes_.data() + (instances_.starts[static_cast<std::size_t>(s)] - base()) * labels_; }

 private:
  std::int32_t labels_;
  std::vector<std::int32_t> gold_;
  RowWeights there_;
  std::vector<double> weights_;  // those of the present point, where the model has them
  std::vector<double> changes_;  // [parts of a batch]
};

extern template class PartPotentials<float>;
extern template class PartPotentials<double>;

}  // namespace riata
