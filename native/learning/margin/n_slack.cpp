// Cutting planes with a slack for every sentence.
#include <algorithm>
#include <cstdint>
#include <vector>

#include "learning/margin/plane_set.hpp"
#include "learning/margin/solver.hpp"

namespace riata {

// Tsochantaridis, Joachims, Hofmann & Altun 2005, Alg. 1: a sentence whose hinge loss exceeds what its constraints ask for by more than
// epsilon gets another constraint, and the weights become optimal under the constraints of all sentences. Ends after a pass without a new
// constraint.
// Differs: after a new constraint, the multipliers of this sentence are optimised at once, those of all sentences at the end of a pass, by
// turns, until no sentence gains more than half of epsilon.
template <class Real>
class NSlack : public MarginSolver<Real> {
 public:
  using typename MarginSolver<Real>::Pass;

  explicit NSlack(const Settings& settings) : epsilon_(settings.number("epsilon")) {}

  Pass pass(Hinge<Real>& hinge, Vector<Real>& weights, std::span<const std::int64_t> order, std::span<const double> caps,
            const std::function<void()>& tell) override {
    sentences_.resize(caps.size());
    Pass out;
    double hinges = 0;
    for (const std::int64_t s : order) {
      const double cap = caps[static_cast<std::size_t>(s)];
      PlaneSet<Real>& sentence = sentences_[static_cast<std::size_t>(s)];
      if (cap > 0 && hinge.structure().corpus().length(s) > 0) {
        const double value = hinge.open(s);
        hinges += cap * value;
        sentence.measure(weights, values_);
        if (value > highest(values_) + epsilon_) {
          ++out.updates;
          sentence.add(hinge, weights);
          values_.push_back(value);
          sentence.optimise(cap, epsilon_ / 100, values_, weights);
        }
      }
      tell();
    }
    if (out.updates == 0) out.primal = weights.squared_length() / 2 + hinges;
    out.finished = out.updates == 0 && optimal_;
    if (!out.finished) optimise_all(caps, weights);
    return out;
  }

  double dual_offset(bool) const override {
    double sum = 0;
    for (const PlaneSet<Real>& sentence : sentences_) sum += sentence.offset();
    return sum;
  }

  std::int64_t stored() const override {
    std::int64_t sum = 0;
    for (const PlaneSet<Real>& sentence : sentences_) sum += sentence.stored();
    return sum;
  }

 private:
  static constexpr int most_turns = 10;

  void optimise_all(std::span<const double> caps, Vector<Real>& weights) {
    optimal_ = false;
    for (int turn = 0; turn < most_turns && !optimal_; ++turn) {
      double gain = 0;
      for (std::size_t s = 0; s < sentences_.size(); ++s) {
        if (sentences_[s].empty()) continue;
        sentences_[s].measure(weights, values_);
        gain = std::max(gain, sentences_[s].optimise(caps[s], epsilon_ / 100, values_, weights));
      }
      optimal_ = gain <= epsilon_ / 2;
    }
  }

  double epsilon_;
  bool optimal_ = true;  // whether no sentence gains more, under the constraints so far
  std::vector<PlaneSet<Real>> sentences_;
  std::vector<double> values_;  // of the planes of the sentence that is visited
};

RIATA_MARGIN_SOLVER("n-slack", NSlack)

}  // namespace riata
