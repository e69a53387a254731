// What a batch objective asks of a structure: log P of the true output of a sentence, and its gradient.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <vector>

namespace riata {

// Visits sentences of the present batch, one after the other. Every thread has its own visitor.
class Visitor {
 public:
  virtual ~Visitor() = default;

  // Opens a sentence and returns log P of its truth, or of all outputs that agree with the known part of the truth. The score of the parts
  // that Potentials::count_truth counts is left out. Returns nothing if factors underflow or overflow; then the caller must use logarithms.
  virtual std::optional<double> open(std::int64_t s) = 0;
  // Adds `times` times the posteriors minus the truth of the open sentence to the tables of the batch.
  virtual void take(double times) = 0;

  // `open` and `take` in logarithms and double precision: slow, but for scores of any size. One sentence at a time.
  virtual double open_in_logarithms(std::int64_t s) = 0;
  virtual void take_in_logarithms(double times) = 0;
};

// Visits sentences for losses of single labels: log P of every label of the truth, over all outputs. Every thread has its own visitor.
class LabelVisitor {
 public:
  virtual ~LabelVisitor() = default;

  // Opens a sentence and returns log P of each of its labels, [tokens]; 0 where the truth is unknown. Returns nothing if factors underflow
  // or overflow; then the caller must use logarithms.
  virtual std::optional<std::span<const double>> open(std::int64_t s) = 0;
  // Adds the gradient of -log P of every label, `times` times, to the tables of the batch. times: [tokens].
  virtual void take(std::span<const double> times) = 0;

  // `open` and `take` in logarithms and double precision, as in Visitor.
  virtual std::span<const double> open_in_logarithms(std::int64_t s) = 0;
  virtual void take_in_logarithms(std::span<const double> times) = 0;
};

// The sentences from first to end - 1.
struct SentenceRange {
  std::int64_t first, end;
};

// The scores of a structure's parts, on given sentences, as functions of a point, the vector of all weights. An evaluation consists of:
// begin; for each batch start, visits and gather; finish. All sums are added in an order that does not depend on the number of threads.
class Potentials {
 public:
  virtual ~Potentials() = default;

  virtual std::int64_t size() const noexcept = 0;  // number of weights
  virtual std::int64_t sentences() const noexcept = 0;
  // Batches of sentences whose tables fit into memory together.
  virtual std::span<const SentenceRange> batches() const noexcept = 0;

  // Counts the parts of the truth that many sentences share, once for all evaluations. weights: [sentences] how much each sentence counts;
  // empty: nothing is counted.
  virtual void count_truth(std::span<const double> weights) = 0;
  // Starts an evaluation at a point: stores the weights, and sets the collected gradient to zero. Returns the score of the counted parts of
  // the truth.
  virtual double begin(std::span<const double> at, std::int64_t threads) = 0;
  // Makes a batch, given by its number, the present one.
  virtual void start(std::size_t batch) = 0;
  virtual std::unique_ptr<Visitor> visitor() = 0;
  // A visitor for losses of single labels; none if the potentials were not made for them.
  virtual std::unique_ptr<LabelVisitor> label_visitor() { return nullptr; }
  // Collects what visits have left in the tables of the batch. gradient: [size]; parts of it may already be added here.
  virtual void gather(std::span<double> gradient, std::int64_t threads) = 0;
  // Adds the collected gradient, minus the counted parts of the truth.
  virtual void finish(std::span<double> gradient, std::int64_t threads) = 0;

  // If the truth is not counted beforehand: the score of these parts for one sentence, and subtracting them `times` times.
  virtual double shared_score(std::int64_t s) const = 0;
  virtual void take_truth(std::int64_t s, double times) = 0;
};

// The number of tokens of a batch: `most`, or fewer if there are so many labels that a batch would delay the answer to Ctrl-C.
inline std::int64_t tokens_at_once(std::int64_t most, std::int64_t labels) {
  constexpr std::int64_t many = 512;                     // number of labels above which a table of pairs is larger than the cache
  constexpr std::int64_t pairs = std::int64_t{1} << 30;  // number of label pairs of a batch, which takes a second or two
  return labels <= many ? most : std::clamp<std::int64_t>(pairs / (labels * labels), 1, most);
}

// Divides sentences into batches whose costs add up to at most `most`; a single sentence may cost more.
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
