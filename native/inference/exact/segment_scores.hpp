// Scores of segments that come from elsewhere, as exact search over segments reads them.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "models/segment_weights.hpp"

namespace riata {

// Of one sentence. Minus infinity forbids.
struct SegmentScores {
  SegmentCoding coding;
  std::int32_t tokens = 0;
  bool edge_per_token = false;
  std::vector<double> span;  // [tokens][most][stride]: of a segment that starts at a token, by its length less one and its label
  std::vector<double> edge;  // [labels][stride] of a label behind another; per token: [tokens][labels][stride]; empty: all zero
  std::vector<double> none;  // [stride] zeros, of a first segment

  std::int32_t order() const noexcept { return edge.empty() ? 0 : 1; }
  std::int32_t length() const noexcept { return tokens; }
  std::int32_t lengths(std::int32_t t) const noexcept { return std::min(coding.most, tokens - t); }
  const double* spans(std::int32_t t) const noexcept { return span.data() + std::size_t(t) * coding.most * coding.stride(); }
  const double* history(std::int32_t t, const Before& before) const noexcept {
    if (t == 0) return none.data();
    const std::size_t first = edge_per_token ? std::size_t(t) * coding.labels : 0;
    return edge.data() + (first + before.labels[0] - 1) * coding.stride();
  }
};

}  // namespace riata
