// Tags and chunk labels over a corpus: features, scores, and a search space. There is no exact search.
#pragma once

#include <cstdint>
#include <memory>

#include "inference/structure.hpp"
#include "inference/structures/joint_model.hpp"
#include "inference/structures/joint_space.hpp"

namespace riata {

template <class Real>
class JointStructure : public Structure<Real> {
 public:
  JointStructure(JointModel<Real>& model, const Corpus& over, Vector<Real>& vector, bool grows)
      : Structure<Real>(over),
        model_(model),
        vector_(vector),
        grows_(grows),
        outputs_(over, model, model.weights.layout, vector, grows, {}) {}

  void open(std::int64_t s) override {
    sentence_ = s;
    outputs_.open(s, false);
  }
  Codes target() override { return corpus().gold_of(sentence_); }
  void difference(Codes towards, Codes away, bool, Difference& out) override {
    features(towards, out);
    const std::size_t before = out.size();
    features(away, out);
    for (std::size_t i = before; i < out.size(); ++i) out[i].second = -out[i].second;
    sum_up(out);  // most features are common to both outputs and cancel
  }
  void features(Codes output, Difference& out) override { outputs_.features_of(output, out); }
  double score(Codes output) override {
    Difference found;
    JointSpace<Real> reads(corpus(), model_, model_.weights.layout, vector_, false, {});
    reads.open(sentence_, false);
    reads.features_of(output, found);
    return vector_.dot(found);
  }
  std::unique_ptr<CorpusSpace> space(const QueueSpec& queue) override {
    return std::make_unique<JointSpace<Real>>(corpus(), model_, model_.weights.layout, vector_, grows_, queue);
  }

 private:
  using Structure<Real>::corpus;

  JointModel<Real>& model_;
  Vector<Real>& vector_;
  bool grows_;
  JointSpace<Real> outputs_;  // lists the features along outputs
  std::int64_t sentence_ = 0;
};

}  // namespace riata
