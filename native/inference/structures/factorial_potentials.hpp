// The potentials of several labels per token: a factorial conditional random field (Sutton, Rohanimanesh & McCallum 2004).
#pragma once

#include <atomic>
#include <cstdint>
#include <span>
#include <vector>

#include "inference/structures/chain_pairs.hpp"
#include "inference/structures/factorial_gradient.hpp"
#include "inference/structures/sentence_potentials.hpp"

namespace riata {

template <class Real>
class FactorialPotentials final : public SentencePotentials<Real, FactorialGradient<Real>> {
 public:
  // index and instances must outlive the potentials. gold: [N] codes. how: exact sums, or approximate ones, whose log Z is Bethe's.
  FactorialPotentials(const FeatureIndex& index, const FactorialTemplates& templates, const FactorialCoding& coding,
                      const Instances& instances, Codes gold, FeatureLabels which, SumsBy how);

  double begin(std::span<const double> at, std::int64_t threads) override;
  const FactorialTemplates& templates() const noexcept { return templates_; }
  // The number of sentences of the last evaluation whose approximate sums did not converge.
  std::int64_t unsettled() const noexcept { return unsettled_; }

  const FactorialPotentials& points() const noexcept { return *this; }
  // The model whose weights are those of a point, in any precision; and the point whose weights are those of a model.
  template <class Out>
  FactorialWeights<Out> model(std::span<const double> at) const {
    return {coding_, this->template flat<Out>(at), layout_};
  }
  std::vector<double> point(const FactorialWeights<Real>& weights) const;

 private:
  FactorialScorer<Real> scorer() const { return {templates_, coding_, layout_, this->instances_}; }
  FactorialGradient<Real> answers(bool) override { return {scorer(), this->instances_, this->gold_, how_, unsettled_}; }

  FactorialTemplates templates_;
  FactorialCoding coding_;
  FactorialLayout layout_;
  SumsBy how_;
  std::atomic<std::int64_t> unsettled_ = 0;
};

extern template class FactorialPotentials<float>;
extern template class FactorialPotentials<double>;

}  // namespace riata
