// Local normalisation: turns the scores of labels into log-probabilities given the label before.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <vector>

#include "core/kernels.hpp"
#include "inference/exact/viterbi.hpp"

namespace riata {

// log Σ exp of the scores of labels, one row at a time; minus infinity if no label is allowed.
template <class Real>
class LocalSums {
 public:
  explicit LocalSums(std::int32_t labels) : labels_(labels), stride_(padded(labels)), row_(static_cast<std::size_t>(stride_)) {}

  // The logarithm of the sum for a row, or for the sum of two rows; rows are [stride].
  double operator()(const Real* one, const Real* other) {
    for (std::int32_t j = 0; j < labels_; ++j) row_[static_cast<std::size_t>(j)] = one[j] + other[j];
    return finish();
  }
  double operator()(const Real* one) {
    std::copy_n(one, labels_, row_.begin());
    return finish();
  }
  // Writes exp(score - last result), the probabilities of the labels, to out, [stride]. Only if the last result was finite.
  void probabilities(Real* out) const {
    for (std::int32_t j = 0; j < stride_; ++j) out[j] = static_cast<Real>(double(row_[static_cast<std::size_t>(j)]) / sum_);
  }

 private:
  double finish() {
    std::fill(row_.begin() + labels_, row_.end(), never);
    Real highest = 0;
    exp_rows(row_.data(), 1, stride_, &highest);
    if (highest == never) return double(never);
    sum_ = 0;
    for (const Real factor : row_) sum_ += double(factor);
    return double(highest) + std::log(sum_);
  }

  static constexpr Real never = -std::numeric_limits<Real>::infinity();
  std::int32_t labels_, stride_;
  std::vector<Real> row_;
  double sum_ = 1;
};

// Changes the scores so that the score of every path is the sum of log P(label | label before). The normaliser of the step into token t
// depends on the label at token t - 1 only, and is subtracted from the score of that label. A label that no label may follow gets minus
// infinity.
template <class Real>
void normalise_locally(ChainScores<Real>& chain) {
  LocalSums<Real> sums(chain.labels);
  const auto own = [&](std::int32_t t) { return chain.node.data() + std::size_t(t) * chain.stride; };
  const auto taken = [](Real score, double sum) {
    return std::isfinite(sum) ? static_cast<Real>(double(score) - sum) : -std::numeric_limits<Real>::infinity();
  };
  const double first = sums(own(0));
  for (std::int32_t i = 0; i < chain.labels; ++i) own(0)[i] = taken(own(0)[i], first);
  for (std::int32_t t = 1; t < chain.length; ++t) {
    for (std::int32_t i = 0; i < chain.labels; ++i) {
      Real& before = own(t - 1)[i];
      before = taken(before, sums(own(t), chain.edge_into(t) + std::size_t(i) * chain.stride));
    }
  }
}

}  // namespace riata
