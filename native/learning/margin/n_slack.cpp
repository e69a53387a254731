// Cutting planes with a slack for every sentence.
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <vector>

#include "learning/margin/simplex.hpp"
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
      Sentence& sentence = sentences_[static_cast<std::size_t>(s)];
      if (cap > 0 && hinge.structure().corpus().length(s) > 0) {
        const double value = hinge.open(s);
        hinges += cap * value;
        if (value > asked(sentence, weights) + epsilon_) {
          ++out.updates;
          add(sentence, hinge);
          optimise(sentence, cap, weights);
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
    for (const Sentence& sentence : sentences_) {
      for (std::size_t k = 0; k < sentence.planes.size(); ++k) sum += sentence.multipliers[k] * sentence.planes[k].offset;
    }
    return sum;
  }

  std::int64_t stored() const override {
    std::int64_t sum = 0;
    for (const Sentence& sentence : sentences_) {
      for (const Plane& plane : sentence.planes) sum += static_cast<std::int64_t>(plane.slope.entries().size());
    }
    return sum;
  }

 private:
  struct Plane {
    SummedDifference slope;
    double offset = 0;
  };
  struct Sentence {
    std::vector<Plane> planes;
    std::vector<double> multipliers;            // their sum is at most the cap
    std::vector<std::vector<double>> products;  // [planes] with all planes up to this one
  };
  static constexpr int most_turns = 10;

  static double asked(const Sentence& sentence, const Vector<Real>& weights) {
    double most = 0;
    for (const Plane& plane : sentence.planes) most = std::max(most, plane.offset - weights.dot(plane.slope.entries()));
    return most;
  }

  static void add(Sentence& sentence, const Hinge<Real>& hinge) {
    sentence.planes.push_back({hinge.slope(), hinge.offset()});
    sentence.multipliers.push_back(0);
    sentence.products.emplace_back();
    for (const Plane& other : sentence.planes) sentence.products.back().push_back(other.slope.dot(hinge.slope()));
  }

  void optimise_all(std::span<const double> caps, Vector<Real>& weights) {
    optimal_ = false;
    for (int turn = 0; turn < most_turns && !optimal_; ++turn) {
      double gain = 0;
      for (std::size_t s = 0; s < sentences_.size(); ++s) {
        if (!sentences_[s].planes.empty()) gain = std::max(gain, optimise(sentences_[s], caps[s], weights));
      }
      optimal_ = gain <= epsilon_ / 2;
    }
  }

  // Returns by how much the slopes of multipliers that could be exchanged differed before.
  double optimise(Sentence& sentence, double cap, Vector<Real>& weights) const {
    const std::size_t n = sentence.planes.size();
    std::vector<double> values, products(n * n), offsets, before = sentence.multipliers;
    for (std::size_t i = 0; i < n; ++i) {
      values.push_back(sentence.planes[i].offset - weights.dot(sentence.planes[i].slope.entries()));
      for (std::size_t j = 0; j <= i; ++j) products[i * n + j] = products[j * n + i] = sentence.products[i][j];
    }
    for (std::size_t i = 0; i < n; ++i) {  // without the part of the weights that comes from this sentence
      offsets.push_back(values[i]);
      for (std::size_t j = 0; j < n; ++j) offsets[i] += before[j] * products[i * n + j];
    }
    ascend_in_simplex(offsets, products, cap, epsilon_ / 100, sentence.multipliers);
    double highest = 0, lowest = 0, used = 0;
    for (std::size_t k = 0; k < n; ++k) {
      const double change = sentence.multipliers[k] - before[k];
      highest = std::max(highest, values[k]);
      used += before[k];
      if (change != 0) weights.add(sentence.planes[k].slope.entries(), change);
    }
    if (used >= cap * (1 - 1e-12)) lowest = highest;  // nothing is left of the cap
    for (std::size_t k = 0; k < n; ++k) lowest = before[k] > 0 ? std::min(lowest, values[k]) : lowest;
    return highest - lowest;
  }

  double epsilon_;
  bool optimal_ = true;  // whether no sentence gains more, under the constraints so far
  std::vector<Sentence> sentences_;
};

RIATA_MARGIN_SOLVER("n-slack", NSlack)

}  // namespace riata
