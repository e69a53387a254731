// Passes over a corpus, one sentence after another, with the weights and their average, for all learners and structures.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <utility>

#include "core/poll.hpp"
#include "inference/model.hpp"
#include "inference/rules/rules.hpp"
#include "learning/online/learner.hpp"

namespace riata {

struct EpochResult {
  std::int64_t sentences = 0;     // number of sentences visited
  std::int64_t updates = 0;       // sentences that changed the weights
  std::int64_t tokens = 0;        // tokens of these sentences
  std::int64_t wrong_tokens = 0;  // tokens labelled wrongly before the update; -1: unknown
};

template <class Real>
class OnlineTrainer {
 public:
  // truncate: weights below this fraction of the largest weight are left out of models.
  OnlineTrainer(const Model<Real>& initial, std::unique_ptr<OnlineLearner<Real>> learner, double truncate);

  // One pass over the sentences in the given order. The index may have grown since the last pass. sentence_weights, [S], and class_weights,
  // [labels], may be empty. rules: if given, what the learner finds must keep them.
  EpochResult epoch(const Corpus& corpus, std::span<const std::int64_t> order, std::span<const double> sentence_weights,
                    std::span<const double> class_weights, const Poll& poll, const Rules* rules = nullptr);

  // Models with the average of the weights; with the last weights; and with the last weights, none of which are left out.
  std::unique_ptr<Model<Real>> averaged() { return made(weights_.average()); }
  std::unique_ptr<Model<Real>> last() { return made(weights_.last()); }
  std::unique_ptr<Model<Real>> untruncated();
  // Keeps the average or the last weights of now, in the memory of those kept before, in case that the next pass is broken off; and the
  // model with what was kept, in which features that have come since then are 0.
  void keep(bool average);
  std::unique_ptr<Model<Real>> kept();
  // The average. No pass may follow, and `untruncated` may be asked only if and_last is true, and once.
  std::unique_ptr<Model<Real>> finish(bool and_last);

  std::int64_t dropped() const noexcept { return dropped_; }
  double norm() const noexcept { return weights_.norm(); }
  const OnlineLearner<Real>& learner() const noexcept { return *learner_; }
  const Model<Real>& model() const noexcept { return *model_; }  // without weights
  Vector<Real>& weights() noexcept { return weights_; }
  // Takes over the features of a model of the same structure. move(vector) returns the vector with its numbers at the places that this
  // model gives them.
  template <class Move>
  void take_features(const Model<Real>& features, Move move) {
    weights_.rearrange(move);
    kept_.clear();
    model_->take_features(features);
  }

 private:
  std::unique_ptr<Model<Real>> made(Numbers<Real> flat);

  std::unique_ptr<Model<Real>> model_;
  std::unique_ptr<OnlineLearner<Real>> learner_;
  Vector<Real> weights_;
  Numbers<Real> kept_;         // empty: nothing
  bool keeps_average_ = true;  // or the last weights
  double truncate_;
  bool finished_ = false;
  std::int64_t dropped_ = 0;  // number of weights that truncation left out of the last model
};

extern template class OnlineTrainer<float>;
extern template class OnlineTrainer<double>;

}  // namespace riata
