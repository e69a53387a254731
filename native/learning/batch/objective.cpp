#include "learning/batch/objective.hpp"

#include <algorithm>
#include <cmath>
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

BatchObjective::Found BatchObjective::operator()(std::span<const double> at, std::span<double> gradient, std::int64_t threads,
                                                 const Poll& poll) {
  takes_ = true;
  return found(at, gradient, threads, poll);
}

BatchObjective::Found BatchObjective::value(std::span<const double> at, std::int64_t threads, const Poll& poll) {
  takes_ = false;
  return found(at, {}, threads, poll);
}

// An exponential loss is evaluated once more if its scale was wrong: too small, and numbers overflow; too large, and they vanish. The scale
// is kept from one evaluation to the next, which is usually near.
BatchObjective::Found BatchObjective::found(std::span<const double> at, std::span<double> gradient, std::int64_t threads,
                                            const Poll& poll) {
  double value = evaluate(at, gradient, threads, poll);
  if (loss_.exponential && rescaled()) value = evaluate(at, gradient, threads, poll);
  return {value, scale_};
}

// Sets the scale to the largest exponent of the last evaluation, if it was far from it. Tables in single precision hold e^80, but factors
// of the gradient are multiplied by numbers that may be nearly as large.
bool BatchObjective::rescaled() {
  constexpr double far = 10;
  const double scale = std::max(highest_, 0.0);
  if (!std::isfinite(highest_) || std::abs(scale - scale_) <= far) return false;
  scale_ = scale;
  return true;
}

double BatchObjective::evaluate(std::span<const double> at, std::span<double> gradient, std::int64_t threads, const Poll& poll) {
  std::ranges::fill(gradient, 0);
  highest_ = -std::numeric_limits<double>::infinity();
  double value = 0 - potentials_.begin(at, threads);
  const std::span<const SentenceRange> batches = potentials_.batches();
  for (std::size_t number = 0; number < batches.size(); ++number) {
    const SentenceRange& batch = batches[number];
    if (!poll(batch.first)) return std::numeric_limits<double>::quiet_NaN();
    potentials_.start(number);
    visit(batch, threads);
    value = settle(batch, value);
    if (takes_) potentials_.gather(gradient, threads);
  }
  if (takes_) potentials_.finish(gradient, threads);
  return value;
}

void BatchObjective::visit(const SentenceRange& batch, std::int64_t threads) {
  visits_.resize(static_cast<std::size_t>(batch.end - batch.first));
  hand_out(
      batch.end - batch.first, threads, [&] { return sentence_loss(potentials_, weights_, loss_, scale_, takes_); },
      [&](std::int64_t k, const std::unique_ptr<SentenceLoss>& loss) {
        Visit& here = visits_[static_cast<std::size_t>(k)];
        const std::optional<VisitedLoss> found = loss->visit(batch.first + k);
        here.done = found.has_value();
        if (here.done) here.loss = *found;
      });
}

// Adds the values of the sentences of a batch, one after the other, in order. Sentences whose factors failed are visited again in
// logarithms.
double BatchObjective::settle(const SentenceRange& batch, double value) {
  std::unique_ptr<SentenceLoss> slow;
  for (std::int64_t s = batch.first; s < batch.end; ++s) {
    Visit& here = visits_[static_cast<std::size_t>(s - batch.first)];
    if (!here.done) {
      if (!slow) slow = sentence_loss(potentials_, weights_, loss_, scale_, takes_);
      here.loss = slow->visit_in_logarithms(s);
    }
    value += here.loss.value;
    if (loss_.exponential && weights_[static_cast<std::size_t>(s)] > 0)
      highest_ = std::max(highest_, here.loss.highest + std::log(weights_[static_cast<std::size_t>(s)]));
    if (takes_ && !loss_.linear && !loss_.pointwise) potentials_.take_truth(s, here.loss.times);
  }
  return value;
}

}  // namespace riata
