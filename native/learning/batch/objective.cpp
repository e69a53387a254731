#include "learning/batch/objective.hpp"

#include <algorithm>
#include <limits>
#include <memory>
#include <optional>

#include "core/tasks.hpp"

namespace riata {

BatchObjective::BatchObjective(Potentials& potentials, std::span<const double> weights, const OutputLoss& loss)
    : potentials_(potentials), weights_(weights.begin(), weights.end()), loss_(loss) {
  if (weights_.empty()) weights_.assign(static_cast<std::size_t>(potentials_.sentences()), 1);
  potentials_.count_truth(loss_.linear ? weights_ : std::vector<double>());
}

double BatchObjective::operator()(std::span<const double> at, std::span<double> gradient, std::int64_t threads, const Poll& poll) {
  std::ranges::fill(gradient, 0);
  double value = 0 - potentials_.begin(at, threads);
  const std::span<const SentenceRange> batches = potentials_.batches();
  for (std::size_t number = 0; number < batches.size(); ++number) {
    const SentenceRange& batch = batches[number];
    if (!poll(batch.first)) return std::numeric_limits<double>::quiet_NaN();
    potentials_.start(number);
    visit(batch, threads);
    value = settle(batch, value);
    potentials_.gather(gradient, threads);
  }
  potentials_.finish(gradient, threads);
  return value;
}

// The value and the factor of the gradient of a sentence. log_p does not include the score of the parts of the truth that are counted
// beforehand.
OutputLoss::At BatchObjective::weighed(std::int64_t s, double log_p) const {
  const OutputLoss::At at = loss_.at(loss_.linear ? log_p : log_p + potentials_.shared_score(s));
  const double weight = weights_[static_cast<std::size_t>(s)];
  return {weight * at.value, weight * at.times};
}

void BatchObjective::visit(const SentenceRange& batch, std::int64_t threads) {
  visits_.resize(static_cast<std::size_t>(batch.end - batch.first));
  hand_out(
      batch.end - batch.first, threads, [&] { return potentials_.visitor(); },
      [&](std::int64_t k, const std::unique_ptr<Visitor>& visitor) {
        Visit& here = visits_[static_cast<std::size_t>(k)];
        const std::optional<double> log_p = visitor->open(batch.first + k);
        here.done = log_p.has_value();
        if (!here.done) return;
        here.at = weighed(batch.first + k, *log_p);
        visitor->take(here.at.times);
      });
}

// Adds the values of the sentences of a batch, one after the other, in order. Sentences whose factors failed are visited again in
// logarithms.
double BatchObjective::settle(const SentenceRange& batch, double value) {
  std::unique_ptr<Visitor> slow;
  for (std::int64_t s = batch.first; s < batch.end; ++s) {
    Visit& here = visits_[static_cast<std::size_t>(s - batch.first)];
    if (!here.done) {
      if (!slow) slow = potentials_.visitor();
      here.at = weighed(s, slow->open_in_logarithms(s));
      slow->take_in_logarithms(here.at.times);
    }
    value += here.at.value;
    if (!loss_.linear) potentials_.take_truth(s, here.at.times);
  }
  return value;
}

}  // namespace riata
