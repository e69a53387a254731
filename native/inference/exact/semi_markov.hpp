// The best segmentation under scores that read at most one label back: semi-Markov Viterbi, O(T (most L + L^2)).
#pragma once

#include <algorithm>
#include <cstdint>
#include <limits>
#include <vector>

#include "core/error.hpp"
#include "inference/structures/segment_steps.hpp"

namespace riata {

// Whether templates read no more of earlier segments than exact search distinguishes.
inline bool exact_reads(const SegmentTemplates& templates) noexcept { return templates.order() <= 1 && !templates.reads_start(); }

inline void check_exact(const SegmentTemplates& templates) {
  if (!exact_reads(templates))
    throw Error("UnsupportedError", "exact search over segments looks back no further than label[-1].",
                "Use a beam, which may be unbounded.");
}

template <class Real>
class SemiMarkov {
 public:
  SemiMarkov(const SegmentCoding& coding, std::int32_t order) : coding_(coding), stride_(coding.stride()), order_(order) {}

  // Writes the codes of the best segments of the open sentence to codes, [T], -1 inside segments, and returns their score. Ties go to the
  // lowest label, then to the shortest segment, read from the end. If nothing is allowed, all codes are -1 and the score is minus infinity.
  // Steps: SegmentSteps, or a class with its functions length, lengths, spans and history.
  template <class Steps>
  double operator()(Steps& steps, std::int32_t* codes) {
    fill(steps);
    return best_ending(steps.length(), codes, [](LabelId) { return true; });
  }
  // The same in two steps: `fill`, and then the best segments of those whose last label may_end(label).
  template <class Steps>
  void fill(Steps& steps) {
    const std::int32_t T = steps.length(), L = coding_.labels;
    const std::size_t size = std::size_t(T + 1) * L;
    alpha_.assign(size, never);
    reach_.assign(size, never);
    length_.assign(size, 0);
    from_.assign(size, 0);
    for (std::int32_t t = 0; t < T; ++t) {
      enter(steps, t);
      const auto* row = steps.spans(t);  // minus infinity if there is no such segment
      const double* from = reach(t);
      const std::int32_t longest = steps.lengths(t).number();
      for (std::int32_t l = 1; l <= longest; ++l, row += stride_) {
        double* to = alpha(t + l);
        std::int32_t* length = length_.data() + std::size_t(t + l) * L;
        for (std::int32_t y = 0; y < L; ++y) {
          const double score = from[y] + double(row[y]);
          if (score < to[y] || score == never) continue;  // at a tie the later start, which is a shorter segment
          to[y] = score;
          length[y] = l;
        }
      }
    }
  }
  template <class MayEnd>
  double best_ending(std::int32_t tokens, std::int32_t* codes, MayEnd may_end) {
    std::fill_n(codes, tokens, -1);
    double* ends = alpha(tokens);
    LabelId label;
    for (LabelId y(0); y.number() < coding_.labels; ++y) {
      if (may_end(y) && (!label || ends[y.place()] > ends[label.place()])) label = y;
    }
    const double score = ends[label.place()];
    if (score == never) return score;
    for (std::int32_t end = tokens; end > 0;) {
      const Length length(length_[std::size_t(end) * coding_.labels + label.place()]);
      end = end - length;
      codes[end] = coding_.code(length, label);
      label = LabelId(from_[std::size_t(end) * coding_.labels + label.place()]);
    }
    return score;
  }

 private:
  static constexpr double never = -std::numeric_limits<double>::infinity();

  double* alpha(std::int32_t t) noexcept { return alpha_.data() + std::size_t(t) * coding_.labels; }
  double* reach(std::int32_t t) noexcept { return reach_.data() + std::size_t(t) * coding_.labels; }
  LabelId best(const double* row) const noexcept {
    return LabelId(static_cast<std::int32_t>(std::max_element(row, row + coding_.labels) - row));
  }

  // Computes the best score up to token t for each label that a segment from there can have.
  template <class Steps>
  void enter(Steps& steps, std::int32_t t) {
    const std::int32_t L = coding_.labels;
    std::int32_t* from = from_.data() + std::size_t(t) * L;
    const double* ends = alpha(t);
    double* starts = reach(t);
    if (order_ == 0 || t == 0) {
      const Real* history = order_ == 0 ? nullptr : steps.history(0, {});
      const std::int32_t last = best(ends).number();
      for (std::int32_t y = 0; y < L; ++y) {
        starts[y] = (t == 0 ? 0 : ends[last]) + (history == nullptr ? 0 : double(history[y]));
        from[y] = last;
      }
      return;
    }
    for (std::int32_t before = 0; before < L; ++before) {
      const double score = ends[before];
      if (score == never) continue;
      const Real* history = steps.history(t, {{before + 1}});
      for (std::int32_t y = 0; y < L; ++y) {
        if (score + double(history[y]) <= starts[y]) continue;
        starts[y] = score + double(history[y]);
        from[y] = before;
      }
    }
  }

  const SegmentCoding& coding_;
  std::int32_t stride_, order_;
  std::vector<double> alpha_, reach_;  // [T + 1][L] best score up to the end of a segment, and up to the start of one
  // [T + 1][L] on these paths: the length of the last segment, and the label of the segment before.
  std::vector<std::int32_t> length_, from_;
};

}  // namespace riata
