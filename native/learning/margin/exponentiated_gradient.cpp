// Exponentiated gradient on the dual problem, sentence by sentence.
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <vector>

#include "learning/margin/sums_solver.hpp"

namespace riata {

// Collins, Globerson, Koo, Carreras & Bartlett 2008: the multipliers of a sentence are the cap times a distribution over its
// outputs, whose logarithm is a sum of scores of parts. A visit adds rate * (loss - w.difference) to the logarithm of every output and
// normalises, which needs the sums of the structure alone. Rates are those of sentences: a step that lowers the dual objective is taken
// back and tried again at half the rate; after a step the rate grows by a twentieth.
// Differs: scores of parts are written as a vector over the features of the sentence, so that no structure has to name its parts;
// sentences are visited in passes of random order, without replacement; distributions start near the truth, at exp(-`closeness` * loss),
// and not uniform, since uniform ones make weights that are very large if C is.
template <class Real>
class ExponentiatedGradient : public SumsSolver<Real> {
 public:
  using typename MarginSolver<Real>::Pass;

  explicit ExponentiatedGradient(const Settings&) {}

  Pass pass(Marginals<Real>& marginals, Vector<Real>& weights, std::span<const std::int64_t> order, std::span<const double> caps,
            const std::function<void()>& tell) override {
    blocks_.resize(caps.size());
    Pass out;
    for (const std::int64_t s : order) {
      const double cap = caps[static_cast<std::size_t>(s)];
      if (cap > 0 && marginals.corpus().length(s) > 0) out.updates += visit(marginals, weights, s, cap);
      steps_ += 1;
      weights.tick(steps_ + 1);
      offsets_ += (steps_ + 1) * offset_;
      ticks_ += steps_ + 1;
      tell();
    }
    return out;
  }

  double dual_offset(bool average) const override { return average ? offsets_ / ticks_ : offset_; }

  // The weights are multiplied, and stay a point of the dual problem, but distributions start anew at the next visit: those of another C
  // are so sure of some outputs that others would hardly come back.
  void rescale(double factor, Vector<Real>& weights) override {
    Difference delta;
    for (Block& block : blocks_) {
      delta.clear();
      for (Entry& entry : block.entries) {
        delta.push_back({entry.place, (factor - 1) * entry.share});
        entry.share = static_cast<Real>(factor * entry.share);
        entry.score = 0;
      }
      weights.add(delta, 1);
      block.offset *= factor;
      block.times = -closeness;
      block.rate = 1;
      block.begun = false;
    }
    offset_ *= factor;
  }

  std::int64_t stored() const override {
    std::int64_t sum = 0;
    for (const Block& block : blocks_) sum += 2 * static_cast<std::int64_t>(block.entries.size());
    return sum;
  }

 private:
  struct Entry {
    std::int64_t place;
    Real score, share;  // of the logarithm of probabilities, and of the weights
  };
  struct Block {
    std::vector<Entry> entries;  // one per feature of any output
    double times = -closeness;   // factor of the loss in the logarithm
    double offset = 0, rate = 1;
    bool begun = false, left_out = false;
  };
  static constexpr double closeness = 4;
  static constexpr int most_tries = 30;

  bool visit(Marginals<Real>& marginals, Vector<Real>& weights, std::int64_t s, double cap) {
    Block& block = blocks_[static_cast<std::size_t>(s)];
    if (!block.begun && !begin(block, marginals, weights, s, cap)) return false;
    if (block.left_out) return false;
    bool moved = false;
    for (int tries = 0; tries < most_tries && !moved; ++tries) {
      for (const Entry& entry : block.entries) marginals.set(entry.place, entry.score + block.rate * at(weights, entry.place));
      marginals.changed();
      marginals.open(s, block.times + block.rate);
      moved = take(block, marginals, weights, cap, false);
      if (moved) {
        for (Entry& entry : block.entries) entry.score += static_cast<Real>(block.rate * before_[place_of(block, entry)]);
        block.times += block.rate;
      }
      block.rate *= moved ? 1.05 : 0.5;
    }
    for (const Entry& entry : block.entries) marginals.set(entry.place, 0);
    return moved;
  }

  static double at(const Vector<Real>& weights, std::int64_t place) noexcept {
    return weights.scale() * double(weights.data()[static_cast<std::size_t>(place)]);
  }
  static std::size_t place_of(const Block& block, const Entry& entry) noexcept {
    return static_cast<std::size_t>(&entry - block.entries.data());
  }

  // The first distribution of a sentence.
  bool begin(Block& block, Marginals<Real>& marginals, Vector<Real>& weights, std::int64_t s, double cap) {
    block.begun = true;
    block.left_out = !marginals.open(s, block.times);
    if (block.left_out) return false;
    if (block.entries.empty()) {
      for (const auto& [place, value] : marginals.slope().entries()) block.entries.push_back({place, Real{0}, Real{0}});
    }
    take(block, marginals, weights, cap, true);
    return true;
  }

  // Moves the sentence's share of the weights to the expected plane, if this does not lower the dual objective, or in any case.
  bool take(Block& block, const Marginals<Real>& marginals, Vector<Real>& weights, double cap, bool in_any_case) {
    change_.clear();
    before_.clear();
    const SummedDifference& slope = marginals.slope();
    for (const Entry& entry : block.entries) {
      const std::int32_t id = slope.find(entry.place);
      const double value = id < 0 ? 0 : cap * slope.entries()[static_cast<std::size_t>(id)].second;
      change_.push_back({entry.place, value - double(entry.share)});
      before_.push_back(at(weights, entry.place));
    }
    const double offset = cap * marginals.offset() - block.offset;
    const double gain = offset - weights.dot(change_) - squared_norm(change_) / 2;
    if (!in_any_case && !(gain >= 0)) return false;
    weights.add(change_, 1);
    for (std::size_t i = 0; i < change_.size(); ++i) block.entries[i].share += static_cast<Real>(change_[i].second);
    block.offset += offset;
    offset_ += offset;
    return true;
  }

  std::vector<Block> blocks_;
  Difference change_;
  std::vector<double> before_;  // [entries of the open sentence] weights before the step
  double steps_ = 0, offset_ = 0, offsets_ = 0, ticks_ = 1;
};

RIATA_MARGIN_SOLVER("exponentiated-gradient", ExponentiatedGradient)

}  // namespace riata
