// Subgradient descent, in steps of one sentence or of all.
#include <cmath>
#include <cstdint>
#include <vector>

#include "learning/margin/solver.hpp"
#include "learning/pegasos.hpp"

namespace riata {

// The steps of Pegasos, whose schedule a step of all sentences follows, too, from t = 1. The subgradient of H is minus the slope of the
// plane that is found.
template <class Real>
class Subgradient : public MarginSolver<Real> {
 public:
  using typename MarginSolver<Real>::Pass;

  explicit Subgradient(const Settings& settings) : all_at_once_(settings.word("method") == "batch") {}

  Pass pass(Hinge<Real>& hinge, Vector<Real>& weights, std::span<const std::int64_t> order, std::span<const double> caps,
            const std::function<void()>& tell) override {
    if (all_at_once_) return batch(hinge, weights, order, caps, tell);
    Pass out;
    const auto n = static_cast<double>(order.size());
    for (const std::int64_t s : order) {
      const double cap = caps[static_cast<std::size_t>(s)];
      const bool learns = cap > 0 && hinge.structure().corpus().length(s) > 0;
      const bool moves = learns && hinge.open(s) > 0;
      sentence_steps_.step(weights, moves ? &hinge.slope().entries() : nullptr, cap, n);
      out.updates += moves;
      tell();
    }
    return out;
  }

  double dual_offset(bool average) const override {
    if (!all_at_once_) return MarginSolver<Real>::dual_offset(average);
    return average ? offsets_ / ticks_ : offset_;
  }

 private:
  // A step of all sentences is a step of Frank-Wolfe of size 1 / t, so a point of the dual problem is known.
  Pass batch(Hinge<Real>& hinge, Vector<Real>& weights, std::span<const std::int64_t> order, std::span<const double> caps,
             const std::function<void()>& tell) {
    Pass out;
    std::vector<double> sum(weights.size(), 0.0);
    double offset = 0;
    for (const std::int64_t s : order) {
      const double cap = caps[static_cast<std::size_t>(s)];
      if (cap > 0 && hinge.structure().corpus().length(s) > 0) {
        out.updates += hinge.open(s) > 0;
        offset += cap * hinge.offset();
        sum.resize(weights.size(), 0.0);
        for (const auto& [place, value] : hinge.slope().entries()) sum[static_cast<std::size_t>(place)] += cap * value;
      }
      tell();
    }
    steps_ += 1;
    if (steps_ > 1) weights.shrink(1 - 1 / steps_);
    Difference step;
    for (std::size_t i = 0; i < sum.size(); ++i) {
      if (sum[i] != 0) step.push_back({static_cast<std::int64_t>(i), sum[i]});
    }
    weights.add(step, 1 / steps_);
    offset_ += (offset - offset_) / steps_;
    weights.tick(steps_ + 1);
    offsets_ += (steps_ + 1) * offset_;
    ticks_ += steps_ + 1;
    return out;
  }

  bool all_at_once_;
  Pegasos sentence_steps_;
  double steps_ = 0, offset_ = 0, offsets_ = 0, ticks_ = 1;
};

RIATA_MARGIN_SOLVER("subgradient", Subgradient)

}  // namespace riata
