// How much segments count if the labels of tokens have weights.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "models/segment_weights.hpp"

namespace riata {

// A segment counts as much as the average weight of the true labels of its tokens, whatever its own label is.
class SegmentClassWeights {
 public:
  // weights: [labels of tokens]; empty: every segment counts 1.
  void set(std::span<const double> weights) { weights_.assign(weights.begin(), weights.end()); }
  bool any() const noexcept { return !weights_.empty(); }

  // labels: [T] true labels of the tokens of a sentence. gold: [T] codes of its true segments.
  void open(const SegmentCoding& coding, std::span<const std::int32_t> labels, std::span<const std::int32_t> gold) {
    weight_before_.assign(labels.size() + 1, 0);
    for (std::size_t t = 0; t < labels.size(); ++t)
      weight_before_[t + 1] = weight_before_[t] + weights_[static_cast<std::size_t>(labels[t])];
    gold_before_.assign(gold.size() + 1, 0);
    for (std::size_t t = 0; t < gold.size(); ++t)
      gold_before_[t + 1] = gold_before_[t] + (gold[t] < 0 ? 0 : of(static_cast<std::int32_t>(t), coding.length(gold[t])));
  }

  double of(std::int32_t t, std::int32_t length) const noexcept {
    return (weight_before_[static_cast<std::size_t>(t + length)] - weight_before_[static_cast<std::size_t>(t)]) / length;
  }
  // What a wrong segment adds to the loss: its own weight, and the weights of the true segments that begin within it.
  double of_wrong(std::int32_t t, std::int32_t length) const noexcept {
    return of(t, length) + gold_before_[static_cast<std::size_t>(t + length)] - gold_before_[static_cast<std::size_t>(t)];
  }

 private:
  std::vector<double> weights_;        // [labels]
  std::vector<double> weight_before_;  // [T + 1] the weight of all tokens before
  std::vector<double> gold_before_;    // [T + 1] the weight of all true segments that begin before
};

}  // namespace riata
