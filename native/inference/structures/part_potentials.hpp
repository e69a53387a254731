// The potentials of outputs that are sets of parts: a conditional random field over them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "inference/structures/chain_pairs.hpp"
#include "inference/structures/part_model.hpp"
#include "inference/structures/sentence_potentials.hpp"

namespace riata {

// The answers that SentencePotentials asks for: probabilities of parts, minus 1 for those of the truth.
template <class Real>
class PartPosteriors {
 public:
  PartPosteriors(const Instances& instances, Codes gold, std::int32_t labels)
      : instances_(instances), gold_(gold), labels_(static_cast<std::size_t>(labels)) {}

  using Kept = std::vector<double>;  // [parts]

  static constexpr bool shared = false;
  static std::int32_t work() noexcept { return 32; }

  double open(std::int64_t s, const Real* weights, Real scale) {
    score_parts(instances_, s, static_cast<std::int32_t>(labels_), weights, double(scale), scores_);
    shares_.resize(scores_.size());
    truth_.clear();
    double truth = 0;
    for (std::int64_t t = 0; t < instances_.length(s); ++t) {
      const std::int32_t code = gold_[static_cast<std::size_t>(instances_.starts[static_cast<std::size_t>(s)] + t)];
      if (code == 0) continue;
      truth_.push_back(static_cast<std::size_t>(t) * labels_ + static_cast<std::size_t>(code) - 1);
      truth += scores_[truth_.back()];
    }
    return truth - set_.open(*instances_.sets[static_cast<std::size_t>(s)], scores_).sums(shares_);
  }
  void keep(Kept& out) const {
    out = shares_;
    for (const std::size_t part : truth_) out[part] -= 1;
  }
  template <class To>
  void add(std::int64_t s, const Kept& kept, double times, const To& to) {
    row_.resize(labels_);
    const double* from = kept.data();
    for (std::int64_t t = 0; t < instances_.length(s); ++t, from += labels_) {
      for (std::size_t label = 0; label < labels_; ++label) row_[label] = static_cast<Real>(from[label]);
      each_feature(instances_, s, t, [&](std::int32_t feature, float value) {
        to.add(static_cast<std::int64_t>(feature) * static_cast<std::int64_t>(labels_), row_.data(), times * double(value));
      });
    }
  }

 private:
  const Instances& instances_;
  Codes gold_;
  std::size_t labels_;
  OpenSet set_;
  std::vector<double> scores_, shares_;
  std::vector<std::size_t> truth_;  // the parts of the truth
  std::vector<Real> row_;           // [labels]
};

// A point has those weights of the model that exist, in their order: those of a model to start from and those that truths have, or all.
template <class Real>
class PartPotentials final : public SentencePotentials<Real, PartPosteriors<Real>> {
 public:
  // instances must outlive the potentials. gold: [N] codes.
  PartPotentials(const PartModel<Real>& like, const Instances& instances, Codes gold, FeatureLabels which);

  const PartPotentials& points() const noexcept { return *this; }
  // The model whose weights are those of a point, in any precision; and the point whose weights are those of a model.
  template <class Out>
  PartModel<Out> model(std::span<const double> at) const {
    PartModel<Out> made(labels_, 0);
    made.weights = this->template flat<Out>(at);
    return made;
  }
  std::vector<double> point(const Numbers<Real>& weights) const { return this->point_of(weights); }

 private:
  PartPosteriors<Real> answers(bool) override { return {this->instances_, this->gold_, labels_}; }

  std::int32_t labels_;
};

extern template class PartPotentials<float>;
extern template class PartPotentials<double>;

}  // namespace riata
