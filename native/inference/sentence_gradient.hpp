// What learning from one sentence after another asks of a structure: how probable the true output of a sentence is, under weights that
// change from sentence to sentence, and how every weight shares in that.
#pragma once

#include <cstdint>

#include "models/row_weights.hpp"

namespace riata {

// Moves weights, row by row. A second vector can move along, by a share of every move.
template <class Real>
class RowMoves {
 public:
  // weights, others: [room of `there`]; `others` may be null. Where weights move by some number, others move by share times it.
  RowMoves(const RowWeights& there, Real* weights, Real* others, double share)
      : there_(there), weights_(weights), others_(others), share_(share) {}

  // The weights that there are in a row move by times x values, [stride].
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

 private:
  const RowWeights& there_;
  Real *weights_, *others_;
  double share_;
};

// One structure on given sentences. Every thread has one of its own.
template <class Real>
class SentenceGradient {
 public:
  virtual ~SentenceGradient() = default;

  virtual std::int64_t sentences() const noexcept = 0;
  virtual std::int64_t length(std::int64_t s) const noexcept = 0;
  // How many labels a token is compared with: what a sentence costs.
  virtual std::int32_t work() const noexcept = 0;
  // Which weights there are, and where they stand in a vector. Points of a batch objective number them in the same way.
  virtual const RowWeights& there() const noexcept = 0;

  // Opens a sentence that has a token: log P of its truth, or of all outputs that agree with what is known of it. The weights are scale x
  // numbers of `weights`, [room]. Not finite where scores are beyond what factors can hold, or the truth is impossible.
  virtual double open(std::int64_t s, const Real* weights, double scale) = 0;
  // After it, where log P is finite: moves the weights by so many times the posteriors less the truth.
  virtual void move(double times, const RowMoves<Real>& to) = 0;
};

}  // namespace riata
