// The extragradient method on the saddle point of weights and distributions over outputs.
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <utility>
#include <vector>

#include "learning/margin/sums_solver.hpp"

namespace riata {

// Taskar, Lacoste-Julien & Jordan 2006 look for the saddle point of L(w, p), which is the lowest w for the worst distribution p over the
// outputs of every sentence. An iteration makes a step from (w, p) by the gradient there, and then again a step from (w, p), by the
// gradient where the first step has led. Differs: L has 1/2 |w|^2, where the paper bounds |w|, so that the minimum is that of the other
// solvers. Distributions are projected by relative entropy over whole outputs (the paper also has Bregman projections), which the sums of
// the structure give. The logarithms of all distributions are then one vector over features, and one number for the loss: memory does not
// depend on the number of sentences. The steps are those of Nemirovski 2004 (mirror prox): as long as the inequality of its proof fails,
// the step is halved; it grows afterwards. The weights that are learnt are those that belong to the distributions of the inner points,
// which are a point of the dual problem.
template <class Real>
class Extragradient : public SumsSolver<Real> {
 public:
  using typename MarginSolver<Real>::Pass;

  explicit Extragradient(const Settings&) {}

  // One iteration.
  Pass pass(Marginals<Real>& marginals, Vector<Real>& weights, std::span<const std::int64_t> order, std::span<const double> caps,
            const std::function<void()>& tell) override {
    Evaluation from{marginals, order, caps};
    if (!std::exchange(begun_, true)) now_.found = evaluate(from, now_.logs, tell);
    Pass out;
    for (int tries = 0; tries < most_tries; ++tries) {
      Point inner = moved(now_, now_.w, now_.found);
      inner.found = evaluate(from, inner.logs, tell);
      Point next = moved(now_, inner.w, inner.found);
      next.found = evaluate(from, next.logs, tell);
      const bool ends = tries + 1 == most_tries;
      if (!ends && !short_enough(inner, next)) {
        step_ /= 2;
        continue;
      }
      iterations_ += 1;
      show(inner.found, weights);
      now_ = std::move(next);
      step_ = std::min(step_ * growth, 1.0);
      break;
    }
    out.updates = static_cast<std::int64_t>(order.size());
    return out;
  }

  double dual_offset(bool average) const override { return average ? offsets_ / ticks_ : offset_; }

  // The weights are multiplied, and stay a point of the dual problem, but distributions start anew: those of another C are so sure of some
  // outputs that others would hardly come back.
  void rescale(double factor, Vector<Real>& weights) override {
    Found scaled{shown_, offset_ * factor, 0};
    for (double& value : scaled.slope) value *= factor;
    weights.grow(scaled.slope.size());
    move_to(scaled, weights);
    now_ = {};
    step_ = 1;
    begun_ = false;
  }

  std::int64_t stored() const override { return 4 * static_cast<std::int64_t>(now_.w.size()); }

 private:
  static constexpr int most_tries = 40;
  static constexpr double growth = 1.2;

  // The logarithm of the probability of an output, up to a constant: times * loss + scores.features.
  struct Logs {
    std::vector<double> scores;
    double times = 0;
  };
  // What follows from distributions: the sums over sentences of cap times the expected plane, and of cap times log Z less the truth's
  // score.
  struct Found {
    std::vector<double> slope;
    double offset = 0, log_ratios = 0;
  };
  struct Point {
    std::vector<double> w;
    Logs logs;
    Found found;
  };
  struct Evaluation {
    Marginals<Real>& marginals;
    std::span<const std::int64_t> order;
    std::span<const double> caps;
  };

  static double at(const std::vector<double>& values, std::size_t i) noexcept { return i < values.size() ? values[i] : 0; }
  static double dot(const std::vector<double>& a, const std::vector<double>& b) noexcept {
    double sum = 0;
    for (std::size_t i = 0; i < std::min(a.size(), b.size()); ++i) sum += a[i] * b[i];
    return sum;
  }

  Found evaluate(const Evaluation& in, const Logs& logs, const std::function<void()>& tell) const {
    Found out;
    for (std::size_t i = 0; i < in.marginals.size(); ++i) in.marginals.set(static_cast<std::int64_t>(i), at(logs.scores, i));
    in.marginals.changed();
    for (const std::int64_t s : in.order) {
      const double cap = in.caps[static_cast<std::size_t>(s)];
      if (cap > 0 && in.marginals.corpus().length(s) > 0 && in.marginals.open(s, logs.times)) {
        out.slope.resize(std::max(out.slope.size(), in.marginals.size()), 0.0);
        for (const auto& [place, value] : in.marginals.slope().entries()) out.slope[static_cast<std::size_t>(place)] += cap * value;
        out.offset += cap * in.marginals.offset();
        out.log_ratios += cap * in.marginals.log_ratio();
      }
      tell();
    }
    return out;
  }

  // A step from a point, by the gradient at weights `by` and at the distributions from which `found` follows.
  Point moved(const Point& from, const std::vector<double>& by, const Found& found) const {
    Point out;
    const std::size_t size = std::max({from.w.size(), by.size(), found.slope.size()});
    out.w.resize(size);
    out.logs.scores.resize(size);
    for (std::size_t i = 0; i < size; ++i) {
      out.w[i] = at(from.w, i) + step_ * (at(found.slope, i) - at(by, i));
      out.logs.scores[i] = at(from.logs.scores, i) + step_ * at(by, i);
    }
    out.logs.times = from.logs.times + step_;
    return out;
  }

  // Nemirovski 2004: whether step * <gradient at the inner point, inner - next> is at most the distance from the present point to the next.
  bool short_enough(const Point& inner, const Point& next) const {
    double along = 0, distance = 0;
    for (std::size_t i = 0; i < next.w.size(); ++i) {
      const double change = next.w[i] - at(now_.w, i);
      along += (at(inner.w, i) - at(inner.found.slope, i)) * (at(inner.w, i) - next.w[i]);
      distance += change * change / 2;
    }
    const double of_next = next.found.offset - dot(inner.w, next.found.slope);
    along += of_next - (inner.found.offset - dot(inner.w, inner.found.slope));
    distance += step_ * of_next - next.found.log_ratios + now_.found.log_ratios;  // the relative entropy
    return step_ * along <= distance + 1e-12 * (1 + std::abs(next.found.log_ratios));
  }

  // Makes the weights those that belong to these distributions.
  void show(const Found& found, Vector<Real>& weights) {
    move_to(found, weights);
    weights.tick(iterations_);
    offsets_ += iterations_ * offset_;
    ticks_ += iterations_;
  }
  void move_to(const Found& found, Vector<Real>& weights) {
    Difference change;
    const std::size_t size = std::max(found.slope.size(), shown_.size());
    for (std::size_t i = 0; i < size; ++i) {
      const double by = at(found.slope, i) - at(shown_, i);
      if (by != 0) change.push_back({static_cast<std::int64_t>(i), by});
    }
    weights.add(change, 1);
    shown_ = found.slope;
    offset_ = found.offset;
  }

  Point now_;
  bool begun_ = false;  // whether the distributions of now_ are known
  double step_ = 1, iterations_ = 0;
  std::vector<double> shown_;  // the weights, in double precision
  double offset_ = 0, offsets_ = 0, ticks_ = 1;
};

RIATA_MARGIN_SOLVER("extragradient", Extragradient)

}  // namespace riata
