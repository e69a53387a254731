// A learner that takes one sentence after another, for any structure.
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

  // What the learner needs of the weight vector: its average, or also its norm; and p, the norm under which it learns.
  virtual typename Vector<Real>::Keeps keeps() const { return Vector<Real>::Keeps::average; }
  virtual double p() const { return 2; }

  // Must be called before every pass. The structure and the weights outlive the pass. poll: the learner calls it at intervals in long
  // loops.
  virtual void begin(Structure<Real>& structure, Vector<Real>& weights, std::function<void()> poll) = 0;

  // Throws if a sentence cannot be learnt from. It is called for all sentences before the first visit.
  virtual void check(std::int64_t) {}

  // The result of a visit: whether the weights have changed, and how many tokens were labelled wrongly before (-1: unknown).
  struct Seen {
    bool updated = false;
    std::int64_t wrong = 0;
  };
  // Learns from a sentence, which must have a token. weight: of the sentence.
  virtual Seen visit(std::int64_t s, double weight) = 0;
  // Called after every sentence, whether it was visited or not: counts the weights in their average.
  virtual void end(Vector<Real>& weights) { weights.tick(); }

  // Statistics for the theory of search.
  virtual StepStats stats() const { return {}; }
  virtual LeastMargins recorded_margins() const { return {}; }
};

template <class Real>
using OnlineLearners = Registry<OnlineLearner<Real>, const Settings&>;

// Registers the learner of a file under the name that recipes use.
#define RIATA_ONLINE_LEARNER(name, Class)                                                                                               \
  namespace {                                                                                                                           \
  const OnlineLearners<float>::Entry single_entry(name,                                                                                 \
                                                  [](const Settings& settings) { return std::make_unique<Class<float>>(settings); });   \
  const OnlineLearners<double>::Entry double_entry(name,                                                                                \
                                                   [](const Settings& settings) { return std::make_unique<Class<double>>(settings); }); \
  }

}  // namespace riata
