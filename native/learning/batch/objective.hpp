// A batch objective: the sum of a loss over all sentences, and its gradient.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "core/poll.hpp"
#include "inference/potentials.hpp"
#include "learning/batch/sentence_loss.hpp"
#include "losses/output_loss.hpp"

namespace riata {

// Sentences are processed in batches: first sums over outputs, sentence by sentence, by any thread; then the gradient, one block of weights
// after the other. All sums have a fixed order, so the result has the same bytes for any number of threads.
class BatchObjective {
 public:
  // The value and its gradient are `value` and what was written, times e^scale. The scale is 0 unless the loss is exponential.
  struct Found {
    double value, scale;
  };

  // potentials must outlive the objective, and must not be used by another one. weights: [sentences], or empty.
  BatchObjective(Potentials& potentials, std::span<const double> weights, const OutputLoss& loss);

  std::int64_t size() const noexcept { return potentials_.size(); }
  double scale() const noexcept { return scale_; }  // of the last evaluation

  // The value at a point, [size]. gradient: [size], written. The poll is called between batches; if it returns false, the result is NaN.
  Found operator()(std::span<const double> at, std::span<double> gradient, std::int64_t threads, const Poll& poll);
  // The value alone, which is the same to the last bit and takes less time.
  Found value(std::span<const double> at, std::int64_t threads, const Poll& poll);

 private:
  // What a sentence adds to the value.
  struct Visit {
    VisitedLoss loss;
    bool done;  // whether factors could represent its scores
  };

  Found found(std::span<const double> at, std::span<double> gradient, std::int64_t threads, const Poll& poll);
  double evaluate(std::span<const double> at, std::span<double> gradient, std::int64_t threads, const Poll& poll);
  void visit(const SentenceRange& batch, std::int64_t threads);
  double settle(const SentenceRange& batch, double value);
  bool rescaled();

  Potentials& potentials_;
  std::vector<double> weights_;  // [S]
  OutputLoss loss_;
  bool takes_ = true;               // whether the present evaluation makes a gradient
  std::vector<Visit> visits_;       // [sentences of a batch]
  double scale_ = 0, highest_ = 0;  // the scale of the present evaluation; the largest log of weight / P that it has met
};

}  // namespace riata
