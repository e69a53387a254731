// A learner that takes one sentence after another, whatever the structure.
#pragma once

#include <cstdint>
#include <functional>

#include "core/registry.hpp"
#include "core/settings.hpp"
#include "inference/structure.hpp"
#include "learning/step.hpp"
#include "models/vector.hpp"

namespace riata {

template <class Real>
class OnlineLearner {
 public:
  virtual ~OnlineLearner() = default;

  // What the learner asks of the weights: their average, or their norm too; and under which norm they are learnt.
  virtual typename Vector<Real>::Keeps keeps() const { return Vector<Real>::Keeps::average; }
  virtual double p() const { return 2; }

  // Before every pass. Both stay as they are until the next one. poll: to be called now and then from what takes long.
  virtual void begin(Structure<Real>& structure, Vector<Real>& weights, std::function<void()> poll) = 0;

  // Throws where a sentence cannot be learnt from, before any is.
  virtual void check(std::int64_t) {}

  // What came of a sentence: whether the weights have changed, and how many tokens were labelled wrongly before (-1: not known).
  struct Seen {
    bool updated = false;
    std::int64_t wrong = 0;
  };
  // A sentence that has a token, and what it weighs.
  virtual Seen visit(std::int64_t s, double weight) = 0;

  // For the theory of search.
  virtual StepStats stats() const { return {}; }
  virtual LeastMargins recorded_margins() const { return {}; }
};

template <class Real>
using OnlineLearners = Registry<OnlineLearner<Real>, const Settings&>;

// In the file of a learner: enters it under a name that recipes use.
#define RIATA_ONLINE_LEARNER(name, Class)                                                                                               \
  namespace {                                                                                                                           \
  const OnlineLearners<float>::Entry single_entry(name,                                                                                 \
                                                  [](const Settings& settings) { return std::make_unique<Class<float>>(settings); });   \
  const OnlineLearners<double>::Entry double_entry(name,                                                                                \
                                                   [](const Settings& settings) { return std::make_unique<Class<double>>(settings); }); \
  }

}  // namespace riata
