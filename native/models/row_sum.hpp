// Adds up the rows of weights that are read at a token. Rows are gathered first and summed in one pass.
#pragma once

#include <cstdint>

#include "core/kernels.hpp"

namespace riata {

template <class Real>
class RowSum {
 public:
  // Starts a sum: rows are added to out, [stride], in the order of the calls of `add`. The sum is complete after `finish`.
  void begin(Real* out, std::int32_t stride) noexcept {
    out_ = out;
    stride_ = stride;
    count_ = 0;
  }
  void add(const Real* row, float value) noexcept {
    if (value == 1.0f) {
      if (count_ == most) finish();
      rows_[count_++] = row;
      return;
    }
    finish();
    for (std::int32_t j = 0; j < stride_; ++j) out_[j] += row[j] * Real(value);
  }
  void finish() noexcept {
    sum_rows(rows_, count_, stride_, out_);
    count_ = 0;
  }

 private:
  Real* out_ = nullptr;
  std::int32_t stride_ = 0;
  static constexpr std::int64_t most = 64;
  std::int64_t count_ = 0;
  const Real* rows_[most];
};

}  // namespace riata
