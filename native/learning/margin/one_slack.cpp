// Cutting planes with one slack for all sentences.
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <utility>
#include <vector>

#include "learning/margin/simplex.hpp"
#include "learning/margin/solver.hpp"

namespace riata {

// Joachims, Finley & Yu 2009, Alg. 3 (margins scaled by the loss) and Alg. 4 (slacks): a pass finds the plane of every sentence, and their
// sum is one constraint. The weights are then optimal under all constraints so far. Ends when the hinge losses exceed what the constraints
// ask for by no more than epsilon per sentence.
// Differs: epsilon is in units of the loss of one sentence, whatever the weights of sentences; constraints whose multiplier has been 0 for
// `patience` passes are dropped.
template <class Real>
class OneSlack : public MarginSolver<Real> {
 public:
  using typename MarginSolver<Real>::Pass;

  explicit OneSlack(const Settings& settings) : c_(settings.number("C")), epsilon_(settings.number("epsilon")) {}

  Pass pass(Hinge<Real>& hinge, Vector<Real>& weights, std::span<const std::int64_t> order, std::span<const double> caps,
            const std::function<void()>& tell) override {
    Pass out;
    double hinges = 0, offset = 0, all = 0;  // all: of the caps
    std::vector<double> sum(weights.size(), 0.0);
    for (const std::int64_t s : order) {
      const double times = caps[static_cast<std::size_t>(s)] / c_;
      all += times;
      if (times > 0 && hinge.structure().corpus().length(s) > 0) {
        const double value = hinge.open(s);
        out.updates += value > 0;
        hinges += times * value;
        offset += times * hinge.offset();
        sum.resize(weights.size(), 0.0);
        for (const auto& [place, part] : hinge.slope().entries()) sum[static_cast<std::size_t>(place)] += times * part;
      }
      tell();
    }
    out.primal = weights.squared_length() / 2 + c_ * hinges;
    out.finished = hinges - asked(weights) <= epsilon_ * std::max(all, 1.0);
    if (!out.finished) {
      add(sum, offset);
      optimise(weights, epsilon_ * std::max(all, 1.0) / 10);
    }
    return out;
  }

  double dual_offset(bool) const override {
    double sum = 0;
    for (std::size_t k = 0; k < planes_.size(); ++k) sum += multipliers_[k] * planes_[k].offset;
    return sum;
  }

  std::int64_t stored() const override {
    std::int64_t sum = 0;
    for (const Plane& plane : planes_) sum += static_cast<std::int64_t>(plane.slope.size());
    return sum;
  }

 private:
  struct Plane {
    std::vector<std::pair<std::uint32_t, Real>> slope;
    double offset = 0;
    std::vector<double> products;  // with all planes up to this one
    int idle = 0;                  // passes since its multiplier was above 0
  };
  static constexpr int patience = 50;

  static double dot(const Plane& plane, const Vector<Real>& weights) {
    double sum = 0;
    for (const auto& [place, value] : plane.slope) sum += double(value) * weights.data()[place];
    return sum * weights.scale();
  }

  // The slack that the constraints ask for at the present weights.
  double asked(const Vector<Real>& weights) const {
    double most = 0;
    for (const Plane& plane : planes_) most = std::max(most, plane.offset - dot(plane, weights));
    return most;
  }

  void add(const std::vector<double>& sum, double offset) {
    Plane plane;
    plane.offset = offset;
    for (std::size_t i = 0; i < sum.size(); ++i) {
      if (sum[i] != 0) plane.slope.push_back({static_cast<std::uint32_t>(i), static_cast<Real>(sum[i])});
    }
    planes_.push_back(std::move(plane));
    multipliers_.push_back(0);
    for (const Plane& other : planes_) {
      double product = 0;
      for (const auto& [place, value] : other.slope) product += double(value) * static_cast<Real>(sum[place]);
      planes_.back().products.push_back(product);
    }
  }

  void optimise(Vector<Real>& weights, double precise) {
    const std::size_t n = planes_.size();
    std::vector<double> offsets, before = multipliers_;
    for (const Plane& plane : planes_) offsets.push_back(plane.offset);
    ascend_in_simplex(offsets, square(planes_), c_, precise, multipliers_);
    Difference slope;
    for (std::size_t k = 0; k < n; ++k) {
      const double change = multipliers_[k] - before[k];
      planes_[k].idle = multipliers_[k] > 0 ? 0 : planes_[k].idle + 1;
      if (change == 0) continue;
      slope.assign(planes_[k].slope.begin(), planes_[k].slope.end());
      weights.add(slope, change);
    }
    drop();
  }

  void drop() {
    for (std::size_t k = planes_.size(); k-- > 0;) {
      if (planes_[k].idle >= patience) drop_plane(planes_, multipliers_, k);
    }
  }

  double c_, epsilon_;
  std::vector<Plane> planes_;
  std::vector<double> multipliers_;  // their sum is at most C
};

RIATA_MARGIN_SOLVER("one-slack", OneSlack)

}  // namespace riata
