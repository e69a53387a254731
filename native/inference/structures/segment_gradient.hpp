// The gradient of one sentence after another, for segmentations that are normalised over all segmentations of a sentence.
#pragma once

#include <algorithm>
#include <cstdint>
#include <span>

#include "inference/sentence_gradient.hpp"
#include "inference/structures/segment_potentials.hpp"
#include "inference/structures/segment_visitor.hpp"

namespace riata {

template <class Real>
class SegmentGradient final : public SentenceGradient<Real> {
 public:
  // The potentials must outlive the gradient, which uses their tables.
  explicit SegmentGradient(SegmentPotentials<Real>& of) : of_(of), there_(of.rows_.weights()), visitor_(of, &weights_) {}

  std::int64_t sentences() const noexcept override { return of_.sentences(); }
  std::int64_t length(std::int64_t s) const noexcept override { return of_.instances_.length(s); }
  std::int32_t work() const noexcept override { return of_.coding_.labels * of_.coding_.most.number(); }
  const RowWeights& there() const noexcept override { return there_; }

  double open(std::int64_t s, const Real* weights, double scale) override {
    weights_ = {weights, static_cast<Real>(scale)};
    s_ = s;
    const std::span<const SentenceRange> batches = of_.batches();
    const auto after = std::ranges::upper_bound(batches, s, {}, &SentenceRange::first);
    of_.start(static_cast<std::size_t>(after - batches.begin()) - 1);
    return *visitor_.open(s);
  }

  void move(double times, const RowMoves<Real>& to) override {
    visitor_.take(1);
    const std::int64_t n = of_.instances_.starts[s_];
    of_.rows_.each_row(s_, of_.difference(n), of_.sequence_difference(of_.rows_.sequences_before(n)),
                       [&](std::int64_t row, const Real* numbers) { to.add(row * of_.stride_, numbers, times); });
  }

 private:
  SegmentPotentials<Real>& of_;
  RowWeights there_;
  ChangingWeights<Real> weights_{};
  SegmentVisitor<Real> visitor_;
  std::int64_t s_ = 0;  // the open sentence
};

}  // namespace riata
