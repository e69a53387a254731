// The inner loops of scoring, over rows of labels. They are compiled for several instruction sets, one of which is chosen at run time.
// Every version adds in the same order, so all give the same bits.
#pragma once

#include <cstdint>
#include <type_traits>

namespace riata {

inline constexpr std::int32_t row_multiple = 8;  // rows are padded to a multiple of this number of labels

constexpr std::int32_t padded(std::int32_t labels) noexcept { return (labels + row_multiple - 1) / row_multiple * row_multiple; }

// out[j] += rows[0][j], then += rows[1][j], and so on; j < stride, a multiple of row_multiple.
void sum_rows(const float* const* rows, std::int64_t count, std::int32_t stride, float* out) noexcept;
void sum_rows(const double* const* rows, std::int64_t count, std::int32_t stride, double* out) noexcept;

// out[j] += the sum of the rows of group g, one group after the other; the rows of group g end at ends[g].
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

// out[j] = max over i of from[i] + rows[i][j]; minus infinity if there are no rows.
void max_plus(const float* from, const float* const* rows, std::int64_t count, std::int32_t stride, float* out) noexcept;
void max_plus(const double* from, const double* const* rows, std::int64_t count, std::int32_t stride, double* out) noexcept;

// out[j] = max over i of from[i] + (rows[i][j] + own[j]); minus infinity if there are no rows.
void max_plus(const float* from, const float* const* rows, std::int64_t count, const float* own, std::int32_t stride, float* out) noexcept;
void max_plus(const double* from, const double* const* rows, std::int64_t count, const double* own, std::int32_t stride,
              double* out) noexcept;

// One step forward and one step backward on a chain, side by side. Matrices are [labels][stride], rows [stride].
// ahead[j] = own[j] * (sum over i of alpha[i] * forward[i][j]), and back[i] = sum over j of later[j] * beta[j] * backward[j][i]; both are
// then divided by their sums, which are returned. Writes later[j] * beta[j] to `into`.
template <class Real>
struct StepSums {
  Real ahead, back;
};
StepSums<float> chain_steps(const float* alpha, const float* forward, const float* own, float* ahead, const float* later, const float* beta,
                            const float* backward, float* into, float* back, std::int32_t labels, std::int32_t stride) noexcept;
StepSums<double> chain_steps(const double* alpha, const double* forward, const double* own, double* ahead, const double* later,
                             const double* beta, const double* backward, double* into, double* back, std::int32_t labels,
                             std::int32_t stride) noexcept;

// The same bits in less time if many numbers of alpha, later or beta are 0. which: [labels], working memory.
StepSums<float> chain_steps_of_some(const float* alpha, const float* forward, const float* own, float* ahead, const float* later,
                                    const float* beta, const float* backward, float* into, float* back, std::int32_t labels,
                                    std::int32_t stride, std::int32_t* which) noexcept;
StepSums<double> chain_steps_of_some(const double* alpha, const double* forward, const double* own, double* ahead, const double* later,
                                     const double* beta, const double* backward, double* into, double* back, std::int32_t labels,
                                     std::int32_t stride, std::int32_t* which) noexcept;

// posterior[t][j] = alpha[t][j] * beta[t][j] / their sum over j; into[t][j] *= scale[t] / that sum. alpha, beta (which is overwritten by
// the posterior) and into are [count][stride]. Returns the least of the sums, or 0 if a factor of `into` overflows.
float chain_posteriors(const float* alpha, const float* scale, std::int64_t count, std::int32_t stride, float* beta, float* into) noexcept;
double chain_posteriors(const double* alpha, const double* scale, std::int64_t count, std::int32_t stride, double* beta,
                        double* into) noexcept;

// Products of the vectors of up to four tokens with rows of weights: out[i][j] += the sum of vectors[i][columns[k]] * (weights +
// places[k])[j] over k < size; out is [count][stride].
void multiply_vectors(const float* const* vectors, std::int64_t count, const std::int32_t* columns, const std::int64_t* places,
                      std::int64_t size, const float* weights, std::int32_t stride, float* out) noexcept;
void multiply_vectors(const float* const* vectors, std::int64_t count, const std::int32_t* columns, const std::int64_t* places,
                      std::int64_t size, const double* weights, std::int32_t stride, double* out) noexcept;
// The transposed product: totals[k][j] += the sum of vectors[i][columns[k]] * rows[i][j] over i < count, which is at most four; rows is
// [count][stride], totals [size][stride].
void add_vectors(const float* const* vectors, std::int64_t count, const std::int32_t* columns, std::int64_t size, const float* rows,
                 std::int32_t stride, float* totals) noexcept;
void add_vectors(const float* const* vectors, std::int64_t count, const std::int32_t* columns, std::int64_t size, const double* rows,
                 std::int32_t stride, double* totals) noexcept;

// out[j] = own[j] * (the sum of from[i] * rows[i][j] over i < count); rows is [count][stride]. Returns the sum of out.
float weigh_rows(const float* from, const float* rows, std::int64_t count, const float* own, std::int32_t stride, float* out) noexcept;
double weigh_rows(const double* from, const double* rows, std::int64_t count, const double* own, std::int32_t stride, double* out) noexcept;

// out[i] = the sum of rows[i][j] * by[j] over j < stride; i < count.
void multiply_rows(const float* rows, const float* by, std::int64_t count, std::int32_t stride, float* out) noexcept;
void multiply_rows(const double* rows, const double* by, std::int64_t count, std::int32_t stride, double* out) noexcept;

// Steps on a chain that reads two labels back. Tables of pairs are [label before][stride], cubes are [label before][height: label two
// before][stride]. own: factors of pairs, whose rows are own_step apart; 0: all pairs share one row.
// pairs[i][j] = own[i][j] * (the sum of from[h][i] * cube[i][h][j] over h < height). Returns the sum of all pairs.
float pair_steps(const float* from, const float* cube, std::int32_t labels, std::int32_t height, const float* own, std::int32_t own_step,
                 std::int32_t stride, float* pairs) noexcept;
double pair_steps(const double* from, const double* cube, std::int32_t labels, std::int32_t height, const double* own,
                  std::int32_t own_step, std::int32_t stride, double* pairs) noexcept;
// into[i][j] = own[i][j] * back[i][j], and before[h][i] = the sum of cube[i][h][j] * into[i][j] over j; then `into` is multiplied by
// `weight`. Returns the sum of `before`. totals: [labels][stride], working memory.
float pair_steps_back(const float* back, const float* cube, std::int32_t labels, std::int32_t height, const float* own,
                      std::int32_t own_step, std::int32_t stride, float weight, float* into, float* before, float* totals) noexcept;
double pair_steps_back(const double* back, const double* cube, std::int32_t labels, std::int32_t height, const double* own,
                       std::int32_t own_step, std::int32_t stride, double weight, double* into, double* before, double* totals) noexcept;
// out[j] = the sum of one[i][j] * other[i][j] over i < count. Returns the sum of out.
float pair_products(const float* one, const float* other, std::int64_t count, std::int32_t stride, float* out) noexcept;
double pair_products(const double* one, const double* other, std::int64_t count, std::int32_t stride, double* out) noexcept;
// cube[i][h][j] += from[t - 1][h][i] * into[t][i][j], summed over the t in `at`, for i from `low` to `high` - 1. from and into are
// [..][labels][stride].
void add_triples(const std::int32_t* at, std::int64_t count, const float* from, const float* into, std::int32_t labels, std::int32_t height,
                 std::int32_t stride, std::int32_t low, std::int32_t high, float* cube) noexcept;
void add_triples(const std::int32_t* at, std::int64_t count, const double* from, const double* into, std::int32_t labels,
                 std::int32_t height, std::int32_t stride, std::int32_t low, std::int32_t high, double* cube) noexcept;

// rows[i][j] = exp(rows[i][j] - highest[i]), where highest[i] is the largest entry of row i, and is written too. In single precision,
// results below exp(-87) become 0. A row of minus infinities becomes zeros.
void exp_rows(float* rows, std::int64_t count, std::int32_t stride, float* highest) noexcept;
void exp_rows(double* rows, std::int64_t count, std::int32_t stride, double* highest) noexcept;
// numbers[i] = exp(numbers[i]), i < count, a multiple of row_multiple. Results below exp(-708) become 0, those above exp(709) exp(709).
void exp_all(double* numbers, std::int64_t count) noexcept;

// totals[i][j] += from[t - 1][i] * rows[t][j], summed over the t in `at`, for i < labels. from and rows are [..][stride].
void add_outer(const std::int32_t* at, std::int64_t count, const float* from, const float* rows, std::int32_t labels, std::int32_t stride,
               float* totals) noexcept;
void add_outer(const std::int32_t* at, std::int64_t count, const double* from, const double* rows, std::int32_t labels, std::int32_t stride,
               double* totals) noexcept;
// The same bits in less time if many numbers of `from` are 0.
void add_outer_of_some(const std::int32_t* at, std::int64_t count, const float* from, const float* rows, std::int32_t labels,
                       std::int32_t stride, float* totals) noexcept;
void add_outer_of_some(const std::int32_t* at, std::int64_t count, const double* from, const double* rows, std::int32_t labels,
                       std::int32_t stride, double* totals) noexcept;

// Long vectors, added in a fixed order: the dot product, and y += a x.
double dot(const double* x, const double* y, std::int64_t size) noexcept;
void add_scaled(double a, const double* x, double* y, std::int64_t size) noexcept;
// out = (a x - y) * share in double precision; out may be y.
void scale_difference(double a, const float* x, const float* y, double share, std::int64_t size, float* out) noexcept;
void scale_difference(double a, const double* x, const double* y, double share, std::int64_t size, double* out) noexcept;

// out[t] = the sum of table[places[t][k]] over k; places is [count][width], table [..][stride].
void gather_places(const std::int32_t* places, std::int64_t count, std::int32_t width, const float* table, std::int32_t stride,
                   float* out) noexcept;
void gather_places(const std::int32_t* places, std::int64_t count, std::int32_t width, const double* table, std::int32_t stride,
                   double* out) noexcept;
// table[places[t][k]] += rows[t] for all t < count and k from `from` to `to` - 1.
void scatter_places(const std::int32_t* places, std::int64_t count, std::int32_t width, std::int32_t from, std::int32_t to,
                    const float* rows, std::int32_t stride, float* table) noexcept;
void scatter_places(const std::int32_t* places, std::int64_t count, std::int32_t width, std::int32_t from, std::int32_t to,
                    const double* rows, std::int32_t stride, double* table) noexcept;

// ranks[j] = how many of the first `labels` values are greater than values[j]; j < stride.
void count_better(const float* values, std::int32_t labels, std::int32_t stride, std::int32_t* ranks) noexcept;
void count_better(const double* values, std::int32_t labels, std::int32_t stride, std::int64_t* ranks) noexcept;

// An integer with as many bits as a score.
template <class Real>
using Rank = std::conditional_t<sizeof(Real) == 4, std::int32_t, std::int64_t>;

}  // namespace riata
