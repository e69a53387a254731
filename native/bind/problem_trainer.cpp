#include "bind/problem_trainer.hpp"

#include <chrono>
#include <memory>

#include "bind/search.hpp"
#include "core/error.hpp"
#include "learning/truncate.hpp"

namespace riata::bind {
namespace {

// Calls Python with the number of examples done, at most ten times a second.
class Progress {
 public:
  explicit Progress(const nb::object& call) : call_(call) {}

  void at(std::int64_t done) {
    if (call_.is_none()) return;
    const auto now = Clock::now();
    if (now - last_ < std::chrono::milliseconds(100)) return;
    last_ = now;
    call_(done);
  }

 private:
  using Clock = std::chrono::steady_clock;
  const nb::object& call_;
  Clock::time_point last_ = Clock::now();
};

}  // namespace

ProblemTrainer::ProblemTrainer(const nb::dict& settings, const ProblemModel* start)
    : queue_spec_(queue_of(settings)),
      limits_(limits_of(settings)),
      depth_(settings),
      learner_spec_(LearnerSpec::of(as_settings(settings))),
      truncate_(nb::cast<double>(settings["truncate"])),
      vocabulary_(start ? start->vocabulary() : Vocabulary{}),
      weights_(start ? start->weights() : Numbers<double>{}, StepSpec::of(as_settings(settings)).p),
      stepper_(StepSpec::of(as_settings(settings)), weights_),
      learner_(learner_spec_, stepper_) {}

ProblemPass ProblemTrainer::epoch(const nb::object& problem, const std::vector<std::string>& defined, const nb::list& inputs,
                                  const nb::list& outputs, const std::vector<std::int64_t>& order, std::span<const double> weights,
                                  const nb::object& progress) {
  const auto size = nb::len(inputs);
  bool ok = nb::len(outputs) == size && (weights.empty() || weights.size() == size);
  for (const std::int64_t i : order) ok = ok && i >= 0 && i < static_cast<std::int64_t>(size);
  if (!ok) throw Error("RiataError", "order, outputs and weights do not fit the inputs");

  const Methods methods = methods_of(problem, defined);
  SpaceOptions options = options_of(queue_spec_, true);
  options.adds_losses = stepper_.augments();
  PythonSpace space(methods, vocabulary_, weights_, options);
  stepper_.begin_pass(static_cast<std::int64_t>(size));
  const std::unique_ptr<Queue> queue = make_queue(queue_spec_);
  Search search(space, *queue, limits_);
  Progress told(progress);
  ProblemPass out;
  for (const std::int64_t i : order) {
    const auto at = static_cast<std::size_t>(i);
    space.open(inputs[at], outputs[at]);
    search.limit_depth(depth_.of(inputs[at]));
    const double weight = weights.empty() ? 1 : weights[at];
    learner_.begin(weight);
    at_example(i, space, [&] {
      if (weight == 0) return;  // there is nothing to learn
      try {
        const NodeId found = search.run(&learner_);
        if (!(learns_from_dead_ends() && stepper_.updated())) check_found(found);
      } catch (const NoGoodChild& error) {
        if (out.skipped++ == 0) {
          out.first_skipped = placed(i, space, error);
          out.remedy = error.remedy();
        }
      }
      out.unreachable += space.initial_regret() > 0;
    });
    depth_.note(search.tree());
    out.updates += stepper_.updated();
    stepper_.end();
    told.at(++out.examples);
  }
  choices_ += space.choices();
  tells_apart_ = tells_apart_ || space.tells_apart();
  tells_wrong_ = tells_wrong_ || space.tells_wrong();
  return out;
}

ProblemModel ProblemTrainer::model(Numbers<double> weights) {
  dropped_ = truncate(weights, truncate_);
  return {vocabulary_, weights};
}

}  // namespace riata::bind
