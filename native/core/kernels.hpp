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

// out[j] += the sum of group g of rows, one group after the other; the rows of group g end at ends[g].
void sum_groups(const float* const* rows, const std::int32_t* ends, std::int64_t groups, std::int32_t stride, float* out) noexcept;
void sum_groups(const double* const* rows, const std::int32_t* ends, std::int64_t groups, std::int32_t stride, double* out) noexcept;

// out[i][j] = (begin[j] + rows[0][j] + ... + rows[i][j]) + ends[i][j], i < count; out is [count][stride].
void running_sums(const float* begin, const float* const* rows, const float* const* ends, std::int64_t count, std::int32_t stride,
                  float* out) noexcept;
void running_sums(const double* begin, const double* const* rows, const double* const* ends, std::int64_t count, std::int32_t stride,
                  double* out) noexcept;

// rows[i][j] *= factor, and highest[i] = max over j; i < count.
void scale_rows(float* rows, std::int64_t count, std::int32_t stride, float factor, float* highest) noexcept;
void scale_rows(double* rows, std::int64_t count, std::int32_t stride, double factor, double* highest) noexcept;

// out[j] = max over i of from[i] + rows[i][j]; minus infinity where there is no row.
void max_plus(const float* from, const float* const* rows, std::int64_t count, std::int32_t stride, float* out) noexcept;
void max_plus(const double* from, const double* const* rows, std::int64_t count, std::int32_t stride, double* out) noexcept;

// out[j] = max over i of from[i] + (rows[i][j] + own[j]); minus infinity where there is no row.
void max_plus(const float* from, const float* const* rows, std::int64_t count, const float* own, std::int32_t stride, float* out) noexcept;
void max_plus(const double* from, const double* const* rows, std::int64_t count, const double* own, std::int32_t stride,
              double* out) noexcept;

// A step forward and one backward on a chain, side by side; matrices are [labels][stride], rows [stride].
// ahead[j] = own[j] * (sum over i of alpha[i] * forward[i][j]), and back[i] = sum over j of later[j] * beta[j] * backward[j][i], each
// divided by its sum over all; the sums are returned, and later[j] * beta[j] is left in `into`.
template <class Real>
struct StepSums {
  Real ahead, back;
};
StepSums<float> chain_steps(const float* alpha, const float* forward, const float* own, float* ahead, const float* later, const float* beta,
                            const float* backward, float* into, float* back, std::int32_t labels, std::int32_t stride) noexcept;
StepSums<double> chain_steps(const double* alpha, const double* forward, const double* own, double* ahead, const double* later,
                             const double* beta, const double* backward, double* into, double* back, std::int32_t labels,
                             std::int32_t stride) noexcept;

// posterior[t][j] = alpha[t][j] * beta[t][j] / their sum; into[t][j] *= scale[t] / that sum. alpha, beta (which becomes the posterior) and
// into are [count][stride]. Returns the least of the sums.
float chain_posteriors(const float* alpha, const float* scale, std::int64_t count, std::int32_t stride, float* beta, float* into) noexcept;
double chain_posteriors(const double* alpha, const double* scale, std::int64_t count, std::int32_t stride, double* beta,
                        double* into) noexcept;

// out[j] = own[j] * (the sum of from[i] * rows[i][j] over i < count); rows is [count][stride]. Returns the sum of out.
float weigh_rows(const float* from, const float* rows, std::int64_t count, const float* own, std::int32_t stride, float* out) noexcept;
double weigh_rows(const double* from, const double* rows, std::int64_t count, const double* own, std::int32_t stride, double* out) noexcept;

// out[i] = the sum of rows[i][j] * by[j] over j < stride; i < count.
void multiply_rows(const float* rows, const float* by, std::int64_t count, std::int32_t stride, float* out) noexcept;
void multiply_rows(const double* rows, const double* by, std::int64_t count, std::int32_t stride, double* out) noexcept;

// Steps on a chain that looks two labels back. Tables of pairs are [labels: the one before][stride: the label], cubes [labels: the one
// before][height: the one before that][stride: the label]. own: what multiplies a pair, whose rows are own_step apart; 0: one row for all.
// pairs[i][j] = own[i][j] * (the sum of from[h][i] * cube[i][h][j] over h < height). Returns the sum of all.
float pair_steps(const float* from, const float* cube, std::int32_t labels, std::int32_t height, const float* own, std::int32_t own_step,
                 std::int32_t stride, float* pairs) noexcept;
double pair_steps(const double* from, const double* cube, std::int32_t labels, std::int32_t height, const double* own,
                  std::int32_t own_step, std::int32_t stride, double* pairs) noexcept;
// into[i][j] = own[i][j] * back[i][j], and before[h][i] = the sum of cube[i][h][j] * into[i][j] over j; then into is multiplied by
// `weight`. Returns the sum of `before`. totals: [labels][stride] to work with.
float pair_steps_back(const float* back, const float* cube, std::int32_t labels, std::int32_t height, const float* own,
                      std::int32_t own_step, std::int32_t stride, float weight, float* into, float* before, float* totals) noexcept;
double pair_steps_back(const double* back, const double* cube, std::int32_t labels, std::int32_t height, const double* own,
                       std::int32_t own_step, std::int32_t stride, double weight, double* into, double* before, double* totals) noexcept;
// out[j] = the sum of one[i][j] * other[i][j] over i < count. Returns the sum of out.
float pair_products(const float* one, const float* other, std::int64_t count, std::int32_t stride, float* out) noexcept;
double pair_products(const double* one, const double* other, std::int64_t count, std::int32_t stride, double* out) noexcept;
// cube[i][h][j] += from[t - 1][h][i] * into[t][i][j], summed over the t in `at` (tables of pairs stand one after the other in both), i from
// `low` up to `high`.
void add_triples(const std::int32_t* at, std::int64_t count, const float* from, const float* into, std::int32_t labels, std::int32_t height,
                 std::int32_t stride, std::int32_t low, std::int32_t high, float* cube) noexcept;
void add_triples(const std::int32_t* at, std::int64_t count, const double* from, const double* into, std::int32_t labels,
                 std::int32_t height, std::int32_t stride, std::int32_t low, std::int32_t high, double* cube) noexcept;

// rows[i][j] = exp(rows[i][j] - highest[i]), where highest[i], the largest of row i, is written too; 0 where that is too small for a float.
// A row that holds nothing but minus infinity becomes zeros.
void exp_rows(float* rows, std::int64_t count, std::int32_t stride, float* highest) noexcept;
void exp_rows(double* rows, std::int64_t count, std::int32_t stride, double* highest) noexcept;

// totals[i][j] += from[t][i] * rows[t][j], summed over the t in `at` (places in both, which are [..][stride]), i < labels; from is that of
// the row before.
void add_outer(const std::int32_t* at, std::int64_t count, const float* from, const float* rows, std::int32_t labels, std::int32_t stride,
               float* totals) noexcept;
void add_outer(const std::int32_t* at, std::int64_t count, const double* from, const double* rows, std::int32_t labels, std::int32_t stride,
               double* totals) noexcept;

// Long vectors, in a fixed order of addition: the product of two, and y += a x.
double dot(const double* x, const double* y, std::int64_t size) noexcept;
void add_scaled(double a, const double* x, double* y, std::int64_t size) noexcept;

// Several rows for every t: out[t] = the sum of table[places[t][k]] over k; places is [count][width], table [..][stride].
void gather_places(const std::int32_t* places, std::int64_t count, std::int32_t width, const float* table, std::int32_t stride,
                   float* out) noexcept;
void gather_places(const std::int32_t* places, std::int64_t count, std::int32_t width, const double* table, std::int32_t stride,
                   double* out) noexcept;
// table[places[t][k]] += rows[t] for every t < count and k from `from` up to `to`.
void scatter_places(const std::int32_t* places, std::int64_t count, std::int32_t width, std::int32_t from, std::int32_t to,
                    const float* rows, std::int32_t stride, float* table) noexcept;
void scatter_places(const std::int32_t* places, std::int64_t count, std::int32_t width, std::int32_t from, std::int32_t to,
                    const double* rows, std::int32_t stride, double* table) noexcept;

// ranks[j] = how many of the first `labels` values are above values[j]; j < stride.
void count_better(const float* values, std::int32_t labels, std::int32_t stride, std::int32_t* ranks) noexcept;
void count_better(const double* values, std::int32_t labels, std::int32_t stride, std::int64_t* ranks) noexcept;

// An integer as wide as a score.
template <class Real>
using Rank = std::conditional_t<sizeof(Real) == 4, std::int32_t, std::int64_t>;

}  // namespace riata
