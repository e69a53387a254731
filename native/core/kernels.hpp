// The loops that all scoring comes down to, over rows of labels. Compiled for several instruction sets and chosen at
// run time; every choice adds in the same order, so all give the same bits.
#pragma once

#include <cstdint>
#include <type_traits>

namespace riata {

inline constexpr std::int32_t row_multiple = 8;  // rows are padded to a multiple of so many labels

constexpr std::int32_t padded(std::int32_t labels) noexcept { return (labels + row_multiple - 1) / row_multiple * row_multiple; }

// out[j] += rows[0][j], then += rows[1][j], and so on; j < stride, a multiple of row_multiple.
void sum_rows(const float* const* rows, std::int64_t count, std::int32_t stride, float* out) noexcept;
void sum_rows(const double* const* rows, std::int64_t count, std::int32_t stride, double* out) noexcept;

// The same of groups of rows, each group added up first; ends[g] is where group g ends.
void sum_groups(const float* const* rows, const std::int32_t* ends, std::int64_t groups, std::int32_t stride, float* out) noexcept;
void sum_groups(const double* const* rows, const std::int32_t* ends, std::int64_t groups, std::int32_t stride, double* out) noexcept;

// out[i][j] = (begin[j] + rows[0][j] + ... + rows[i][j]) + ends[i][j], i < count; out is [count][stride].
void running_sums(const float* begin, const float* const* rows, const float* const* ends, std::int64_t count, std::int32_t stride, float* out) noexcept;
void running_sums(const double* begin, const double* const* rows, const double* const* ends, std::int64_t count, std::int32_t stride, double* out) noexcept;

// rows[i][j] *= factor, and highest[i] = max over j; i < count.
void scale_rows(float* rows, std::int64_t count, std::int32_t stride, float factor, float* highest) noexcept;
void scale_rows(double* rows, std::int64_t count, std::int32_t stride, double factor, double* highest) noexcept;

// out[j] = max over i of from[i] + rows[i][j]; minus infinity where there is no row.
void max_plus(const float* from, const float* const* rows, std::int64_t count, std::int32_t stride, float* out) noexcept;
void max_plus(const double* from, const double* const* rows, std::int64_t count, std::int32_t stride, double* out) noexcept;

// The same of from[i] + (rows[i][j] + own[j]).
void max_plus(const float* from, const float* const* rows, std::int64_t count, const float* own, std::int32_t stride, float* out) noexcept;
void max_plus(const double* from, const double* const* rows, std::int64_t count, const double* own, std::int32_t stride, double* out) noexcept;

// ranks[j] = how many of the first `labels` values are above values[j]; j < stride.
void count_better(const float* values, std::int32_t labels, std::int32_t stride, std::int32_t* ranks) noexcept;
void count_better(const double* values, std::int32_t labels, std::int32_t stride, std::int64_t* ranks) noexcept;

// An integer as wide as a score.
template <class Real>
using Rank = std::conditional_t<sizeof(Real) == 4, std::int32_t, std::int64_t>;

}  // namespace riata
