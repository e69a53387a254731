// Exact probabilities of labels and chunks of a sentence under a chain that reads one label back, over all labellings.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "core/kernels.hpp"
#include "inference/constraint.hpp"
#include "inference/exact/chain_log_sums.hpp"
#include "inference/exact/chain_sums.hpp"
#include "inference/exact/viterbi.hpp"
#include "inference/search/corpus_space.hpp"

namespace riata {

// The posteriors of one sentence: computed with factors or, if these underflow or overflow, with logarithms.
template <class Real>
class FirstOrderPosteriors {
 public:
  explicit FirstOrderPosteriors(std::int32_t labels)
      : labels_(static_cast<std::size_t>(labels)), stride_(static_cast<std::size_t>(padded(labels))), sums_(labels) {}

  double open(const ChainScores<Real>& chain, double temperature) {
    chain_ = &chain;
    temperature_ = temperature;
    length_ = static_cast<std::size_t>(chain.length);
    for (auto* rows : {&node_, &alpha_, &into_, &posterior_}) rows->assign(length_ * stride_, Real{0});
    for (std::size_t k = 0; k < node_.size(); ++k)
      node_[k] = k % stride_ < labels_ ? static_cast<Real>(double(chain.node[k]) / temperature) : Constraint<Real>::never;
    make_factors();
    const auto edge = [&](std::int32_t t) {
      const std::size_t at = place(static_cast<std::size_t>(t));
      return EdgeFactors<Real>{forward_.data() + at, backward_.data() + at, highest_[at / (labels_ * stride_)]};
    };
    const double log_z = sums_(chain.length, node_.data(), edge, alpha_.data(), into_.data(), posterior_.data());
    logarithms_ = !std::isfinite(log_z);
    if (!logarithms_) return log_z;
    return logs_(
        length_, labels_, [&](std::size_t t, std::size_t j) { return own(t, j); },
        [&](std::size_t t, std::size_t i, std::size_t j) { return pair(t, i, j); });
  }

  double unit(const ChunkFlags& chunks, const std::int32_t* found, std::size_t first, std::size_t end) const;

  // The posterior of label j at token t, and of the labels i at token t - 1 and j at token t.
  double of(std::size_t t, std::size_t j) const noexcept {
    return logarithms_ ? logs_.posterior(t, j) : double(posterior_[t * stride_ + j]);
  }
  double of(std::size_t t, std::size_t i, std::size_t j) const noexcept {
    if (logarithms_) return logs_.posterior(t, i, j, pair(t, i, j) + own(t, j));
    return double(alpha_[(t - 1) * stride_ + i]) * double(forward_[place(t) + i * stride_ + j]) * double(into_[t * stride_ + j]);
  }

 private:
  double own(std::size_t t, std::size_t j) const noexcept { return double(chain_->node[t * stride_ + j]) / temperature_; }
  double pair(std::size_t t, std::size_t i, std::size_t j) const noexcept {
    return double(chain_->edge_into(static_cast<std::int32_t>(t))[i * stride_ + j]) / temperature_;
  }

  // The place of the factors of the step into token t. All steps share one matrix, unless the chain has one matrix per token.
  std::size_t place(std::size_t t) const noexcept { return (chain_->edge_per_token ? t - 1 : 0) * labels_ * stride_; }

  void make_factors() {
    const std::size_t square = labels_ * stride_, steps = length_ < 2 ? 0 : chain_->edge_per_token ? length_ - 1 : 1;
    for (auto* rows : {&forward_, &backward_}) rows->assign(steps * square, Real{0});
    highest_.resize(steps);
    scaled_.resize(square);
    for (std::size_t step = 0; step < steps; ++step) {
      const Real* scores = chain_->edge_into(static_cast<std::int32_t>(step) + 1);
      for (std::size_t k = 0; k < square; ++k) scaled_[k] = static_cast<Real>(double(scores[k]) / temperature_);
      highest_[step] = make_edge_factors(scaled_.data(), static_cast<std::int32_t>(labels_), forward_.data() + step * square,
                                         backward_.data() + step * square);
    }
  }

  std::size_t labels_, stride_, length_ = 0;
  const ChainScores<Real>* chain_ = nullptr;
  double temperature_ = 1;
  bool logarithms_ = false;
  ChainSums<Real> sums_;
  ChainLogSums logs_;
  std::vector<Real> node_, alpha_, into_, posterior_, forward_, backward_, scaled_;
  std::vector<double> highest_;
};

// The probability of the chunk of tokens first to end - 1, which `found` labels as one unit.
template <class Real>
double FirstOrderPosteriors<Real>::unit(const ChunkFlags& chunks, const std::int32_t* found, std::size_t first, std::size_t end) const {
  const std::size_t labels = labels_;
  const auto continues = [&](std::size_t i, std::size_t j) { return chunks.continues[i * labels + j] != 0; };
  std::vector<double> passed(labels, 0), next(labels);
  for (std::size_t j = 0; j < labels; ++j) {
    if (chunks.types[j] != chunks.types[static_cast<std::size_t>(found[first])]) continue;
    passed[j] = of(first, j);
    for (std::size_t i = 0; first > 0 && i < labels; ++i) {
      if (continues(i, j)) passed[j] -= of(first, i, j);
    }
  }
  double sum = 0;
  for (std::size_t t = first + 1; t <= end && t < length_; ++t) {
    std::fill(next.begin(), next.end(), 0);
    for (std::size_t i = 0; i < labels; ++i) {
      const double here = of(t - 1, i);
      if (passed[i] <= 0 || here <= 0) continue;
      double left = passed[i];
      for (std::size_t j = 0; j < labels; ++j) {
        if (!continues(i, j)) continue;
        const double through = passed[i] * of(t, i, j) / here;
        next[j] += through;
        left -= through;
      }
      if (t == end) sum += left;
    }
    std::swap(passed, next);
  }
  if (end == length_) {
    for (const double each : passed) sum += each;
  }
  return std::clamp(sum, 0.0, 1.0);
}

}  // namespace riata
