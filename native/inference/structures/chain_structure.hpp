// A chain of labels over a corpus: exact search one or two labels back, losses, features, and the space of the other searches.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "inference/exact/slack_search.hpp"
#include "inference/structure.hpp"
#include "inference/structures/chain_expectations.hpp"
#include "inference/structures/chain_model.hpp"
#include "inference/structures/chain_risk.hpp"
#include "inference/structures/exact_chain.hpp"

namespace riata {

template <class Real>
class ChainStructure : public Structure<Real> {
 public:
  ChainStructure(ChainModel<Real>& model, const Corpus& over, Vector<Real>& vector, bool grows)
      : Structure<Real>(over), model_(model), vector_(vector), grows_(grows), rows_(over.index, model.weights.layout, over.instances) {}

  void open(std::int64_t s) override {
    sentence_ = s;
    opened_ = nullptr;
  }
  Codes target() override { return corpus().gold_of(sentence_); }
  std::int64_t wrong(Codes output) const override;
  double best(std::span<std::int32_t> out) override {
    scores();
    return double(exact_->best(out.data()));
  }
  void open_list(std::int64_t) override {
    scores();
    exact_->open_list();
  }
  std::optional<double> next(std::span<std::int32_t> out) override;
  void augment(double times) override;
  double loss(Codes output) override;
  void count_tokens() override { costs_.clear(); }
  void cost_labels(std::span<const double> costs) override;
  double best_by_slack(std::span<std::int32_t> out) override;
  double sums(double sharpness) override;
  double expected_loss() override;
  void take_expected(Difference& out) override;
  void set_risk(const Risk& risk) override { risk_.emplace(model_.weights.labels, model_.constraint, risk); }
  ExpectedRight least_risk(std::span<std::int32_t> out) override {
    scores();
    return (*risk_)(exact_->opened(), out.data());
  }
  void weigh_classes(std::span<const double> weights) override { class_weights_.assign(weights.begin(), weights.end()); }
  void difference(Codes towards, Codes away, bool by_class, Difference& out) override;
  void features(Codes output, Difference& out) override;
  double score(Codes output) override;
  std::unique_ptr<SingleWeights> single_weights(std::span<const double> sentence_weights) override;
  std::unique_ptr<CorpusSpace> space(const QueueSpec& queue) override;

 private:
  using Structure<Real>::corpus;
  ChainRows<Real> view() const noexcept {
    const Weights<Real>& of = model_.weights;
    return {of.layout, of.history, vector_, of.local, of.truncated};
  }
  double class_weight(std::int32_t label) const noexcept {
    return class_weights_.empty() ? 1.0 : class_weights_[static_cast<std::size_t>(label)];
  }
  // What a label costs at a token with this true label.
  double cost(std::int32_t gold, std::int32_t label) const noexcept {
    if (gold == label) return 0;
    const double plain = costs_.empty() ? 1.0 : costs_[static_cast<std::size_t>(gold) * model_.weights.labels + label];
    return plain * class_weight(gold);
  }
  ChainScores<Real>& scores();
  void take_expected_history(std::int32_t t, Difference& out);
  double history_score(std::int32_t t, Codes output) const;
  void make_room();

  ChainModel<Real>& model_;
  Vector<Real>& vector_;
  bool grows_;
  RowReader<const Layout> rows_;
  std::int64_t sentence_ = 0;
  std::vector<double> class_weights_;      // [labels] or empty: all weigh 1
  std::vector<double> costs_;              // [labels][labels] by true label, or empty: every wrong label costs 1
  std::optional<ExactChain<Real>> exact_;  // created when it is first needed; searches by queues do not need it
  ChainScores<Real>* opened_ = nullptr;    // the scores of the open sentence, once they have been asked for
  SlackSearch<Real> slack_search_;
  std::optional<ChainExpectations<Real>> expectations_;
  std::optional<ChainRisk<Real>> risk_;
  std::optional<ChainScorer<Real>> scorer_;  // scores given outputs, also of models whose templates exact search cannot read
  ChainScores<Real> scored_;
};

extern template class ChainStructure<float>;
extern template class ChainStructure<double>;

}  // namespace riata
