// A structure under rules: its best output is the best that keeps them, and its search space leads to no other.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <utility>
#include <vector>

#include "inference/model.hpp"
#include "inference/rules/check.hpp"
#include "inference/rules/constrained_space.hpp"
#include "inference/rules/ruled_search.hpp"

namespace riata {

// For learners whose argmax is constrained (Punyakanok, Roth, Yih & Zimak 2005, Fig. 1b). The inner structure is asked first; if its best
// output breaks a rule, an unbounded beam finds the best one that keeps all of them. The target stays what it is, even if it breaks rules.
// A sentence without an output that keeps them, whose target cannot keep them either, has the best output of the inner structure.
// It refuses what rules would change and search does not give: lists of outputs, scores with losses, and sums.
template <class Real>
class ConstrainedStructure : public Structure<Real> {
 public:
  ConstrainedStructure(const Model<Real>& model, std::unique_ptr<Structure<Real>> inner, const Rules& rules)
      : Structure<Real>(inner->corpus()),
        model_(model),
        inner_(std::move(inner)),
        rules_(rules),
        check_(rules),
        search_(model, *inner_, rules, {.name = "exact"}, {}, {}, {}, poll_) {
    rules.check_sentences(inner_->corpus().sentences());
    inner_->hear([this] { this->poll(); });
  }

  void expect(std::span<const std::int64_t> order) override { inner_->expect(order); }
  void settle() override { inner_->settle(); }
  void open(std::int64_t s) override {
    sentence_ = s;
    inner_->open(s);
  }
  Codes target() override { return inner_->target(); }
  std::int64_t wrong(Codes output) const override { return inner_->wrong(output); }

  double best(std::span<std::int32_t> out) override {
    const double score = inner_->best(out);
    parts_.clear();
    model_.parts(out, parts_);
    if (check_(sentence_, parts_).clean()) return score;
    const auto found = search_.find(sentence_, out);  // writes nothing if it finds nothing
    return found.how == Answered::none ? score : found.score;
  }

  double loss(Codes output) override { return inner_->loss(output); }
  double least_loss() override { return inner_->least_loss(); }
  void count_tokens() override { inner_->count_tokens(); }
  void cost_labels(std::span<const double> costs) override { inner_->cost_labels(costs); }
  double span_loss(Codes output) override { return inner_->span_loss(output); }
  void difference(Codes towards, Codes away, bool by_class, Difference& out) override { inner_->difference(towards, away, by_class, out); }
  void features(Codes output, Difference& out) override { inner_->features(output, out); }
  double score(Codes output) override { return inner_->score(output); }
  void weigh_classes(std::span<const double> weights) override { inner_->weigh_classes(weights); }

  std::unique_ptr<CorpusSpace> space(const QueueSpec& queue) override {
    return std::make_unique<ConstrainedSpace>(
        this->corpus(), rules_, [this](Codes output, std::vector<Part>& out) { model_.parts(output, out); }, queue,
        [this](const QueueSpec& unmerged) { return inner_->space(unmerged); });
  }

 private:
  const Model<Real>& model_;
  std::unique_ptr<Structure<Real>> inner_;
  const Rules& rules_;
  RuleCheck check_;
  const Poll poll_ = [this](std::int64_t) { return this->poll(), true; };
  RuledSearch<Real> search_;
  std::int64_t sentence_ = 0;
  std::vector<Part> parts_;
};

}  // namespace riata
