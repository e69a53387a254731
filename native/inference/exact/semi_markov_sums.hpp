// Sums over all segmentations under scores that read at most one label back: log Z and posteriors.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <vector>

#include "inference/exact/segment_tape.hpp"
#include "inference/exact/semi_markov.hpp"
#include "inference/tape/kept_shapes.hpp"
#include "inference/tape/sums.hpp"

namespace riata {

// A segmentation has the probability exp(sharpness * score) / Z. In double precision, whatever Real is.
template <class Real>
class SemiMarkovSums {
 public:
  SemiMarkovSums(const SegmentCoding& coding, std::int32_t order) : coding_(coding), order_(order) {}

  // Sums over the segmentations of the open sentence, and returns log Z. Steps: SegmentSteps, or a class with its functions length, spans
  // and history.
  template <class Steps>
  double open(Steps& steps, double sharpness) {
    shape_ = &shapes_({steps.length(), std::min(coding_.most.number(), steps.length()), coding_.labels, order_});
    double* scores = sums_.open(shape_->tape);
    shape_->put(steps, sharpness, scores);
    const double off = level(scores);
    return std::isfinite(off) ? off + sums_.fill() : off;
  }

  // The probability that a segment of length l and label y starts at token t.
  double posterior(std::int32_t t, Length l, LabelId y) const noexcept {
    return coding_.allows(l, y) ? sums_.share(shape_->span(t, l.number()) + y.number()) : 0;
  }
  // The probability that a segment of length l and label y starts at token t > 0 and follows a segment of label `before`, which does not
  // depend on the length.
  double posterior_behind(std::int32_t t, Length l, LabelId before, LabelId y) const noexcept {
    const auto behind = [&](LabelId x) { return order_ == 0 ? sums_.share(shape_->ends(t) + x.number()) : pair_posterior(t, x, y); };
    const double both = posterior(t, l, y) * behind(before);
    if (!(both > 0)) return 0;
    double all = 0;
    for (LabelId x(0); x.number() < coding_.labels; ++x) all += behind(x);
    return both / all;
  }
  // The probability that a segment of label y starts at token t after a segment of label `before`; at the first token, `before` must be 0.
  double pair_posterior(std::int32_t t, LabelId before, LabelId y) const noexcept {
    return sums_.share(shape_->edge(t, before.number()) + y.number());
  }

 private:
  // A score becomes how far the best way through its part is behind the best way to where the part leads. So scores are at most 0, sums are
  // precise however large scores were, and probabilities stay the same. Returns what has been taken off all segmentations, the best score.
  double level(double* scores) {
    const SegmentTape& shape = *shape_;
    const auto [T, most, L, order] = shape.shape;
    best_.resize(shape.tape.size());
    std::fill(std::copy_n(scores, shape.tape.parts(), best_.begin()), best_.end(), never);
    play_largest(shape.tape, best_.data());
    const double best = best_[static_cast<std::size_t>(shape.tape.goal())];
    if (!std::isfinite(best)) return best;
    const auto row = [&](Cell at) { return best_.data() + at; };
    if (order == 0) {  // all labels before are as good as the best one
      for (std::int32_t t = 1; t < T; ++t) std::fill_n(row(shape.ends(t)), L, *row(shape.starts(t)));
    }
    std::fill_n(row(shape.ends(T)), L, best);
    for (std::int32_t t = 0; t < T; ++t) {
      const double* starts = row(shape.starts(t));
      from_.assign(static_cast<std::size_t>(shape.stride()), *starts);
      if (order > 0) std::copy_n(starts, L, from_.begin());
      for (std::int32_t l = 1; l <= std::min(most, T - t); ++l) level(scores + shape.span(t, l), from_.data(), row(shape.ends(t + l)));
      for (std::int32_t x = 0; order > 0 && x < (t == 0 ? 1 : L); ++x) {
        from_.assign(from_.size(), t == 0 ? 0 : row(shape.ends(t))[x]);
        level(scores + shape.edge(t, x), from_.data(), starts);
      }
    }
    return best;
  }
  void level(double* scores, const double* from, const double* to) const noexcept {
    for (std::int32_t y = 0; y < coding_.labels; ++y) {
      const double way = from[y] + scores[y];
      scores[y] = way > never ? way - to[y] : never;
    }
  }

  static constexpr double never = -std::numeric_limits<double>::infinity();

  const SegmentCoding& coding_;
  std::int32_t order_;
  KeptShapes<SegmentTape::Shape, SegmentTape> shapes_;
  const SegmentTape* shape_ = nullptr;
  TapeSums sums_;
  Numbers<double> best_;      // the best score of every cell
  std::vector<double> from_;  // [stride]
};

}  // namespace riata
