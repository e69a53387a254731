// The best, the second best, … segmentation under scores that read at most one label back. Each is found when it is asked for.
#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>
#include <vector>

#include "inference/exact/segment_tape.hpp"
#include "inference/exact/semi_markov.hpp"
#include "inference/tape/kept_shapes.hpp"
#include "inference/tape/list.hpp"

namespace riata {

// The first segmentation is that of SemiMarkov, including ties.
class SemiMarkovList {
 public:
  SemiMarkovList(const SegmentCoding& coding, std::int32_t order) : coding_(coding), order_(order) {}

  // Steps: see SemiMarkov.
  template <class Steps>
  void open(Steps& steps) {
    shape_ = &shapes_({steps.length(), std::min(coding_.most.number(), steps.length()), coding_.labels, order_});
    shape_->put(steps, 1.0, list_.open(shape_->tape));
  }
  // Writes the codes of the next segmentation to codes, [T], -1 inside segments, and returns its score; nothing after the last.
  std::optional<double> next(std::int32_t* codes) {
    const std::optional<double> score = list_.next(parts_);
    if (!score) return score;
    std::fill_n(codes, shape_->shape.length, -1);
    for (const auto& [part, rank] : parts_) {
      if (shape_->is_span(part))
        codes[shape_->start_of(part)] = coding_.code(Length(shape_->length_of(part)), LabelId(shape_->label_of(part)));
    }
    return score;
  }

 private:
  const SegmentCoding& coding_;
  std::int32_t order_;
  KeptShapes<SegmentTape::Shape, SegmentTape> shapes_;
  const SegmentTape* shape_ = nullptr;
  TapeList<double> list_;
  std::vector<TapeList<double>::Part> parts_;
};

}  // namespace riata
