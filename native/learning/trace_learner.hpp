// A learner that decides as a recipe does and only records: the weights stay as they are.
#pragma once

#include <span>
#include <utility>

#include "inference/search/trace.hpp"
#include "learning/search_learner.hpp"

namespace riata {

template <class Real>
class TraceLearner : public SearchLearner<Real> {
 public:
  using Verdict = Learner::Verdict;

  // follows: whether the search stops and restarts as in training; otherwise it goes on as in decoding.
  TraceLearner(const LearnerSpec& spec, Linear<Real>& weights, TraceRecorder& recorder, bool follows)
      : SearchLearner<Real>(spec, weights), recorder_(recorder), follows_(follows) {}

  double margin() const override { return follows_ ? SearchLearner<Real>::margin() : 0; }

  Verdict at_front(Search& search, std::span<const NodeId> front, bool lost, bool wrong) override {
    recorder_.judged(lost, wrong);
    if (!follows_) return {};
    Verdict verdict = SearchLearner<Real>::at_front(search, front, lost, wrong);
    recorder_.look(search);
    return verdict;
  }

  void at_dead_end(Search& search, NodeId last) override {
    if (follows_) SearchLearner<Real>::at_dead_end(search, last);
  }

 protected:
  void update(Search& search, std::span<const NodeId> siblings, const Weighted& competitors) override {
    recorder_.updated({{siblings.begin(), siblings.end()},
                       competitors,
                       competitors.empty() ? Difference{} : difference(search, siblings, competitors)});
  }

 private:
  TraceRecorder& recorder_;
  bool follows_;
};

}  // namespace riata
