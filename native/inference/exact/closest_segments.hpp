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
  ClosestSegments(const SegmentCoding& coding, std::int32_t stride, std::int32_t order) : coding_(coding), stride_(stride), order_(order) {}

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
    std::vector<std::int32_t> length, before, from;

    void open(std::size_t size) {
      ends.assign(size, never);
      starts.assign(size, never);
      for (auto* numbers : {&length, &before, &from}) numbers->assign(size, 0);
    }
  };

  std::size_t place(std::int32_t t, std::int32_t label) const noexcept { return std::size_t(t) * coding_.labels + label; }

  // Computes the best score up to token t for each label that a segment from there can have.
  void enter(SegmentSteps<Real>& steps, std::int32_t t, Layer& layer) {
    for (std::int32_t before = 0; before < (t == 0 ? 1 : coding_.labels); ++before) {
      const double score = t > 0 ? layer.ends[place(t, before)] : &layer == &layers_[0] ? 0 : never;
      if (score == never) continue;
      const Real* history = order_ == 0 ? nullptr : steps.history(t, {{t == 0 ? 0 : before + 1}});
      for (std::int32_t y = 0; y < coding_.labels; ++y) {
        const double sum = score + (history == nullptr ? 0 : double(history[y]));
        if (sum <= layer.starts[place(t, y)]) continue;
        layer.starts[place(t, y)] = sum;
        layer.from[place(t, y)] = before;
      }
    }
  }

  template <class Loss>
  void append(SegmentSteps<Real>& steps, const Loss& loss, std::int32_t t) {
    const Real* spans = steps.spans(t);
    for (std::int32_t l = 1; l <= steps.lengths(t); ++l) {
      for (std::int32_t y = 0; y < coding_.labels; ++y) {
        if (!coding_.allows(l, y)) continue;
        const double score = double(spans[std::size_t(l - 1) * stride_ + y]);
        take(t, l, y, score, 0, loss.is_least(t, coding_.code(l, y)) ? 0 : 1);
        take(t, l, y, score, 1, 1);
      }
    }
  }

  void take(std::int32_t t, std::int32_t l, std::int32_t y, double score, std::int32_t before, std::int32_t after) {
    const double sum = layers_[before].starts[place(t, y)] + score;
    Layer& layer = layers_[after];
    const std::size_t to = place(t + l, y);
    if (sum == never || sum < layer.ends[to]) return;  // at a tie the shorter segment
    layer.ends[to] = sum;
    layer.length[to] = l;
    layer.before[to] = before;
  }

  double trace(std::int32_t which, std::int32_t* codes) const {
    std::fill_n(codes, length_, -1);
    const auto last = layers_[which].ends.end() - coding_.labels;
    const auto best = std::max_element(last, layers_[which].ends.end());
    if (*best == never) return never;
    auto label = static_cast<std::int32_t>(best - last);
    for (std::int32_t end = length_; end > 0;) {
      const std::int32_t length = layers_[which].length[place(end, label)];
      which = layers_[which].before[place(end, label)];
      end -= length;
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
