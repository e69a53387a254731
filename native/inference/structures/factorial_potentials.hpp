// The potentials of several labels per token: a factorial conditional random field (Sutton, Rohanimanesh & McCallum 2004).
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "inference/sentence_gradient.hpp"
#include "inference/structures/batched_potentials.hpp"
#include "inference/structures/factorial_inference.hpp"
#include "inference/structures/factorial_rows.hpp"

namespace riata {

template <class Real>
class FactorialVisitor;

// The truth is subtracted when its sentence is visited; nothing is counted beforehand.
template <class Real>
class FactorialPotentials final : public BatchedPotentials {
 public:
  // index and instances must outlive the potentials. gold: [N] codes. how: exact sums, or approximate ones, whose log Z is Bethe's.
  FactorialPotentials(const FeatureIndex& index, const FactorialTemplates& templates, const FactorialCoding& coding,
                      const Instances& instances, std::span<const std::int32_t> gold, FeatureLabels which, SumsBy how);

  std::int64_t size() const noexcept override { return rows_.size(); }
  const FactorialTemplates& templates() const noexcept { return rows_.templates(); }
  void count_truth(std::span<const double>) override {}
  double begin(std::span<const double> at, std::int64_t threads) override;
  std::unique_ptr<Visitor> visitor() override;
  void gather(std::span<double>, std::int64_t threads) override { rows_.gather(batch(), node_, pair_, threads); }
  void finish(std::span<double> gradient, std::int64_t threads) override { rows_.finish(gradient, threads); }
  double shared_score(std::int64_t) const override { return 0; }
  void take_truth(std::int64_t, double) override {}

  // The number of sentences of the last evaluation whose approximate sums did not converge.
  std::int64_t unsettled() const noexcept { return unsettled_; }

  // The gradient of one sentence after another, under weights that change in between. The potentials must outlive the gradient.
  std::unique_ptr<SentenceGradient<Real>> gradient();

  const FactorialRows<Real>& points() const noexcept { return rows_; }

 private:
  friend class FactorialVisitor<Real>;

  FactorialTables<Real> tables(std::int64_t s);

  FactorialCoding coding_;
  std::vector<std::int32_t> gold_;
  SumsBy how_;
  FactorialRows<Real> rows_;
  std::vector<Numbers<Real>> shared_;       // [factors] tables that all tokens share, with constraints
  std::vector<StepTable<Real>> factors_;    // [columns] the same as factors
  std::vector<Numbers<Real>> node_, pair_;  // of the present batch: posteriors minus the truth
  std::atomic<std::int64_t> unsettled_ = 0;
};

extern template class FactorialPotentials<float>;
extern template class FactorialPotentials<double>;

}  // namespace riata
