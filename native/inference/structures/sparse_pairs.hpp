// Weights of label pairs that few steps read, such as those of `edge word[-1]`. They are stored one by one, since a matrix would be mostly
// empty.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <span>
#include <vector>

#include "core/kinds.hpp"
#include "core/numbers.hpp"
#include "inference/structures/chain_pairs.hpp"
#include "models/layout.hpp"

namespace riata {

// Tokens read matrices, and matrices contain weights. The weight with number k stands at cell cells_[k] of [label before][stride].
template <class Real>
class SparsePairs {
 public:
  SparsePairs(const RowWeights& there, const Layout& layout) : there_(there), labels_(layout.labels), stride_(layout.stride) {}

  // Adds a matrix by its place in the long vector, and returns its number.
  std::int32_t add_matrix(std::int64_t place) {
    weights_.push_back(there_.first(place));
    for (std::int32_t i = 0; i < labels_; ++i) {
      const std::int64_t row = place + std::int64_t{i} * stride_;
      for (std::int32_t k = there_.first(row); k < there_.end(row); ++k) cells_.push_back(i * stride_ + there_.label(k));
    }
    ends_.push_back(static_cast<std::int64_t>(cells_.size()));
    return static_cast<std::int32_t>(weights_.size()) - 1;
  }
  // Adds the next token, which reads these matrices.
  void add_token(std::span<const std::int32_t> matrices) {
    std::int64_t weights = before_.back();
    for (const std::int32_t matrix : matrices) weights += end(matrix) - first(matrix);
    read_.insert(read_.end(), matrices.begin(), matrices.end());
    starts_.push_back(static_cast<std::int64_t>(read_.size()));
    before_.push_back(weights);
  }

  // How many weights the tokens before n read. If weights are listed token by token, those of token n start there.
  std::int64_t before(std::int64_t n) const noexcept { return before_[static_cast<std::size_t>(n)]; }
  bool any(std::int64_t n) const noexcept { return before(n + 1) > before(n); }

  // Counts the weights of features of the truth, token by token, before the first evaluation. forget_counts sets the counts to zero.
  void forget_counts() { gold_.assign(cells_.size(), 0); }
  void count(std::int64_t n, LabelId before, LabelId label, double weight) {
    each_of(n, before, label, [&](std::size_t k) { gold_[k] += weight; });
  }
  // If the truth is not counted: the score of a pair of labels at a token, and subtracting the pair `times` times.
  double score(std::int64_t n, LabelId before, LabelId label) const {
    double sum = 0;
    each_of(n, before, label, [&](std::size_t k) { sum += double(scores_[k]); });
    return sum;
  }
  void take(std::int64_t n, LabelId before, LabelId label, double times) {
    each_of(n, before, label, [&](std::size_t k) { totals_[k] -= times; });
  }

  // Stores the weights, and sets the collected gradient to minus the counts of the truth. Returns the score of the counted truth.
  double read(std::span<const double> at) {
    const std::size_t size = cells_.size();
    gold_.resize(size);
    scores_.resize(size);
    factors_.resize(size);
    totals_.resize(size);
    highest_.assign(weights_.size(), Real{0});
    double value = 0;
    for (std::size_t m = 0, k = 0; m < weights_.size(); ++m) {
      for (auto w = static_cast<std::size_t>(weights_[m]); k < static_cast<std::size_t>(ends_[m]); ++k, ++w) {
        scores_[k] = static_cast<Real>(at[w]);
        factors_[k] = std::exp(scores_[k]);
        highest_[m] = std::max(highest_[m], scores_[k]);
        totals_[k] = -gold_[k];
        value += gold_[k] * double(scores_[k]);
      }
    }
    return value;
  }

  // Writes the factors of a token's label pairs, multiplied by the factors of its labels, node [stride], to out, [labels][stride]. Returns
  // the number that was subtracted from the scores of pairs, so that no result exceeds the factor of the label.
  double factors(std::int64_t n, const Real* node, Real* out) const {
    double highest = 0;
    each_matrix(n, [&](std::int32_t matrix) { highest += double(highest_[static_cast<std::size_t>(matrix)]); });
    const Real scale = std::exp(static_cast<Real>(-highest));
    for (std::int32_t j = 0; j < stride_; ++j) out[j] = node[j] * scale;
    for (std::int32_t i = 1; i < labels_; ++i) std::copy_n(out, stride_, out + std::int64_t{i} * stride_);
    each(n, [&](std::int64_t k) { out[cells_[static_cast<std::size_t>(k)]] *= factors_[static_cast<std::size_t>(k)]; });
    return highest;
  }

  // Calls visit(number, cell, score) for the weights that token n reads.
  template <class Visit>
  void each_weight(std::int64_t n, Visit visit) const {
    each(n, [&](std::int64_t k) { visit(k, cells_[static_cast<std::size_t>(k)], scores_[static_cast<std::size_t>(k)]); });
  }

  // Collects numbers that are listed token by token, for the tokens from `from` to `to` - 1.
  void gather(std::int64_t from, std::int64_t to, const Real* numbers) {
    for (std::int64_t n = from; n < to; ++n) each(n, [&](std::int64_t k) { totals_[static_cast<std::size_t>(k)] += double(*numbers++); });
  }
  void add(std::span<double> gradient) const {
    for (std::size_t m = 0, k = 0; m < weights_.size(); ++m) {
      for (auto w = static_cast<std::size_t>(weights_[m]); k < static_cast<std::size_t>(ends_[m]); ++k, ++w) gradient[w] += totals_[k];
    }
  }

 private:
  std::int64_t first(std::int32_t matrix) const noexcept { return matrix == 0 ? 0 : ends_[static_cast<std::size_t>(matrix) - 1]; }
  std::int64_t end(std::int32_t matrix) const noexcept { return ends_[static_cast<std::size_t>(matrix)]; }
  template <class Visit>
  void each_matrix(std::int64_t n, Visit visit) const {
    for (std::int64_t k = starts_[static_cast<std::size_t>(n)]; k < starts_[static_cast<std::size_t>(n) + 1]; ++k)
      visit(read_[static_cast<std::size_t>(k)]);
  }
  template <class Visit>
  void each(std::int64_t n, Visit visit) const {
    each_matrix(n, [&](std::int32_t matrix) {
      for (std::int64_t k = first(matrix); k < end(matrix); ++k) visit(k);
    });
  }

  // Calls visit(number) for the weights of a pair of labels that token n reads.
  template <class Visit>
  void each_of(std::int64_t n, LabelId before, LabelId label, Visit visit) const {
    const std::int32_t cell = before.number() * stride_ + label.number();
    each(n, [&](std::int64_t k) {
      if (cells_[static_cast<std::size_t>(k)] == cell) visit(static_cast<std::size_t>(k));
    });
  }

  const RowWeights& there_;
  std::int32_t labels_, stride_;
  std::vector<std::int64_t> starts_ = {0}, before_ = {0};  // [N + 1] of the matrices, and of the weights, that tokens read
  std::vector<std::int32_t> read_;                         // matrices, token by token
  std::vector<std::int32_t> weights_;                      // [matrices] the number of the first weight among all weights
  std::vector<std::int64_t> ends_;                         // [matrices] end of the matrix in cells_
  std::vector<std::int32_t> cells_;                        // [weights here] (label before) * stride + label
  Numbers<Real> scores_, factors_, highest_;               // highest_: [matrices], at least 0
  std::vector<double> gold_, totals_;
};

}  // namespace riata
