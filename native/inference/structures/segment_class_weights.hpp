// How much segments count if the labels of tokens have weights.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "losses/segments.hpp"
#include "models/segment_weights.hpp"

namespace riata {

// A segment counts as much as the average weight of the true labels of its tokens, whatever its own label is. The loss is the one of
// SegmentLoss with this weight in place of 1.
class SegmentClassWeights {
 public:
  explicit SegmentClassWeights(const SegmentCoding& coding) : coding_(coding) {}

  // weights: [labels of tokens]; empty: every segment counts 1.
  void set(std::span<const double> weights) { weights_.assign(weights.begin(), weights.end()); }
  bool any() const noexcept { return !weights_.empty(); }

  // labels: [T] true labels of the tokens of a sentence. gold: [T] codes of its true segments.
  void open(std::span<const std::int32_t> labels, std::span<const std::int32_t> gold) {
    gold_ = gold;
    weight_before_.assign(labels.size() + 1, 0);
    for (std::size_t t = 0; t < labels.size(); ++t)
      weight_before_[t + 1] = weight_before_[t] + weights_[static_cast<std::size_t>(labels[t])];
    gold_before_.assign(gold.size() + 1, 0);
    for (std::size_t t = 0; t < gold.size(); ++t)
      gold_before_[t + 1] = gold_before_[t] + (gold[t] < 0 ? 0 : weight(static_cast<std::int32_t>(t), coding_.length(gold[t])));
    find_least_loss(coding_, gold, [&](std::int32_t t, Length l) { return of_wrong(t, l); }, least_);
    rounding_ = 1e-12 * (weight_before_.back() + gold_before_.back());
  }

  double weight(std::int32_t t, Length length) const noexcept {
    return (weight_before_[static_cast<std::size_t>(t + length)] - weight_before_[static_cast<std::size_t>(t)]) / length.number();
  }
  // What a segment adds to the loss: 0 if it is true; otherwise its own weight, and the weights of the true segments that begin within it.
  double of(std::int32_t t, Length length, LabelId label) const noexcept {
    return coding_.code(length, label) == gold_[static_cast<std::size_t>(t)] ? 0 : of_wrong(t, length);
  }
  // The least loss that the tokens from t on can add.
  double least(std::int32_t t) const noexcept { return least_[static_cast<std::size_t>(t)]; }
  // Whether a segment at token t belongs to an output with the least loss that the tokens from t on can add.
  bool is_least(std::int32_t t, Length length, LabelId label) const noexcept {
    return of(t, length, label) + least(t + length) <= least(t) + rounding_;
  }

 private:
  double of_wrong(std::int32_t t, Length length) const noexcept {
    return weight(t, length) + gold_before_[static_cast<std::size_t>(t + length)] - gold_before_[static_cast<std::size_t>(t)];
  }

  const SegmentCoding& coding_;
  std::span<const std::int32_t> gold_;
  std::vector<double> weights_;        // [labels]
  std::vector<double> weight_before_;  // [T + 1] the weight of all tokens before
  std::vector<double> gold_before_;    // [T + 1] the weight of all true segments that begin before
  std::vector<double> least_;          // [T + 1]
  double rounding_ = 0;                // two losses that differ by no more are equal
};

}  // namespace riata
