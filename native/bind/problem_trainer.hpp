// Learning by search on a problem written in Python, one example after another. The caller must hold the GIL.
#pragma once

#include <nanobind/nanobind.h>

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "bind/problem_model.hpp"
#include "bind/problem_search.hpp"
#include "bind/python_space.hpp"
#include "learning/search_learner.hpp"

namespace riata::bind {

// The result of one pass over examples.
struct ProblemPass {
  std::int64_t examples = 0, updates = 0;
  std::int64_t unreachable = 0;       // examples whose initial regret is above 0
  std::int64_t skipped = 0;           // examples with a y-good state without a y-good child: the regret is not exact
  std::string first_skipped, remedy;  // message and remedy of the first skipped example
};

class ProblemTrainer {
 public:
  // start: the model from which training continues, or null.
  ProblemTrainer(const nb::dict& settings, const ProblemModel* start);

  // One pass over the examples in the given order. weights: of the examples, or none. progress: None, or a function that is called at
  // intervals with the number of examples done.
  ProblemPass epoch(const nb::object& problem, const std::vector<std::string>& defined, const nb::list& inputs, const nb::list& outputs,
                    const std::vector<std::int64_t>& order, std::span<const double> weights, const nb::object& progress);

  ProblemModel averaged() { return model(weights_.average()); }
  ProblemModel last() { return model(weights_.last()); }
  ProblemModel untruncated() const { return {vocabulary_, weights_.last()}; }
  std::int64_t dropped() const noexcept { return dropped_; }
  std::int64_t deepest() const noexcept { return depth_.deepest(); }
  std::int64_t alike() const noexcept { return tells_apart_ ? 0 : choices_; }
  bool all_right() const noexcept { return choices_ > 0 && !tells_wrong_; }
  const StepStats& stats() const noexcept { return stepper_.stats(); }
  double norm() const noexcept { return weights_.norm(); }
  LeastMargins recorded_margins() const { return stepper_.recorded_margins(); }

 private:
  // If the whole search comes before the update, a dead end is a wrong output like others; otherwise only the truth itself can lead to one.
  bool learns_from_dead_ends() const noexcept { return learner_spec_.when == When::standard || learner_spec_.when == When::max_violation; }
  ProblemModel model(Numbers<double> weights);

  QueueSpec queue_spec_;
  Limits limits_;
  DepthLimit depth_;
  LearnerSpec learner_spec_;
  double truncate_;
  Vocabulary vocabulary_;
  Vector<double> weights_;
  Stepper<double> stepper_;
  SearchLearner<double> learner_;
  std::int64_t choices_ = 0;  // number of states with several operators
  bool tells_apart_ = false;  // whether features of some such state differed between its operators
  bool tells_wrong_ = false;  // whether a step was wrong
  std::int64_t dropped_ = 0;  // number of weights that truncation left out of the last model
};

}  // namespace riata::bind
