// A learner that decides as a recipe does but only records: the weights do not change.
#pragma once

#include <span>
#include <utility>

#include "inference/search/trace.hpp"
#include "learning/search_learner.hpp"

namespace riata {

// What a trace shows of learning: nothing; the first update that would be made, while the search continues as in decoding; or all of
// learning.
enum class Shown { nothing, update, learning };

template <class Real>
class TraceLearner : public SearchLearner<Real> {
 public:
  using Verdict = Learner::Verdict;

  TraceLearner(const LearnerSpec& spec, Stepper<Real>& stepper, TraceRecorder& recorder, Shown shown)
      : SearchLearner<Real>(spec, stepper), recorder_(recorder), shown_(shown) {}

  double margin() const override { return shown_ == Shown::learning ? SearchLearner<Real>::margin() : 0; }

  Verdict at_front(Search& search, std::span<const NodeId> front, bool lost, bool wrong) override {
    recorder_.judged(lost, wrong);
    if (!asks()) return {};
    Verdict verdict = SearchLearner<Real>::at_front(search, front, lost, wrong);
    recorder_.look(search);
    return shown_ == Shown::learning ? verdict : Verdict{};
  }

  void at_dead_end(Search& search, NodeId last) override {
    if (asks()) SearchLearner<Real>::at_dead_end(search, last);
  }

 protected:
  void update(Search& search, std::span<const NodeId> siblings, const Weighted& competitors) override {
    updated_ = true;
    recorder_.updated(
        {{siblings.begin(), siblings.end()}, competitors, competitors.empty() ? Difference{} : difference(search, siblings, competitors)});
  }

 private:
  bool asks() const noexcept { return shown_ == Shown::learning || (shown_ == Shown::update && !updated_); }

  TraceRecorder& recorder_;
  Shown shown_;
  bool updated_ = false;
};

}  // namespace riata
