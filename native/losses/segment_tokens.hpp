// The loss of segmentations that counts tokens: those whose label, or whose place in a segment, is wrong.
#pragma once

#include <algorithm>
#include <cstdint>
#include <limits>
#include <span>
#include <vector>

#include "models/segment_weights.hpp"

namespace riata {

// A token is right if it has the label of its true segment and begins a segment exactly where the truth does. Written as IOB2, this is the
// number of wrong labels. It adds up over segments: every segment adds its wrong tokens.
class SegmentTokenLoss {
 public:
  explicit SegmentTokenLoss(const SegmentCoding& coding) : coding_(coding) {}

  // gold: [T] codes of the true segments, -1 inside. weights: [T] how much an error at each token counts; empty: 1.
  void open(std::span<const std::int32_t> gold, std::span<const double> weights) {
    const std::size_t length = gold.size();
    const auto labels = static_cast<std::size_t>(coding_.labels);
    first_.assign(length * labels, 0);
    inside_before_.assign((length + 1) * labels, 0);
    LabelId label(0);
    double total = 0;
    for (std::size_t t = 0; t < length; ++t) {
      const double weight = weights.empty() ? 1.0 : weights[t];
      if (gold[t] >= 0) label = coding_.label(gold[t]);
      for (std::size_t j = 0; j < labels; ++j) {
        const bool same = j == label.place();
        first_[t * labels + j] = same && gold[t] >= 0 ? 0 : weight;
        inside_before_[(t + 1) * labels + j] = inside_before_[t * labels + j] + (same && gold[t] < 0 ? 0 : weight);
      }
      total += weight;
    }
    rounding_ = 1e-12 * total;
    find_least(static_cast<std::int32_t>(length));
  }

  // What a segment adds to the loss.
  double of(std::int32_t t, Length length, LabelId label) const noexcept {
    return first_[at(t, label)] + inside_before_[at(t + length, label)] - inside_before_[at(t + 1, label)];
  }
  // The least loss that the tokens from t on can add.
  double least(std::int32_t t) const noexcept { return least_[static_cast<std::size_t>(t)]; }
  // Whether a segment at token t belongs to an output with the least loss that the tokens from t on can add.
  bool is_least(std::int32_t t, Length length, LabelId label) const noexcept {
    return of(t, length, label) + least(t + length) <= least(t) + rounding_;
  }

 private:
  std::size_t at(std::int32_t t, LabelId label) const noexcept { return std::size_t(t) * coding_.labels + label.place(); }

  void find_least(std::int32_t length) {
    least_.assign(static_cast<std::size_t>(length) + 1, 0);
    for (std::int32_t t = length - 1; t >= 0; --t) {
      double best = std::numeric_limits<double>::max();
      for (Length l(1); l <= std::min(coding_.most, Length(length - t)); ++l) {
        for (LabelId label(0); label.number() < coding_.labels; ++label) {
          if (coding_.allows(l, label)) best = std::min(best, of(t, l, label) + least(t + l));
        }
      }
      least_[static_cast<std::size_t>(t)] = best;
    }
  }

  const SegmentCoding& coding_;
  std::vector<double> first_;          // [T][labels] what the first token of a segment adds
  std::vector<double> inside_before_;  // [T + 1][labels] what all tokens before would add inside segments
  std::vector<double> least_;          // [T + 1]
  double rounding_ = 0;                // two losses that differ by no more are equal
};

}  // namespace riata
