// Labelled segments on tape, whose labels see at most the label before (semi-Markov: Sarawagi & Cohen 2004).
#pragma once

#include <algorithm>
#include <compare>
#include <cstdint>

#include "inference/tape/tape.hpp"

namespace riata {

// Parts are segments by first token, length and label; and labels after the label before, for every first token, where the first row stands
// for the begin of the sentence. With `order` 0, labels do not see each other, and there are no such parts.
class SegmentTape {
 public:
  struct Shape {
    std::int32_t length, most, labels, order;
    auto operator<=>(const Shape&) const = default;
  };

  explicit SegmentTape(const Shape& the_shape) : shape(the_shape), stride_(padded(shape.labels)) {
    tape.parts(std::int64_t{shape.length} * shape.most, shape.labels);
    edges_ = tape.parts(std::int64_t{shape.order} * shape.length * shape.labels, shape.labels);
    record();
  }

  // Rows of labels, [stride].
  Cell span(std::int32_t t, std::int32_t length) const noexcept { return (t * shape.most + length - 1) * stride_; }
  Cell edge(std::int32_t t, std::int32_t before) const noexcept { return edges_ + (t * shape.labels + before) * stride_; }
  // Ways up to the end of a segment of every label before token t; and up to the start of one, the same for all labels if `order` is 0.
  Cell ends(std::int32_t t) const noexcept { return ends_ + t * stride_; }
  Cell starts(std::int32_t t) const noexcept { return starts_ + t * (shape.order == 0 ? lanes : stride_); }
  std::int32_t stride() const noexcept { return stride_; }
  bool is_span(Cell part) const noexcept { return part < edges_; }
  std::int32_t start_of(Cell span) const noexcept { return span / stride_ / shape.most; }
  std::int32_t length_of(Cell span) const noexcept { return span / stride_ % shape.most + 1; }
  std::int32_t label_of(Cell span) const noexcept { return span % stride_; }

  // Writes `times` the scores of a sentence to the cells of parts. Steps: SegmentSteps, or a class with its functions spans and history,
  // whose rows are [stride].
  template <class Steps, class To>
  void put(Steps& steps, double times, To* to) const {
    const auto copy = [&](const auto* row, Cell at) {
      for (std::int32_t y = 0; y < stride_; ++y) to[at + y] = static_cast<To>(times * double(row[y]));
    };
    for (std::int32_t t = 0; t < shape.length; ++t) {
      const auto* rows = steps.spans(t);
      for (std::int32_t l = 1; l <= std::min(shape.most, shape.length - t); ++l, rows += stride_) copy(rows, span(t, l));
      for (std::int32_t before = 0; shape.order > 0 && before < (t == 0 ? 1 : shape.labels); ++before)
        copy(steps.history(t, {{t == 0 ? 0 : before + 1}}), edge(t, before));
    }
  }

  Tape tape;
  Shape shape;

 private:
  void record() {
    const std::int32_t T = shape.length, L = shape.labels;
    ends_ = tape.table(T + 1, L);
    starts_ = tape.table(T, shape.order == 0 ? 1 : L);
    const Cell units = tape.table(1, lanes), goal = tape.table(1, 1);
    const auto all_labels = [&](Cell to, std::int32_t t) {
      tape.add({.to = to, .count = L, .a = {ends(t), 1}, .b = {units}, .shared = true});
    };
    tape.one(units, lanes);
    if (shape.order == 0)
      tape.one(starts(0));
    else
      tape.add({.to = starts(0), .width = L, .a = {units}, .b = {edge(0, 0)}, .shared = true});
    for (std::int32_t t = 1; t <= T; ++t) {
      tape.add({.to = ends(t),
                .width = L,
                .count = std::min(shape.most, t),
                .a = {starts(t - 1), starts(0) - starts(1)},
                .b = {span(t - 1, 1), (1 - shape.most) * stride_},
                .shared = shape.order == 0});
      if (t == T) break;
      if (shape.order == 0)
        all_labels(starts(t), t);
      else
        tape.add({.to = starts(t), .width = L, .count = L, .a = {ends(t), 1}, .b = {edge(t, 0), stride_}, .shared = true});
    }
    all_labels(goal, T);
    tape.goal(goal);
  }

  std::int32_t stride_;
  Cell edges_ = no_cell, ends_ = no_cell, starts_ = no_cell;
};

}  // namespace riata
