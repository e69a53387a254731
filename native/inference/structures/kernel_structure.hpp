// A chain scored by a kernel function, over a corpus: an ordinary chain, whose scores of tokens come from kernel rows.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "inference/structure.hpp"
#include "inference/structures/chain_structure.hpp"
#include "inference/structures/kernel_rows.hpp"

namespace riata {

// All questions about outputs are answered by a chain that has one named feature per position of a sentence. Its weights are the scores of
// the tokens of the open sentence.
template <class Real>
class KernelStructure : public Structure<Real> {
 public:
  static constexpr bool has_metric = true;  // products of vectors are sums over kernel values

  // rows: of this corpus. grows: whether tokens become support tokens.
  KernelStructure(KernelModel<Real>& model, const Corpus& over, Vector<Real>& vector, std::shared_ptr<KernelRows<Real>> rows, bool grows);

  void expect(std::span<const std::int64_t> order) override;
  void settle() override;
  void open(std::int64_t s) override;
  Codes target() override { return inner_->target(); }
  std::int64_t wrong(Codes output) const override { return inner_->wrong(output); }
  double best(std::span<std::int32_t> out) override { return inner_->best(out); }
  void open_list(std::int64_t most) override { inner_->open_list(most); }
  std::optional<double> next(std::span<std::int32_t> out) override { return inner_->next(out); }
  void augment(double times) override { inner_->augment(times); }
  double loss(Codes output) override { return inner_->loss(output); }
  void count_tokens() override { inner_->count_tokens(); }
  void cost_labels(std::span<const double> costs) override { inner_->cost_labels(costs); }
  void set_risk(const Risk& risk) override { inner_->set_risk(risk); }
  ExpectedRight least_risk(std::span<std::int32_t> out) override { return inner_->least_risk(out); }
  void weigh_classes(std::span<const double> weights) override { inner_->weigh_classes(weights); }
  void difference(Codes towards, Codes away, bool by_class, Difference& out) override;
  void features(Codes output, Difference& out) override;
  double score(Codes output) override;
  std::unique_ptr<CorpusSpace> space(const QueueSpec& queue) override;

  // For the space: brings the scores of a sentence up to date; and turns a place of the inner chain into one of the model.
  void score_tokens(std::int64_t s);
  std::int64_t outer(std::int64_t s, std::int64_t place);
  void make_room();

 private:
  using Structure<Real>::corpus;
  static constexpr std::int64_t ahead = 256;  // tokens whose rows are computed together

  void prepare(std::int64_t s);
  // The output to move away from, with the labels of the other one where a token would have to become a support token and the budget is
  // used up.
  Codes within_budget(Codes towards, Codes away);
  void translate(std::size_t from, Difference& delta);

  KernelModel<Real>& model_;
  Vector<Real>& vector_;
  std::shared_ptr<KernelRows<Real>> rows_;
  bool grows_;
  FeatureIndex index_;
  Instances instances_;
  ChainModel<Real> chain_;
  Vector<Real> scores_;  // a view of the weights of chain_
  std::unique_ptr<Structure<Real>> inner_;
  std::int64_t sentence_ = 0;
  std::vector<std::int32_t> nearer_;  // an output that within_budget returns
  std::vector<std::int64_t> order_;   // the sentences to come; empty: not known
  std::size_t next_ = 0, prepared_ = 0;
};

extern template class KernelStructure<float>;
extern template class KernelStructure<double>;

}  // namespace riata
