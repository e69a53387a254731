// Dependency trees that a parser builds by moves, over a corpus: features, scores, and a search space. There is no exact search.
#pragma once

#include <cstdint>
#include <limits>
#include <memory>
#include <vector>

#include "inference/structure.hpp"
#include "inference/structures/transition_model.hpp"
#include "inference/structures/transition_space.hpp"

namespace riata {

// The score and the features of a tree are those of the best path to it.
template <class Real>
class TransitionStructure : public Structure<Real> {
 public:
  TransitionStructure(TransitionModel<Real>& model, const Corpus& over, Vector<Real>& vector, bool grows)
      : Structure<Real>(over),
        model_(model),
        vector_(vector),
        grows_(grows),
        paths_(over, model, vector, grows, {}),
        reads_(over, model, vector, false, {}) {}

  void open(std::int64_t s) override { sentence_ = s; }

  // A tree without crossing arcs.
  Codes target() override {
    reads_.open(sentence_, true);
    target_.assign(reads_.target().begin(), reads_.target().end());
    return target_;
  }
  double loss(Codes output) override {
    const Codes gold = corpus().gold_of(sentence_);
    double wrong = 0;
    for (std::size_t t = 0; t < gold.size(); ++t) wrong += model_.weights.coding.loss(gold[t], output[t]);
    return wrong;
  }
  void difference(Codes towards, Codes away, bool, Difference& out) override {
    features(towards, out);
    const std::size_t before = out.size();
    features(away, out);
    for (std::size_t i = before; i < out.size(); ++i) out[i].second = -out[i].second;
    sum_up(out);  // most features are common to both outputs and cancel
  }
  void features(Codes output, Difference& out) override {
    const std::vector<ActionId> path = paths_.path_to(sentence_, output);
    paths_.features_of(path, out);
  }
  double score(Codes output) override {
    const std::vector<ActionId> path = reads_.path_to(sentence_, output);
    if (reads_.missed() > 0 || !reads_.allows_target()) return -std::numeric_limits<double>::infinity();
    Difference found;
    return reads_.features_of(path, found);
  }
  std::unique_ptr<CorpusSpace> space(const QueueSpec& queue) override {
    return std::make_unique<TransitionSpace<Real>>(corpus(), model_, vector_, grows_, queue);
  }

 private:
  using Structure<Real>::corpus;

  TransitionModel<Real>& model_;
  Vector<Real>& vector_;
  bool grows_;
  TransitionSpace<Real> paths_, reads_;  // find paths to outputs; reads_ adds no features
  std::int64_t sentence_ = 0;
  std::vector<std::int32_t> target_;
};

}  // namespace riata
