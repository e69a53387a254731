// Rows of weights that are read together. The sum of their weights is computed once per combination, and the gradient is collected per
// combination before it is added to the weights.
#pragma once

#include <algorithm>
#include <cstdint>
#include <span>
#include <unordered_map>
#include <vector>

#include "core/numbers.hpp"

namespace riata {

// The weights of rows: row r has the weights first[r] to first[r + 1] - 1, each of a label.
struct HeldWeights {
  std::vector<std::int64_t> first;
  std::vector<std::int32_t> labels;
};

// Combinations of rows, called bundles. Bundle 0 has no rows.
template <class Real>
class RowBundles {
 public:
  // The number of a combination of rows, which must be listed in a fixed order. A new combination is added.
  std::int32_t add(std::span<const std::int32_t> rows) {
    if (rows.empty()) return 0;
    std::uint64_t hash = rows.size();
    for (const std::int32_t row : rows) hash = (hash ^ static_cast<std::uint32_t>(row)) * 0x9e3779b97f4a7c15u ^ hash >> 29;
    for (;; ++hash) {
      const auto [place, fresh] = by_hash_.emplace(hash, size());
      if (!fresh && !std::ranges::equal(rows_of(place->second), rows)) continue;  // another bundle has this hash
      if (fresh) {
        rows_.insert(rows_.end(), rows.begin(), rows.end());
        ends_.push_back(static_cast<std::int64_t>(rows_.size()));
      }
      return place->second;
    }
  }
  std::int32_t size() const noexcept { return static_cast<std::int32_t>(ends_.size()); }

  std::span<const std::int32_t> rows_of(std::int32_t bundle) const noexcept {
    const std::int64_t from = bundle == 0 ? 0 : ends_[bundle - 1];
    return {rows_.data() + from, static_cast<std::size_t>(ends_[bundle] - from)};
  }

  // Must be called after the last `add`.
  void finish(std::int32_t stride) {
    stride_ = stride;
    by_hash_ = {};
    rows_.shrink_to_fit();
    row_sums_.assign(static_cast<std::size_t>(size()) * stride, Real{0});
    totals_.assign(static_cast<std::size_t>(size()) * stride, 0);
  }

  // Adds up the weights of every bundle, and sets the collected gradient to zero.
  void sum(const HeldWeights& held, std::span<const double> at) {
    std::fill(totals_.begin(), totals_.end(), 0);
    std::vector<double> sum(static_cast<std::size_t>(stride_));
    for (std::int32_t b = 1; b < size(); ++b) {
      std::fill(sum.begin(), sum.end(), 0);
      for (const std::int32_t row : rows_of(b)) {
        for (std::int64_t i = held.first[row]; i < held.first[row + 1]; ++i) sum[held.labels[i]] += at[i];
      }
      std::copy(sum.begin(), sum.end(), row_sums_.begin() + std::int64_t{b} * stride_);
    }
  }
  void read(std::int32_t bundle, Real* out) const noexcept {
    const Real* from = row_sums_.data() + std::int64_t{bundle} * stride_;
    for (std::int32_t j = 0; j < stride_; ++j) out[j] += from[j];
  }

  // Adds up the rows of a bundle in a vector of weights, [rows][stride], multiplied by `scale`.
  void read(std::int32_t bundle, const Real* weights, Real scale, Real* out) const noexcept {
    for (const std::int32_t row : rows_of(bundle)) {
      const Real* from = weights + std::int64_t{row} * stride_;
      for (std::int32_t j = 0; j < stride_; ++j) out[j] += from[j] * scale;
    }
  }

  // Collecting the gradient: `write` adds a row to a bundle, `hand_on` adds what bundles have collected to their weights.
  void write(std::int32_t bundle, const Real* row) noexcept {
    double* to = totals_.data() + std::int64_t{bundle} * stride_;
    for (std::int32_t j = 0; j < stride_; ++j) to[j] += double(row[j]);
  }
  void hand_on(const HeldWeights& held, std::span<double> gradient) const {
    for (std::int32_t b = 1; b < size(); ++b) {
      const double* from = totals_.data() + std::int64_t{b} * stride_;
      for (const std::int32_t row : rows_of(b)) {
        for (std::int64_t i = held.first[row]; i < held.first[row + 1]; ++i) gradient[i] += from[held.labels[i]];
      }
    }
  }

 private:
  std::int32_t stride_ = 0;
  std::unordered_map<std::uint64_t, std::int32_t> by_hash_;
  std::vector<std::int32_t> rows_;
  std::vector<std::int64_t> ends_ = {0};  // [bundles] end of each bundle in rows_
  Numbers<Real> row_sums_;                // [bundles][stride] sums of weights
  Numbers<double> totals_;                // [bundles][stride] collected gradient
};

}  // namespace riata
