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

  // What the learner needs of the weight vector: its average, or its norm as well; and p, the norm under which it is learnt.
  virtual typename Vector<Real>::Keeps keeps() const { return Vector<Real>::Keeps::average; }
  virtual double p() const { return 2; }

  // To be called before every pass. The structure and the weights outlive the pass. poll: the learner calls it now and then in long loops.
  virtual void begin(Structure<Real>& structure, Vector<Real>& weights, std::function<void()> poll) = 0;

  // Throws where a sentence cannot be learnt from. It is called for all sentences before the first visit.
  virtual void check(std::int64_t) {}

  // What came of a sentence: whether the weights have changed, and how many tokens were labelled wrongly before (-1: not known).
  struct Seen {
    bool updated = false;
    std::int64_t wrong = 0;
  };
  // Learns from a sentence that has a token. weight: of the sentence.
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
