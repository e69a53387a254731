// Sums over all segmentations under scores that read at most one label back: log Z and posteriors.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <vector>

#include "core/log_sum.hpp"
#include "inference/exact/semi_markov.hpp"

namespace riata {

// Semi-Markov forward-backward, in logarithms and double precision. A segmentation has the probability exp(sharpness * score) / Z.
template <class Real>
class SemiMarkovSums {
 public:
  SemiMarkovSums(const SegmentCoding& coding, std::int32_t order) : coding_(coding), stride_(coding.stride()), order_(order) {}

  // Sums over the segmentations of the open sentence, and returns log Z. Steps: SegmentSteps, or a class with its functions length, spans
  // and history.
  template <class Steps>
  double open(Steps& steps, double sharpness) {
    length_ = steps.length();
    most_ = std::min(coding_.most.number(), length_);
    score(steps, sharpness);
    forward();
    backward();
    return log_z_ = log_sum({row(alpha_, length_), static_cast<std::size_t>(coding_.labels)});
  }

  // The probability that a segment of length l and label y starts at token t.
  double posterior(std::int32_t t, Length l, LabelId y) const noexcept {
    return coding_.allows(l, y) ? std::exp(row(reach_, t)[y.place()] + span(t, l, y) + row(beta_, t + l)[y.place()] - log_z_) : 0;
  }

  // The probability that a segment of length l and label y starts at token t > 0 and follows a segment of label `before`.
  double posterior_behind(std::int32_t t, Length l, LabelId before, LabelId y) const noexcept {
    if (!coding_.allows(l, y)) return 0;
    return std::exp(row(alpha_, t)[before.place()] + edges(t, before)[y.place()] + span(t, l, y) + row(beta_, t + l)[y.place()] - log_z_);
  }

  // The probability that a segment of label y starts at token t after a segment of label `before`; at the first token, `before` must be 0.
  double pair_posterior(std::int32_t t, LabelId before, LabelId y) const noexcept {
    return std::exp((t == 0 ? 0 : row(alpha_, t)[before.place()]) + edges(t, before)[y.place()] + row(leave_, t)[y.place()] - log_z_);
  }

 private:
  static constexpr double never = -std::numeric_limits<double>::infinity();

  const double* row(const std::vector<double>& rows, std::int32_t t) const noexcept {
    return rows.data() + std::size_t(t) * coding_.labels;
  }
  double* row(std::vector<double>& rows, std::int32_t t) const noexcept { return rows.data() + std::size_t(t) * coding_.labels; }
  double span(std::int32_t t, Length l, LabelId y) const noexcept {
    return spans_[(std::size_t(t) * most_ + l.place() - 1) * coding_.labels + y.place()];
  }
  const double* edges(std::int32_t t, LabelId before) const noexcept {
    return order_ == 0 ? zeros_.data() : edges_.data() + (std::size_t(t) * coding_.labels + before.place()) * coding_.labels;
  }
  Length lengths(std::int32_t t) const noexcept { return Length(std::min(most_, length_ - t)); }

  template <class Steps>
  void score(Steps& steps, double sharpness) {
    const std::int32_t L = coding_.labels;
    spans_.assign(std::size_t(length_) * most_ * L, never);
    edges_.assign(order_ == 0 ? 0 : std::size_t(length_) * L * L, 0);
    zeros_.assign(static_cast<std::size_t>(L), 0);
    for (std::int32_t t = 0; t < length_; ++t) {
      const Real* spans = steps.spans(t);
      for (Length l(1); l <= lengths(t); ++l)
        for (LabelId y(0); y.number() < L; ++y)
          if (coding_.allows(l, y))
            spans_[(std::size_t(t) * most_ + l.place() - 1) * L + y.place()] =
                sharpness * double(spans[(l.place() - 1) * stride_ + y.place()]);
      // The first row stands for the start of the sentence.
      for (LabelId before(0); order_ > 0 && before.number() < (t == 0 ? 1 : L); ++before) {
        const Real* history = steps.history(t, {{t == 0 ? 0 : before.value()}});
        double* out = edges_.data() + (std::size_t(t) * L + before.place()) * L;
        for (std::int32_t y = 0; y < L; ++y) out[y] = sharpness * double(history[y]);
      }
    }
  }

  void forward() {
    const std::int32_t L = coding_.labels;
    alpha_.assign(std::size_t(length_ + 1) * L, never);
    reach_.assign(std::size_t(length_ + 1) * L, never);
    for (std::int32_t y = 0; y < L; ++y) row(reach_, 0)[y] = edges(0, LabelId(0))[y];
    for (std::int32_t t = 1; t <= length_; ++t) {
      for (LabelId y(0); y.number() < L; ++y) {
        terms_.clear();
        for (Length l(1); l.number() <= std::min(most_, t); ++l) terms_.push_back(row(reach_, t - l)[y.place()] + span(t - l, l, y));
        row(alpha_, t)[y.place()] = log_sum(terms_);
      }
      if (t == length_) break;
      for (std::int32_t y = 0; y < L; ++y) {
        if (order_ == 0 && y > 0) {
          row(reach_, t)[y] = row(reach_, t)[0];
          continue;
        }
        terms_.clear();
        for (LabelId before(0); before.number() < L; ++before) terms_.push_back(row(alpha_, t)[before.place()] + edges(t, before)[y]);
        row(reach_, t)[y] = log_sum(terms_);
      }
    }
  }

  void backward() {
    const std::int32_t L = coding_.labels;
    beta_.assign(std::size_t(length_ + 1) * L, 0);
    leave_.assign(std::size_t(length_ + 1) * L, never);
    for (std::int32_t t = length_ - 1; t >= 0; --t) {
      for (LabelId y(0); y.number() < L; ++y) {
        terms_.clear();
        for (Length l(1); l <= lengths(t); ++l) terms_.push_back(span(t, l, y) + row(beta_, t + l)[y.place()]);
        row(leave_, t)[y.place()] = log_sum(terms_);
      }
      for (LabelId before(0); before.number() < (order_ == 0 ? 1 : L); ++before) {
        terms_.clear();
        for (std::int32_t y = 0; y < L; ++y) terms_.push_back(edges(t, before)[y] + row(leave_, t)[y]);
        row(beta_, t)[before.place()] = log_sum(terms_);
      }
      if (order_ == 0) std::fill_n(row(beta_, t), L, row(beta_, t)[0]);
    }
  }

  const SegmentCoding& coding_;
  std::int32_t stride_, order_, length_ = 0, most_ = 0;
  double log_z_ = 0;
  std::vector<double> spans_;          // [T][most][L] scores
  std::vector<double> edges_, zeros_;  // [T][label before][L] scores of a label after another; [L]
  std::vector<double> alpha_, reach_;  // [T + 1][L] sums over paths up to the end of a segment, and up to the start of one
  std::vector<double> beta_, leave_;   // [T + 1][L] sums over paths from the end of a segment on, and from the start of one on
  std::vector<double> terms_;
};

}  // namespace riata
