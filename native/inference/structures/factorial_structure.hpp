// Several labels per token over a corpus: exact search over their combinations, losses, sums and features.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "inference/exact/factorial_max.hpp"
#include "inference/structure.hpp"
#include "inference/structures/factorial_gradient.hpp"
#include "inference/structures/factorial_model.hpp"
#include "inference/structures/factorial_risk.hpp"
#include "inference/structures/factorial_scorer.hpp"

namespace riata {

// The loss of an output is its number of wrong labels, in all columns.
template <class Real>
class FactorialStructure : public Structure<Real> {
 public:
  FactorialStructure(FactorialModel<Real>& model, const Corpus& over, Vector<Real>& vector)
      : Structure<Real>(over),
        vector_(vector),
        coding_(model.weights.coding),
        scorer_(model.templates, model.weights.coding, model.weights.layout, over.instances) {}

  void open(std::int64_t s) override {
    sentence_ = s;
    opened_ = false;
  }
  Codes target() override { return corpus().gold_of(sentence_); }
  double best(std::span<std::int32_t> out) override;
  void open_list(std::int64_t) override { kbest_.open(scores()); }
  std::optional<double> next(std::span<std::int32_t> out) override;
  void augment(double times) override;
  double loss(Codes output) override;
  double sums(double sharpness) override;
  double expected_loss() override;
  void take_expected(Difference& out) override;
  void set_risk(const Risk& risk) override { risk_.emplace(shape(), coding_, risk); }
  ExpectedRight least_risk(std::span<std::int32_t> out) override;
  void difference(Codes towards, Codes away, bool by_class, Difference& out) override;
  void features(Codes output, Difference& out) override;
  double score(Codes output) override;

 private:
  using Structure<Real>::corpus;
  const FactorialShape& shape() const noexcept { return scorer_.shape(); }
  FactorialScores<Real>& scores();

  Vector<Real>& vector_;
  const FactorialCoding& coding_;
  FactorialScorer<Real> scorer_;
  std::int64_t sentence_ = 0;
  bool opened_ = false;  // whether scores_ are those of the open sentence
  FactorialScores<Real> scores_;
  FactorialForward<Real> forward_;
  KBest<FactorialForward<Real>> kbest_;
  std::optional<FactorialRisk<Real>> risk_;
  FactorialScores<Real> summed_;  // the scores that `sums` has added up, and their posteriors
  OwnedTables<Real> posteriors_;
};

extern template class FactorialStructure<float>;
extern template class FactorialStructure<double>;

}  // namespace riata
