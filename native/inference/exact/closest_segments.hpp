// The segmentations closest to a truth that no segmentation reaches: the best of them, and the best of all others.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <limits>
#include <vector>

#include "inference/structures/segment_steps.hpp"

namespace riata {

// Semi-Markov Viterbi in two layers: beginnings that still have the least loss, and beginnings that do not. A segmentation has the least
// loss if every segment keeps to the least loss that was possible from its first token on.
template <class Real>
class ClosestSegments {
 public:
  ClosestSegments(const SegmentCoding& coding, std::int32_t order) : coding_(coding), stride_(coding.stride()), order_(order) {}

  // Searches the open sentence. loss: SegmentLoss or SegmentClassWeights, open for the truth of the sentence.
  template <class Loss>
  void open(SegmentSteps<Real>& steps, const Loss& loss) {
    length_ = steps.length();
    const std::size_t size = std::size_t(length_ + 1) * coding_.labels;
    for (Layer& layer : layers_) layer.open(size);
    for (std::int32_t t = 0; t < length_; ++t) {
      for (Layer& layer : layers_) enter(steps, t, layer);
      append(steps, loss, t);
    }
  }

  // The best segmentation of least loss, and the best of all others: both write codes [T], -1 inside segments, and return the score; minus
  // infinity if there is none.
  double closest(std::int32_t* codes) const { return trace(0, codes); }
  double other(std::int32_t* codes) const { return trace(1, codes); }

 private:
  static constexpr double never = -std::numeric_limits<double>::infinity();

  // [T + 1][L] ends: best score up to the end of a segment; starts: best score up to the start of one; length: of the last segment; before:
  // its layer before the segment; from: the label before it.
  struct Layer {
    std::vector<double> ends, starts;
    std::vector<Length> length;
    std::vector<std::int32_t> before;
    std::vector<LabelId> from;

    void open(std::size_t size) {
      ends.assign(size, never);
      starts.assign(size, never);
      length.assign(size, Length(0));
      before.assign(size, 0);
      from.assign(size, LabelId(0));
    }
  };

  std::size_t place(std::int32_t t, LabelId label) const noexcept { return std::size_t(t) * coding_.labels + label.place(); }

  // Computes the best score up to token t for each label that a segment from there can have.
  void enter(SegmentSteps<Real>& steps, std::int32_t t, Layer& layer) {
    for (LabelId before(0); before.number() < (t == 0 ? 1 : coding_.labels); ++before) {
      const double score = t > 0 ? layer.ends[place(t, before)] : &layer == &layers_[0] ? 0 : never;
      if (score == never) continue;
      const Real* history = order_ == 0 ? nullptr : steps.history(t, {{t == 0 ? 0 : before.value()}});
      for (LabelId y(0); y.number() < coding_.labels; ++y) {
        const double sum = score + (history == nullptr ? 0 : double(history[y.place()]));
        if (sum <= layer.starts[place(t, y)]) continue;
        layer.starts[place(t, y)] = sum;
        layer.from[place(t, y)] = before;
      }
    }
  }

  template <class Loss>
  void append(SegmentSteps<Real>& steps, const Loss& loss, std::int32_t t) {
    const Real* spans = steps.spans(t);
    for (Length l(1); l <= steps.lengths(t); ++l) {
      for (LabelId y(0); y.number() < coding_.labels; ++y) {
        if (!coding_.allows(l, y)) continue;
        const double score = double(spans[(l.place() - 1) * stride_ + y.place()]);
        take(t, l, y, score, layers_[0], layers_[loss.is_least(t, l, y) ? 0 : 1]);
        take(t, l, y, score, layers_[1], layers_[1]);
      }
    }
  }

  void take(std::int32_t t, Length l, LabelId y, double score, const Layer& before, Layer& layer) {
    const double sum = before.starts[place(t, y)] + score;
    const std::size_t to = place(t + l, y);
    if (sum == never || sum < layer.ends[to]) return;  // at a tie the shorter segment
    layer.ends[to] = sum;
    layer.length[to] = l;
    layer.before[to] = static_cast<std::int32_t>(&before - layers_.data());
  }

  double trace(std::int32_t which, std::int32_t* codes) const {
    std::fill_n(codes, length_, -1);
    const auto last = layers_[which].ends.end() - coding_.labels;
    const auto best = std::max_element(last, layers_[which].ends.end());
    if (*best == never) return never;
    LabelId label(static_cast<std::int32_t>(best - last));
    for (std::int32_t end = length_; end > 0;) {
      const Length length = layers_[which].length[place(end, label)];
      which = layers_[which].before[place(end, label)];
      end = end - length;
      codes[end] = coding_.code(length, label);
      label = layers_[which].from[place(end, label)];
    }
    return *best;
  }

  const SegmentCoding& coding_;
  std::int32_t stride_, order_;
  std::int32_t length_ = 0;
  std::array<Layer, 2> layers_;
};

}  // namespace riata
