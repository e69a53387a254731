// The best output of several columns of labels, and the lattice of its combinations for lists of the best (kbest.hpp).
#pragma once

#include <cstdint>
#include <limits>
#include <optional>

#include "core/numbers.hpp"
#include "inference/exact/factorial_scores.hpp"
#include "inference/exact/factorial_steps.hpp"
#include "inference/exact/kbest.hpp"

namespace riata {

// The forward pass. States are codes of combinations; ties go to the lowest code.
template <class Real>
class FactorialForward {
 public:
  using Score = Real;
  using Scores = FactorialScores<Real>;

  // The scores must not change while the lattice is in use.
  void fill(const Scores& scores) {
    if (!steps_ || shape_ != scores.shape) steps_.emplace(*scores.shape);
    scores_ = &scores;
    shape_ = scores.shape;
    const std::int64_t states = shape_->states();
    own_.resize(static_cast<std::size_t>(scores.length * states));
    alpha_.resize(own_.size());
    for (std::int32_t t = 0; t < scores.length; ++t) {
      Real *own = own_.data() + t * states, *out = alpha_.data() + t * states;
      scores.states(t, own);
      if (t == 0) {
        std::copy_n(own, states, out);
        continue;
      }
      const Real* reached = steps_->replace_all(out - states, [&](ColumnId c) { return scores.table(FactorId(c.number()), t); });
      for (std::int64_t x = 0; x < states; ++x) out[x] = reached[x] + own[x];
    }
  }

  std::int32_t length() const noexcept { return scores_->length; }
  std::int32_t states() const noexcept { return static_cast<std::int32_t>(shape_->combinations()); }
  LabelId label(EndingId state) const noexcept { return LabelId(state.number()); }
  Real best(std::int32_t t, EndingId state) const noexcept { return alpha_[place(t, state)]; }
  template <class Visit>
  void each_before(std::int32_t, EndingId, Visit visit) const {
    for (EndingId from(0); from.number() < states(); ++from) visit(from);
  }
  Real step(std::int32_t t, EndingId from, EndingId state) const noexcept { return scores_->step(t, from.number(), state.number()); }
  Real own(std::int32_t t, EndingId state) const noexcept { return own_[place(t, state)]; }

  // Writes the best output to codes, [length], and returns its score; minus infinity if none is allowed. On the way back, the combination
  // before is the one from which the present one is reached best.
  Real best_output(std::int32_t* codes) const {
    constexpr Real never = -std::numeric_limits<Real>::infinity();
    Real score = never;
    for (std::int32_t t = length() - 1; t >= 0; --t) {
      Real most = never;
      std::int32_t found = 0;
      for (EndingId from(0); from.number() < states(); ++from) {
        Real reach = best(t, from);
        if (reach == never) continue;
        if (t + 1 < length()) reach += step(t + 1, from, EndingId(codes[t + 1]));
        if (reach > most) {
          most = reach;
          found = from.number();
        }
      }
      codes[t] = found;
      if (t + 1 == length()) score = most;
    }
    return score;
  }

 private:
  std::size_t place(std::int32_t t, EndingId state) const noexcept {
    return static_cast<std::size_t>(t * shape_->states() + shape_->place(state.number()));
  }

  const Scores* scores_ = nullptr;
  const FactorialShape* shape_ = nullptr;
  std::optional<FactorialSteps<Real, MaxPlus<Real>>> steps_;
  Numbers<Real> own_, alpha_;  // [length][states] scores of combinations, and of the best prefixes that end in them
};

}  // namespace riata
