// Scores of segments that the caller provides, in the form that exact search over segments reads.
#pragma once

#include <algorithm>
#include <cstdint>
#include <limits>
#include <vector>

#include "models/segment_weights.hpp"

namespace riata {

// The scores of one sentence; minus infinity if a segment or a pair of labels is not allowed.
struct SegmentScores {
  SegmentCoding coding;
  std::int32_t tokens = 0;
  bool edge_per_token = false;
  std::vector<double> span;  // [tokens][most][stride] scores of segments by first token, length minus one and label
  std::vector<double> edge;  // [label before][stride], or [tokens][label before][stride] if edge_per_token; empty: all are 0
  std::vector<double> none;  // [stride] scores of the label of the first segment

  // Forbids all segments of a sentence, as long as the coding and the sentence allow.
  void open(const SegmentCoding& of, std::int32_t length) {
    coding = of;
    coding.most = std::min(of.most, Length(length));
    tokens = length;
    span.assign(std::size_t(tokens) * coding.most.place() * coding.stride(), -std::numeric_limits<double>::infinity());
  }
  double& at(std::int32_t t, Length l, LabelId y) noexcept {
    return span[(std::size_t(t) * coding.most.place() + l.place() - 1) * coding.stride() + y.place()];
  }

  std::int32_t order() const noexcept { return edge.empty() ? 0 : 1; }
  std::int32_t length() const noexcept { return tokens; }
  Length lengths(std::int32_t t) const noexcept { return std::min(coding.most, Length(tokens - t)); }
  const double* spans(std::int32_t t) const noexcept { return span.data() + std::size_t(t) * coding.most.place() * coding.stride(); }
  const double* history(std::int32_t t, const Before& before) const noexcept {
    if (t == 0) return none.data();
    const std::size_t first = edge_per_token ? std::size_t(t) * coding.labels : 0;
    return edge.data() + (first + before.labels[0] - 1) * coding.stride();
  }
};

}  // namespace riata
