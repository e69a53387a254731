// Outputs that are sets of parts: all questions of learners, answered by a solver on the scores of parts.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "inference/structure.hpp"
#include "inference/structures/part_model.hpp"

namespace riata {

// The loss is the sum of what the places cost at which an output differs from the truth.
template <class Real>
class PartStructure final : public Structure<Real> {
 public:
  PartStructure(const PartModel<Real>& model, const Corpus& over, Vector<Real>& vector)
      : Structure<Real>(over), labels_(model.labels()), vector_(vector) {}

  void open(std::int64_t s) override;
  Codes target() override { return corpus().gold_of(sentence_); }
  std::int64_t wrong(Codes output) const override;
  double best(std::span<std::int32_t> out) override;
  void open_list(std::int64_t) override { solver().open_list(); }
  std::optional<double> next(std::span<std::int32_t> out) override;
  void augment(double times) override;
  double loss(Codes output) override;
  double sums(double sharpness) override;
  double expected_loss() override;
  void take_expected(Difference& out) override;
  void set_risk(const Risk& risk) override { risk_ = risk; }
  ExpectedRight least_risk(std::span<std::int32_t> out) override;
  void difference(Codes towards, Codes away, bool by_class, Difference& out) override;
  void features(Codes output, Difference& out) override;
  double score(Codes output) override;
  std::unique_ptr<SingleWeights> single_weights(std::span<const double> sentence_weights) override;

 private:
  using Structure<Real>::corpus;
  std::int64_t length() const noexcept { return corpus().length(sentence_); }
  std::size_t part(std::int64_t t, std::int32_t label) const noexcept { return static_cast<std::size_t>(t * labels_ + label); }
  double cost(std::int64_t t) const noexcept {
    const std::vector<float>& costs = corpus().instances.costs;
    return costs.empty() ? 1.0 : double(costs[static_cast<std::size_t>(corpus().instances.starts[std::size_t(sentence_)] + t)]);
  }
  // The solver of the open sentence, with its scores and the loss that `augment` has added.
  PartSolver& solver();
  void write(std::span<std::int32_t> out) const;  // the parts that were found, as codes
  void add(std::int64_t t, std::int32_t code, double times, Difference& out) const;

  std::int32_t labels_;
  Vector<Real>& vector_;
  std::int64_t sentence_ = 0;
  PartSolver* solver_ = nullptr;  // nullptr: the scores are not known
  OpenSet set_, scaled_set_;      // scaled_set_: under other scores
  double constant_ = 0;           // what `augment` has added to the scores of all outputs
  double sharpness_ = 1;
  Risk risk_;
  std::vector<double> scores_, shares_, scaled_;  // [parts]
  std::vector<std::int32_t> found_;
};

extern template class PartStructure<float>;
extern template class PartStructure<double>;

}  // namespace riata
