// A batch objective: the sum of a loss over all sentences, and its gradient.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "core/poll.hpp"
#include "inference/potentials.hpp"
#include "losses/output_loss.hpp"

namespace riata {

// Sentences are gone through in batches. First, sentence by sentence and by any thread, sums over outputs; then, block of weights by block,
// the gradient. All sums have a fixed order: the same bytes for any number of threads.
class BatchObjective {
 public:
  // potentials must outlive it, and serve no other objective. weights: of sentences, or empty.
  BatchObjective(Potentials& potentials, std::span<const double> weights, const OutputLoss& loss);

  std::int64_t size() const noexcept { return potentials_.size(); }

  // The value at a point [size]. gradient: [size] to write. Poll is asked between batches; false ends it with NaN.
  double operator()(std::span<const double> at, std::span<double> gradient, std::int64_t threads, const Poll& poll);

 private:
  // What a sentence adds to the value, and how many times its difference is added to the gradient.
  struct Visit {
    OutputLoss::At at;
    bool done;  // whether factors could hold its scores
  };

  void visit(const SentenceRange& batch, std::int64_t threads);
  double settle(const SentenceRange& batch, double value);
  OutputLoss::At weighed(std::int64_t s, double log_p) const;

  Potentials& potentials_;
  std::vector<double> weights_;  // [S]
  OutputLoss loss_;
  std::vector<Visit> visits_;  // [sentences of a batch]
};

}  // namespace riata
