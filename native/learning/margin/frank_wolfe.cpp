// Block-coordinate Frank-Wolfe.
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <vector>

#include "learning/margin/solver.hpp"

namespace riata {

// Lacoste-Julien, Jaggi, Schmidt & Pletscher 2013, Alg. 4, with the optimal step and weighted averaging (Sec. 5). The weights are the sum
// of one vector per sentence, w_i, a mean of the slopes of its planes. A visit moves w_i towards the slope of the plane that is found, by
// the step that is best for the dual problem. Differs: sentences are visited in passes of random order, without replacement; everything is
// multiplied by C n. The vectors of sentences are sparse: their memory is bounded by the features that the outputs found for the sentence
// have in all.
template <class Real>
class FrankWolfe : public MarginSolver<Real> {
 public:
  using typename MarginSolver<Real>::Pass;

  explicit FrankWolfe(const Settings&) {}

  Pass pass(Hinge<Real>& hinge, Vector<Real>& weights, std::span<const std::int64_t> order, std::span<const double> caps,
            const std::function<void()>& tell) override {
    blocks_.resize(caps.size());
    Pass out;
    out.gap = 0;
    for (const std::int64_t s : order) {
      const double cap = caps[static_cast<std::size_t>(s)];
      if (cap > 0 && hinge.structure().corpus().length(s) > 0) {
        const double gap = visit(hinge, weights, s, cap);
        out.updates += gap > 0;
        out.gap += std::max(gap, 0.0);
      }
      steps_ += 1;
      weights.tick(steps_ + 1);
      offsets_ += (steps_ + 1) * offset_;
      ticks_ += steps_ + 1;
      tell();
    }
    return out;
  }

  double dual_offset(bool average) const override { return average ? offsets_ / ticks_ : offset_; }

  void rescale(double factor, Vector<Real>& weights) override {
    Difference delta;
    for (Block& block : blocks_) {
      delta.clear();
      for (Entry& entry : block.entries) {
        delta.push_back({entry.place, (factor - 1) * entry.value});
        entry.value = static_cast<Real>(factor * entry.value);
      }
      weights.add(delta, 1);
      block.offset *= factor;
    }
    offset_ *= factor;
  }

  std::int64_t stored() const override {
    std::int64_t sum = 0;
    for (const Block& block : blocks_) sum += static_cast<std::int64_t>(block.entries.size());
    return sum;
  }

 private:
  struct Entry {
    std::uint32_t place;
    Real value;
  };
  // A sentence's part of the weights and of the offset.
  struct Block {
    std::vector<Entry> entries;
    double offset = 0;
  };
  static constexpr double negligible = 1e-9;  // entries below this part of the cap are dropped

  // Returns the sentence's part of the duality gap before the step.
  double visit(Hinge<Real>& hinge, Vector<Real>& weights, std::int64_t s, double cap) {
    Block& block = blocks_[static_cast<std::size_t>(s)];
    hinge.open(s);
    if (hinge.slope().entries().empty() && block.entries.empty()) return 0;
    find_change(block, hinge.slope(), cap);
    const double offset = cap * hinge.offset() - block.offset;
    const double gap = offset - weights.dot(change_), length = weights.squared(change_);
    if (!(gap > 0) || length == 0) return 0;
    const double step = std::min(1.0, gap / length);
    weights.add(change_, step);
    block.offset += step * offset;
    offset_ += step * offset;
    move(block, step, cap);
    return gap;
  }

  // change_: cap times the slope, minus w_i; first at the places of w_i, then at the others.
  void find_change(const Block& block, const SummedDifference& slope, double cap) {
    const Difference& entries = slope.entries();
    change_.clear();
    used_.assign(entries.size(), false);
    for (const Entry& entry : block.entries) {
      const std::int32_t id = slope.find(entry.place);
      if (id >= 0) used_[static_cast<std::size_t>(id)] = true;
      change_.push_back({entry.place, (id < 0 ? 0 : cap * entries[static_cast<std::size_t>(id)].second) - double(entry.value)});
    }
    for (std::size_t i = 0; i < entries.size(); ++i) {
      if (!used_[i]) change_.push_back({entries[i].first, cap * entries[i].second});
    }
  }

  void move(Block& block, double step, double cap) {
    const std::size_t known = block.entries.size();
    for (std::size_t i = 0; i < known; ++i) block.entries[i].value += static_cast<Real>(step * change_[i].second);
    for (std::size_t i = known; i < change_.size(); ++i) {
      if (change_[i].first > std::int64_t{UINT32_MAX})
        throw Error("UnsupportedError", "there are too many weights for a vector of every sentence.", "Use svm-subgradient.");
      block.entries.push_back({static_cast<std::uint32_t>(change_[i].first), static_cast<Real>(step * change_[i].second)});
    }
    std::erase_if(block.entries, [&](const Entry& entry) { return std::abs(entry.value) < negligible * cap; });
  }

  std::vector<Block> blocks_;  // [sentences]
  double offset_ = 0;          // of all sentences
  double steps_ = 0, offsets_ = 0, ticks_ = 1;

  // Members that are reused to save allocations.
  Difference change_;
  std::vector<bool> used_;
};

RIATA_MARGIN_SOLVER("frank-wolfe", FrankWolfe)

}  // namespace riata
