// Learning by search: LaSO and related learners, from the states that a queue reaches; or, with exact search, from the best outputs.
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "inference/search/engine.hpp"
#include "learning/online/learner.hpp"
#include "learning/online/output_step.hpp"
#include "learning/search_learner.hpp"

namespace riata {

template <class Real>
class SearchVisits : public OnlineLearner<Real> {
 public:
  using typename OnlineLearner<Real>::Seen;

  explicit SearchVisits(const Settings& settings)
      : queue_(QueueSpec::of(settings)),
        limits_(limits_of(settings)),
        pending_(queue_.name == "exact" ? nullptr : make_queue(queue_)),
        stepper_(StepSpec::of(settings)),
        states_(LearnerSpec::of(settings), stepper_),
        outputs_(LearnerSpec::of(settings).what == What::lattice, stepper_) {}

  typename Vector<Real>::Keeps keeps() const override { return Vector<Real>::Keeps::norm; }
  double p() const override { return stepper_.spec().p; }
  StepStats stats() const override { return stepper_.stats(); }
  LeastMargins recorded_margins() const override { return stepper_.recorded_margins(); }

  void begin(Structure<Real>& structure, Vector<Real>& weights, std::function<void()> poll) override {
    stepper_.set_weights(weights);
    stepper_.begin_pass(structure.corpus().sentences());
    search_.reset();
    if (pending_ == nullptr) return outputs_.begin(structure);
    limits_.poll = std::move(poll);
    space_ = structure.space(queue_);
    if (stepper_.augments()) space_->add_losses();
    search_.emplace(*space_, *pending_, limits_);
  }

  void check(std::int64_t s) override {
    if (space_ != nullptr) space_->check_truth(s);
  }

  Seen visit(std::int64_t s, double weight) override {
    if (!search_) {
      stepper_.begin(weight);
      outputs_.visit(s);
    } else {
      space_->open(s, true);
      states_.begin(weight);
      run_on(s, *search_, &states_);
    }
    return {stepper_.updated(), -1};
  }

  void end(Vector<Real>&) override { stepper_.end(); }

 private:
  QueueSpec queue_;
  Limits limits_;
  std::unique_ptr<Queue> pending_;  // nullptr: exact search
  Stepper<Real> stepper_;
  SearchLearner<Real> states_;
  OutputStep<Real> outputs_;
  std::unique_ptr<CorpusSpace> space_;
  std::optional<Search> search_;
};

RIATA_ONLINE_LEARNER("search", SearchVisits)

}  // namespace riata
