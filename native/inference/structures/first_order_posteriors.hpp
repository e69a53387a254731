// Exact probabilities of labels and chunks of a sentence under a chain that reads one label back, over all labellings.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <unordered_map>
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
    if (temperature != temperature_) kept_.clear();
    chain_ = &chain;
    temperature_ = temperature;
    length_ = static_cast<std::size_t>(chain.length);
    for (auto* rows : {&node_, &alpha_, &into_, &posterior_}) rows->resize(length_ * stride_);
    for (std::size_t k = 0; k < node_.size(); k += stride_) {
      divide(chain.node.data() + k, labels_, node_.data() + k);
      std::fill(node_.begin() + static_cast<std::ptrdiff_t>(k + labels_), node_.begin() + static_cast<std::ptrdiff_t>(k + stride_),
                Constraint<Real>::never);
    }
    make_factors();
    const auto edge = [&](std::int32_t t) {
      const std::size_t at = places_[static_cast<std::size_t>(t)];
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
    return double(alpha_[(t - 1) * stride_ + i]) * double(forward_[places_[t] + i * stride_ + j]) * double(into_[t * stride_ + j]);
  }

 private:
  double own(std::size_t t, std::size_t j) const noexcept { return double(chain_->node[t * stride_ + j]) / temperature_; }
  double pair(std::size_t t, std::size_t i, std::size_t j) const noexcept {
    return double(chain_->edge_into(static_cast<std::int32_t>(t))[i * stride_ + j]) / temperature_;
  }

  void divide(const Real* scores, std::size_t count, Real* out) const {
    if (temperature_ == 1)
      std::copy_n(scores, count, out);
    else
      for (std::size_t k = 0; k < count; ++k) out[k] = static_cast<Real>(double(scores[k]) / temperature_);
  }

  // Computes the factors of a matrix of label pairs, behind all others, and returns their place.
  std::size_t add_factors(const Real* scores) {
    const std::size_t square = labels_ * stride_, at = highest_.size() * square;
    for (auto* rows : {&forward_, &backward_}) rows->resize(at + square, Real{0});
    scaled_.resize(square);
    divide(scores, square, scaled_.data());
    highest_.push_back(make_edge_factors(scaled_.data(), static_cast<std::int32_t>(labels_), forward_.data() + at, backward_.data() + at));
    return at;
  }

  // Matrices that are stored elsewhere never change, so their factors are kept for the sentences to come.
  void make_factors() {
    if (chain_->shared_edge.empty() || kept_.size() * labels_ * stride_ > most_kept) kept_.clear();
    if (kept_.empty()) {
      for (auto* rows : {&forward_, &backward_}) rows->clear();
      highest_.clear();
    }
    places_.assign(length_, 0);
    for (std::size_t t = 1; t < length_; ++t) {
      const Real* scores = chain_->edge_into(static_cast<std::int32_t>(t));
      if (chain_->shared_edge.empty()) {
        places_[t] = t == 1 || chain_->edge_per_token ? add_factors(scores) : places_[1];
        continue;
      }
      const auto [found, is_new] = kept_.try_emplace(scores, 0);
      if (is_new) found->second = add_factors(scores);
      places_[t] = found->second;
    }
  }

  static constexpr std::size_t most_kept = std::size_t{1} << 22;  // numbers in matrices that are kept

  std::size_t labels_, stride_, length_ = 0;
  const ChainScores<Real>* chain_ = nullptr;
  double temperature_ = 1;
  bool logarithms_ = false;
  ChainSums<Real> sums_;
  ChainLogSums logs_;
  std::vector<Real> node_, alpha_, into_, posterior_, forward_, backward_, scaled_;
  std::vector<double> highest_;
  std::vector<std::size_t> places_;                    // [length] where the factors of the step into a token are
  std::unordered_map<const Real*, std::size_t> kept_;  // where the factors of a matrix are that is stored elsewhere
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
