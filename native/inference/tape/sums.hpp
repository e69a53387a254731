// log Z of a tape, and the probabilities of parts.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <vector>

#include "core/numbers.hpp"
#include "core/rng.hpp"
#include "inference/tape/play.hpp"

namespace riata {

// Sums in double precision: in factors, or in logarithms if factors vanish or overflow so that it could matter.
class TapeSums {
 public:
  // Returns the cells of parts, to be filled in with scores; they are minus infinity.
  double* open(const Tape& tape) {
    tape_ = &tape;
    scores_.assign(static_cast<std::size_t>(tape.parts()), -std::numeric_limits<double>::infinity());
    shares_.assign(tape.size(), 0);
    return scores_.data();
  }
  // Returns log Z; minus infinity if no output is allowed. For factors to do, the score of the best output should be near 0 and no score
  // far above.
  double fill() {
    inside_.assign(tape_->size(), 0);
    std::copy(scores_.begin(), scores_.end(), inside_.begin());
    exp_all(inside_.data(), tape_->parts());
    by_logarithms_ = false;
    const double most = play_factors(*tape_, inside_.data()), z = goal();
    if (most <= limit && z * limit >= 1 && play_back(*tape_, inside_.data(), shares_.data()) <= limit) {
      for (std::size_t at = 0; at < shares_.size(); ++at) shares_[at] *= inside_[at] * (1 / z);
      return std::log(z);
    }
    by_logarithms_ = true;
    inside_.assign(tape_->size(), -std::numeric_limits<double>::infinity());
    shares_.assign(tape_->size(), 0);
    std::copy(scores_.begin(), scores_.end(), inside_.begin());
    play_logarithms(*tape_, inside_.data());
    if (goal() > -std::numeric_limits<double>::infinity()) share_logarithms(*tape_, inside_.data(), shares_.data());
    return goal();
  }
  // After `fill`: the probability of a part, or of another cell; 0 without it.
  double share(Cell of) const noexcept { return shares_[static_cast<std::size_t>(of)]; }
  // After `fill`, if there is an output: calls visit(part) for the parts of one that is drawn by its probability.
  template <class Visit>
  void draw(Rng& rng, Visit visit) const {
    std::vector<Cell> todo{tape_->goal()};
    while (!todo.empty()) {
      const Cell at = todo.back();
      todo.pop_back();
      if (at < tape_->parts()) visit(at);
      if (!tape_->is_sum(at)) continue;
      const Cell weight = tape_->weight(at);
      if (weight != no_cell) todo.push_back(weight);
      double left = uniform(rng), total = 0;
      tape_->each_way(at, [&](const Way& way) { total += mass(way, at); });
      left *= total;
      Way chosen;
      tape_->each_way(at, [&](const Way& way) {
        const double here = mass(way, at);
        if (here > 0 && left >= 0) chosen = way;  // the last one, if rounding leaves something
        left -= here;
      });
      todo.push_back(chosen.a);
      todo.push_back(chosen.b);
      if (chosen.c != no_cell) todo.push_back(chosen.c);
    }
  }

 private:
  // The share of a way in the sum that it belongs to, up to a factor.
  double mass(const Way& way, Cell of) const noexcept {
    const auto in = [&](Cell cell) { return inside_[static_cast<std::size_t>(cell)]; };
    if (!by_logarithms_) return in(way.a) * in(way.b) * (way.c == no_cell ? 1 : in(way.c));
    const Cell weight = tape_->weight(of);
    return std::exp(in(way.a) + in(way.b) + (way.c == no_cell ? 0 : in(way.c)) - in(of) + (weight == no_cell ? 0 : in(weight)));
  }
  static double uniform(Rng& rng) noexcept { return static_cast<double>(rng.next() >> 11) * 0x1p-53; }

  // What is lost by underflow is below 1e-307 in every cell, and changes a probability by at most the product of two numbers of the inside
  // or outside as much.
  static constexpr double limit = 1e100;

  double goal() const noexcept { return inside_[static_cast<std::size_t>(tape_->goal())]; }

  const Tape* tape_ = nullptr;
  bool by_logarithms_ = false;
  Numbers<double> scores_, inside_, shares_;
};

}  // namespace riata
