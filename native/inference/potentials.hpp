// What a batch objective asks of a structure: how probable the true output of a sentence is, and how every weight shares in that.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <vector>

namespace riata {

// Goes through sentences of the batch at hand, one after the other. Every thread has one of its own.
class Visitor {
 public:
  virtual ~Visitor() = default;

  // Opens a sentence: log P of its truth, or of all outputs that agree with what is known of it; without the parts of the truth that
  // `Potentials::count_truth` counts. Nothing where scores are beyond what factors can hold: then logarithms must do it.
  virtual std::optional<double> open(std::int64_t s) = 0;
  // Adds `times` the difference of posteriors and truth of the open sentence to the tables of the batch.
  virtual void take(double times) = 0;

  // `open` and `take` in logarithms and double precision: slow, but for scores of any size; one sentence at a time.
  virtual double open_in_logarithms(std::int64_t s) = 0;
  virtual void take_in_logarithms(double times) = 0;
};

// The sentences from first to end - 1.
struct SentenceRange {
  std::int64_t first, end;
};

// The scores of a structure's parts, on given sentences, as functions of a point: a vector of all weights that there are. An evaluation is:
// begin; for each batch start, visits, gather; finish. What is summed is summed in an order that does not depend on the number of threads.
class Potentials {
 public:
  virtual ~Potentials() = default;

  virtual std::int64_t size() const noexcept = 0;  // weights
  virtual std::int64_t sentences() const noexcept = 0;
  // Sentences whose tables fit into memory together.
  virtual std::span<const SentenceRange> batches() const noexcept = 0;

  // Parts of the truth that many sentences share can be counted once for all evaluations. weights: how often each sentence counts;
  // empty: nothing is counted.
  virtual void count_truth(std::span<const double> weights) = 0;
  // Takes on the weights, and forgets what was gathered. Returns what the counted parts of the truth score.
  virtual double begin(std::span<const double> at, std::int64_t threads) = 0;
  // Makes a batch, by its number, the one at hand.
  virtual void start(std::size_t batch) = 0;
  virtual std::unique_ptr<Visitor> visitor() = 0;
  // Hands on what visits have left in the tables of the batch. gradient: [size] to add to.
  virtual void gather(std::span<double> gradient, std::int64_t threads) = 0;
  // Adds all that was handed on to the gradient, less the counted parts of the truth.
  virtual void finish(std::span<double> gradient, std::int64_t threads) = 0;

  // Where the truth is not counted beforehand: what those parts of one sentence score, and taking them off so many times.
  virtual double shared_score(std::int64_t s) const = 0;
  virtual void take_truth(std::int64_t s, double times) = 0;
};

// Tokens of a batch: `most`, or fewer where there are so many labels that Ctrl-C, which is heard between batches, would have to wait.
inline std::int64_t tokens_at_once(std::int64_t most, std::int64_t labels) {
  constexpr std::int64_t many = 512;                     // labels, whose table of pairs is larger than a cache
  constexpr std::int64_t pairs = std::int64_t{1} << 30;  // of labels before and after a step, which then take a second or two
  return labels <= many ? most : std::clamp<std::int64_t>(pairs / (labels * labels), 1, most);
}

// Batches of sentences whose costs add up to at most so much; one sentence may cost more.
template <class Cost>
std::vector<SentenceRange> cut_batches(std::int64_t sentences, std::int64_t most, Cost cost) {
  std::vector<SentenceRange> out;
  for (std::int64_t s = 0; s < sentences;) {
    SentenceRange batch{s, s};
    for (std::int64_t sum = 0; batch.end < sentences; ++batch.end) {
      sum += cost(batch.end);
      if (batch.end > s && sum > most) break;
    }
    out.push_back(batch);
    s = batch.end;
  }
  return out;
}

}  // namespace riata
