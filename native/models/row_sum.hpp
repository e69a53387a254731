// Adds up the rows of weights that fire at a token: first gathered, then summed in one go.
#pragma once

#include <cstdint>
#include <vector>

#include "core/kernels.hpp"

namespace riata {

template <class Real>
class RowSum {
 public:
  // Rows are added to out [stride] in the order given.
  void begin(Real* out, std::int32_t stride) noexcept {
    out_ = out;
    stride_ = stride;
    rows_.clear();
  }
  void add(const Real* row, float value) {
    if (value == 1.0f) return rows_.push_back(row);
    finish();
    for (std::int32_t j = 0; j < stride_; ++j) out_[j] += row[j] * Real(value);
  }
  void finish() noexcept {
    sum_rows(rows_.data(), static_cast<std::int64_t>(rows_.size()), stride_, out_);
    rows_.clear();
  }

 private:
  Real* out_ = nullptr;
  std::int32_t stride_ = 0;
  std::vector<const Real*> rows_;
};

}  // namespace riata
