// Expected features of a sentence under a chain that reads up to two labels back, over all labellings.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "core/kinds.hpp"
#include "features/history.hpp"
#include "features/instances.hpp"
#include "inference/exact/second_order.hpp"
#include "inference/exact/second_order_log_sums.hpp"
#include "inference/structures/first_order_posteriors.hpp"

namespace riata {

// Probabilities of labels, of pairs and, if the chain reads two labels back, of three labels in a row. Two labels back, all sums are in
// logarithms.
template <class Real>
class ChainExpectations {
 public:
  explicit ChainExpectations(std::int32_t labels) : labels_(static_cast<std::size_t>(labels)), one_back_(labels) {}

  // Opens a sentence and returns log Z, where an output has the probability exp(sharpness * score) / Z. two_back: null if the chain reads
  // one label back. The scores must not change while probabilities are asked for.
  double open(const ChainScores<Real>& chain, const SecondOrderScores<Real>* two_back, double sharpness) {
    two_back_ = two_back;
    if (two_back == nullptr) return one_back_.open(chain, 1 / sharpness);
    chain_ = &chain;
    sharpness_ = sharpness;
    return logs_(
        static_cast<std::size_t>(chain.length), labels_, [&](std::size_t t, std::size_t j) { return own(t, j); },
        [&](std::size_t t, std::size_t h, std::size_t i, std::size_t j) { return triple(t, h, i, j); });
  }

  // The probability of label j at token t.
  double of(std::size_t t, std::size_t j) const { return two_back_ == nullptr ? one_back_.of(t, j) : logs_.posterior(t, j); }

  // Prepares the probabilities of the labels at token t > 0 together with earlier ones.
  void look_back(std::size_t t) {
    near_.assign(labels_ * labels_, 0);
    far_.assign(labels_ * labels_, 0);
    all_.assign(two_back_ == nullptr || t < 2 ? 0 : labels_ * labels_ * labels_, 0);
    for (std::size_t i = 0; i < labels_; ++i) {
      for (std::size_t j = 0; j < labels_; ++j) {
        if (two_back_ == nullptr) near_[i * labels_ + j] = one_back_.of(t, i, j);
        for (std::size_t h = 0; two_back_ != nullptr && h < (t == 1 ? 1 : labels_); ++h) {
          const double p = logs_.posterior(t, h, i, j, triple(t, h, i, j) + own(t, j));
          near_[i * labels_ + j] += p;
          if (t < 2) continue;
          far_[h * labels_ + j] += p;
          all_[(h * labels_ + i) * labels_ + j] = p;
        }
      }
    }
  }
  // After look_back(t): rows of probabilities of the labels at token t, [labels], together with label i one token before; with label h two
  // tokens before; with both.
  const double* near(std::size_t i) const noexcept { return near_.data() + i * labels_; }
  const double* far(std::size_t h) const noexcept { return far_.data() + h * labels_; }
  const double* both(std::size_t h, std::size_t i) const noexcept { return all_.data() + (h * labels_ + i) * labels_; }

 private:
  double own(std::size_t t, std::size_t j) const noexcept {
    return sharpness_ * double(chain_->node[t * static_cast<std::size_t>(chain_->stride) + j]);
  }
  double triple(std::size_t t, std::size_t h, std::size_t i, std::size_t j) const noexcept {
    const auto at = static_cast<std::int32_t>(t), middle = static_cast<std::int32_t>(i);
    const std::int32_t pair = t == 1 ? 0 : two_back_->pairs->number(static_cast<std::int32_t>(h), middle);
    if (pair < 0) return Constraint<Real>::never;
    const Real* row = t == 1 ? two_back_->second[i] : two_back_->rows(at)[pair];
    return sharpness_ * (double(chain_->edge_into(at)[i * static_cast<std::size_t>(chain_->stride) + j]) + double(row[j]));
  }

  std::size_t labels_;
  FirstOrderPosteriors<Real> one_back_;
  const SecondOrderScores<Real>* two_back_ = nullptr;
  const ChainScores<Real>* chain_ = nullptr;
  double sharpness_ = 1;
  SecondOrderLogSums logs_;
  std::vector<double> near_, far_, all_;  // [label i or h][label], and [label h][label i][label]
};

}  // namespace riata
