// Block-coordinate ascent on remembered outputs.
#include <algorithm>
#include <cstdint>
#include <vector>

#include "learning/margin/plane_set.hpp"
#include "learning/margin/solver.hpp"

namespace riata {

// Block-coordinate Frank-Wolfe with pairwise steps and a cache of outputs (Osokin, Alayrac, Lukasewitz, Dokania & Lacoste-Julien 2016):
// the planes that a sentence's part of the weights is made of are remembered with their multipliers, so that a step can take
// weight from one of them, instead of from all alike. Plain Frank-Wolfe keeps their mean only, and comes to a solution between few planes
// slowly, since it can never take a poor plane back.
// Differs: a visit makes the multipliers of its sentence optimal, by steps between two multipliers, instead of one step; every visit asks
// for the worst output, but after a pass that found no new one there are `rounds` rounds over those that are remembered; a plane is
// forgotten after its multiplier was 0 at `patience` visits.
template <class Real>
class Pairwise : public MarginSolver<Real> {
 public:
  using typename MarginSolver<Real>::Pass;

  explicit Pairwise(const Settings&) {}

  Pass pass(Hinge<Real>& hinge, Vector<Real>& weights, std::span<const std::int64_t> order, std::span<const double> caps,
            const std::function<void()>& tell) override {
    sentences_.resize(caps.size());
    offset_of_.resize(caps.size(), 0.0);
    Pass out;
    added_ = 0;
    for (const std::int64_t s : order) {
      const double cap = caps[static_cast<std::size_t>(s)];
      if (cap > 0 && hinge.structure().corpus().length(s) > 0) out.updates += visit(hinge, weights, s, cap);
      steps_ += 1;
      weights.tick(steps_ + 1);
      offsets_ += (steps_ + 1) * offset_;
      ticks_ += steps_ + 1;
      tell();
    }
    if (added_ == 0) go_round(order, caps, weights);
    return out;
  }

  double dual_offset(bool average) const override { return average ? offsets_ / ticks_ : offset_; }

  void rescale(double factor, Vector<Real>& weights) override {
    for (PlaneSet<Real>& sentence : sentences_) sentence.rescale(factor, weights);
    for (double& offset : offset_of_) offset *= factor;
    offset_ *= factor;
  }

  std::int64_t stored() const override {
    std::int64_t sum = 0;
    for (const PlaneSet<Real>& sentence : sentences_) sum += sentence.stored();
    return sum;
  }

 private:
  static constexpr int patience = 10, rounds = 20;
  static constexpr double precise = 1e-9;  // part of the highest loss that steps between two multipliers may still gain, per unit

  // Returns whether the sentence has changed the weights.
  bool visit(Hinge<Real>& hinge, Vector<Real>& weights, std::int64_t s, double cap) {
    PlaneSet<Real>& sentence = sentences_[static_cast<std::size_t>(s)];
    const double value = hinge.open(s);
    sentence.measure(weights, values_);
    const double scale = std::max(hinge.offset(), 1e-6);
    if (value > highest(values_) + precise * scale) {
      sentence.add(hinge, weights);
      values_.push_back(value);
      ++added_;
    }
    if (sentence.empty()) return false;
    const bool moves = share_out(s, cap, precise * scale, weights) > precise * scale;
    sentence.drop(patience);
    return moves;
  }

  // Shares out the multipliers of a sentence anew. values_: of its planes. Returns what PlaneSet::optimise does.
  double share_out(std::int64_t s, double cap, double enough, Vector<Real>& weights) {
    PlaneSet<Real>& sentence = sentences_[static_cast<std::size_t>(s)];
    const double gain = sentence.optimise(cap, enough, values_, weights), offset = sentence.offset();
    offset_ += offset - offset_of_[static_cast<std::size_t>(s)];
    offset_of_[static_cast<std::size_t>(s)] = offset;
    return gain;
  }

  // After a pass that found nothing new, goes round the sentences a few times more without looking for outputs.
  void go_round(std::span<const std::int64_t> order, std::span<const double> caps, Vector<Real>& weights) {
    for (int round = 0; round < rounds; ++round) {
      double gain = 0;
      for (const std::int64_t s : order) {
        const PlaneSet<Real>& sentence = sentences_[static_cast<std::size_t>(s)];
        if (sentence.empty()) continue;
        sentence.measure(weights, values_);
        gain = std::max(gain, share_out(s, caps[static_cast<std::size_t>(s)], precise, weights));
      }
      if (gain <= precise) break;
    }
  }

  std::vector<PlaneSet<Real>> sentences_;
  std::vector<double> offset_of_;  // [sentences] the share of each in offset_
  std::vector<double> values_;     // of the planes of the sentence that is visited
  std::int64_t added_ = 0;         // planes of this pass
  double steps_ = 0, offset_ = 0, offsets_ = 0, ticks_ = 1;
};

RIATA_MARGIN_SOLVER("pairwise", Pairwise)

}  // namespace riata
