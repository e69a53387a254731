// One label for a whole sentence: all tokens of an output have the same one. Its weights are those of a chain that reads no neighbours.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "inference/structure.hpp"
#include "inference/structures/chain_model.hpp"
#include "models/row_reader.hpp"

namespace riata {

template <class Real>
class WholeModel : public ChainModel<Real> {
 public:
  using ChainModel<Real>::ChainModel;
  std::unique_ptr<Model<Real>> copy() const override { return std::make_unique<WholeModel>(*this); }
  std::unique_ptr<Structure<Real>> over(const Corpus& corpus, Vector<Real>& vector, bool grows) override;
};

template <class Real>
class WholeStructure : public Structure<Real> {
 public:
  WholeStructure(const WholeModel<Real>& model, const Corpus& over, Vector<Real>& vector)
      : Structure<Real>(over), labels_(model.weights.labels), vector_(vector), rows_(over.index, model.weights.layout, over.instances) {}

  void open(std::int64_t s) override;
  Codes target() override;  // most labels of the truth, if they differ
  double loss(Codes output) override { return static_cast<double>(wrong(output)); }
  double least_loss() override { return loss(target()); }
  std::int64_t wrong(Codes output) const override;
  double best(std::span<std::int32_t> out) override;
  void augment(double times) override;
  void open_list(std::int64_t most) override;
  std::optional<double> next(std::span<std::int32_t> out) override;
  void difference(Codes towards, Codes away, bool by_class, Difference& out) override;
  void features(Codes output, Difference& out) override { add(output[0], 1, out); }
  double score(Codes output) override;

 private:
  using Structure<Real>::corpus;
  double score_of(std::int32_t label) const;
  void add(std::int32_t label, double times, Difference& out) const;

  std::int32_t labels_;
  Vector<Real>& vector_;
  RowReader<const Layout> rows_;
  std::int64_t sentence_ = 0;
  std::vector<double> scores_;                          // [labels], with the loss where it was added
  std::vector<std::int32_t> target_, ranked_, chosen_;  // chosen_: one label at all tokens
  std::size_t given_ = 0;                               // of the ranked labels
};

}  // namespace riata
