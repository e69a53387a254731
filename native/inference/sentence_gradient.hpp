// What learning from one sentence after another asks of a structure: log P of the true output of a sentence, under weights that change from
// sentence to sentence, and its gradient.
#pragma once

#include <cstdint>

#include "models/row_weights.hpp"

namespace riata {

// Changes weights, row by row. A second vector can be changed along with them.
template <class Real>
class RowMoves {
 public:
  // weights, others: [room of `there`]; `others` may be null. If a weight changes by x, the number at its place in `others` changes by
  // share * x.
  RowMoves(const RowWeights& there, Real* weights, Real* others, double share)
      : there_(there), weights_(weights), others_(others), share_(share) {}

  // Adds `times` times the values, [stride], to the weights of a row.
  void add(std::int64_t row, const Real* values, double times) const noexcept {
    const Real move = static_cast<Real>(times), other = static_cast<Real>(share_ * times);
    const std::int32_t first = there_.first(row), end = there_.end(row);
    for (std::int32_t i = first; i < end; ++i) {
      const std::int32_t label = there_.label(i);
      const std::int64_t place = row + label;
      weights_[place] += move * values[label];
      if (others_ != nullptr) others_[place] += other * values[label];
    }
  }
  // Adds `times` times the values, [count], to the weights at the places from `place` on; if rows differ in length.
  void add_from(std::int64_t place, const Real* values, std::int64_t count, double times) const noexcept {
    const Real move = static_cast<Real>(times), other = static_cast<Real>(share_ * times);
    there_.each_from(place, count, [&](std::int32_t, std::int64_t at) {
      weights_[at] += move * values[at - place];
      if (others_ != nullptr) others_[at] += other * values[at - place];
    });
  }

 private:
  const RowWeights& there_;
  Real *weights_, *others_;
  double share_;
};

// The gradient of one structure on given sentences. Every thread has its own object.
template <class Real>
class SentenceGradient {
 public:
  virtual ~SentenceGradient() = default;

  virtual std::int64_t sentences() const noexcept = 0;
  virtual std::int64_t length(std::int64_t s) const noexcept = 0;
  // How many labels a token is compared with, as a measure of what a sentence costs.
  virtual std::int32_t work() const noexcept = 0;
  // Which weights exist, and their places in a vector. Points of a batch objective number them in the same way.
  virtual const RowWeights& there() const noexcept = 0;

  // Opens a sentence, which must have a token, and returns log P of its truth, or of all outputs that agree with the known part of the
  // truth. The weights are scale * weights, [room]. Not finite if factors underflow or overflow, or the truth is impossible.
  virtual double open(std::int64_t s, const Real* weights, double scale) = 0;
  // After open(), if log P is finite: changes the weights by `times` times the posteriors minus the truth.
  virtual void move(double times, const RowMoves<Real>& to) = 0;
};

// Whether potentials make a SentenceGradient.
template <class Kind>
concept GivesSentenceGradient = requires(Kind& potentials) { potentials.gradient()->there(); };

}  // namespace riata
