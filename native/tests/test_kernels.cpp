// The kernels compared with plain loops, bit for bit, for every width of row up to ten blocks.
#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>
#include <vector>

#include "core/kernels.hpp"
#include "core/rng.hpp"
#include "tests/check.hpp"

using namespace riata;

namespace {

template <class Real>
constexpr Real nothing = -std::numeric_limits<Real>::infinity();

// A random score: few different values, so that there are ties; thirds, so that the order of additions matters; and minus infinity.
template <class Real>
Real number(Rng& rng) {
  const auto drawn = static_cast<Real>(rng.below(40));
  return drawn < 4 ? nothing<Real> : (drawn - 20) / 3;
}

template <class Real>
bool same_bits(const std::vector<Real>& a, const std::vector<Real>& b) {
  if (a.empty() || b.empty()) return a.empty() && b.empty();  // memcmp takes no null pointers
  return a.size() == b.size() && std::memcmp(a.data(), b.data(), a.size() * sizeof(Real)) == 0;
}

template <class Real>
std::vector<Real> numbers(Rng& rng, std::size_t size) {
  std::vector<Real> out(size);
  for (Real& value : out) value = number<Real>(rng);
  return out;
}

template <class Real>
void compare(Rng& rng, std::int32_t stride, std::int64_t count) {
  const auto width = static_cast<std::size_t>(stride);
  std::vector<std::vector<Real>> values;
  std::vector<const Real*> rows;
  for (std::int64_t i = 0; i < count; ++i) values.push_back(numbers<Real>(rng, width));
  for (const auto& row : values) rows.push_back(row.data());
  const std::vector<Real> from = numbers<Real>(rng, static_cast<std::size_t>(count)), own = numbers<Real>(rng, width);

  std::vector<Real> summed = numbers<Real>(rng, width), expected = summed;
  sum_rows(rows.data(), count, stride, summed.data());
  for (const auto& row : values) {
    for (std::size_t j = 0; j < width; ++j) expected[j] += row[j];
  }
  CHECK(same_bits(summed, expected));

  std::vector<std::int32_t> ends;  // groups of random sizes, some of them empty
  for (std::int32_t end = 0; end < count;)
    ends.push_back(end = std::min(static_cast<std::int32_t>(count), end + static_cast<std::int32_t>(rng.below(4))));
  std::vector<Real> grouped = numbers<Real>(rng, width), by_groups = grouped;
  sum_groups(rows.data(), ends.data(), static_cast<std::int64_t>(ends.size()), stride, grouped.data());
  std::size_t i = 0;
  for (const std::int32_t end : ends) {
    std::vector<Real> group(width, 0);
    for (; i < static_cast<std::size_t>(end); ++i) {
      for (std::size_t j = 0; j < width; ++j) group[j] += values[i][j];
    }
    for (std::size_t j = 0; j < width; ++j) by_groups[j] += group[j];
  }
  CHECK(same_bits(grouped, by_groups));

  std::vector<Real> best(width, 7), best_with_own(width, 7), plain(width, nothing<Real>), plain_with_own(width, nothing<Real>);
  max_plus(from.data(), rows.data(), count, stride, best.data());
  max_plus(from.data(), rows.data(), count, own.data(), stride, best_with_own.data());
  for (std::size_t i = 0; i < values.size(); ++i) {
    for (std::size_t j = 0; j < width; ++j) {
      plain[j] = std::max(plain[j], from[i] + values[i][j]);
      plain_with_own[j] = std::max(plain_with_own[j], from[i] + (values[i][j] + own[j]));
    }
  }
  CHECK(same_bits(best, plain));
  CHECK(same_bits(best_with_own, plain_with_own));

  for (const std::int32_t labels : {1, stride - 7, stride - 1, stride}) {
    std::vector<Rank<Real>> ranks(width, -1);
    count_better(own.data(), labels, stride, ranks.data());
    for (std::size_t j = 0; j < width; ++j) {
      Rank<Real> above = 0;
      for (std::int32_t i = 0; i < labels; ++i) above += own[static_cast<std::size_t>(i)] > own[j];
      CHECK(ranks[j] == above);
    }
  }
}

// Positive numbers, for products. Sums over blocks are compared up to rounding.
template <class Real>
void compare_products(Rng& rng, std::int32_t stride, std::int64_t count) {
  const auto width = static_cast<std::size_t>(stride), height = static_cast<std::size_t>(count);
  const auto finite = [&](std::size_t size) {
    std::vector<Real> out = numbers<Real>(rng, size);
    for (Real& value : out) value = std::isinf(value) ? Real{0} : value;
    return out;
  };
  const std::vector<Real> rows = finite(height * width), from = finite(height), own = finite(width);
  const auto near = [](Real found, Real expected, Real size) { return std::abs(found - expected) <= Real(1e-5) * (size + 1); };
  std::vector<Real> weighed(width, 7), plain(width, 0), products(height, 7);
  const Real total = weigh_rows(from.data(), rows.data(), count, own.data(), stride, weighed.data());
  multiply_rows(rows.data(), own.data(), count, stride, products.data());
  Real all = 0, size = 0;
  for (std::size_t j = 0; j < width; ++j) {
    for (std::size_t i = 0; i < height; ++i) plain[j] += rows[i * width + j] * from[i];
    plain[j] *= own[j];
    all += plain[j];
    size += std::abs(plain[j]);
  }
  CHECK(same_bits(weighed, plain));
  CHECK(near(total, all, size));
  for (std::size_t i = 0; i < height; ++i) {
    Real product = 0, most = 0;
    for (std::size_t j = 0; j < width; ++j) {
      product += rows[i * width + j] * own[j];
      most += std::abs(rows[i * width + j] * own[j]);
    }
    CHECK(near(products[i], product, most));
  }
}

// Kernels that leave out zeros give the bits of those that do not.
template <class Real>
void compare_of_some(Rng& rng, std::int32_t labels) {
  const std::int32_t stride = padded(labels);
  const auto width = static_cast<std::size_t>(stride), square = static_cast<std::size_t>(labels) * width;
  const auto positive = [&](std::size_t size, bool zeros) {
    std::vector<Real> out(size);
    for (Real& value : out) value = zeros && rng.below(3) > 0 ? Real{0} : static_cast<Real>(1 + rng.below(40)) / 3;
    return out;
  };
  std::vector<Real> alpha = positive(width, true), own = positive(width, true), later = positive(width, true);
  for (auto* row : {&alpha, &own, &later}) row->front() = 1;
  const std::vector<Real> beta = positive(width, false), forward = positive(square, false), backward = positive(square, false);
  std::vector<Real> one[3], other[3];
  for (auto* rows : {one, other}) std::fill_n(rows, 3, std::vector<Real>(width, 7));
  std::vector<std::int32_t> which(static_cast<std::size_t>(labels));
  chain_steps(alpha.data(), forward.data(), own.data(), one[0].data(), later.data(), beta.data(), backward.data(), one[1].data(),
              one[2].data(), labels, stride);
  chain_steps_of_some(alpha.data(), forward.data(), own.data(), other[0].data(), later.data(), beta.data(), backward.data(),
                      other[1].data(), other[2].data(), labels, stride, which.data());
  for (int k = 0; k < 3; ++k) CHECK(same_bits(one[k], other[k]));

  const std::vector<std::int32_t> at{1, 2, 3, 4, 5};
  const std::vector<Real> from = positive(6 * width, true), into = positive(6 * width, false);
  std::vector<Real> totals(square, 1), sparse = totals;
  add_outer(at.data(), 5, from.data(), into.data(), labels, stride, totals.data());
  add_outer_of_some(at.data(), 5, from.data(), into.data(), labels, stride, sparse.data());
  CHECK(same_bits(totals, sparse));
}

// In double precision whatever the numbers, and into new memory as well as over the second vector.
template <class Real>
void compare_vectors(Rng& rng, std::size_t size) {
  std::vector<Real> x, y, expected, out(size);
  for (std::size_t i = 0; i < size; ++i) {
    x.push_back(static_cast<Real>(rng.below(1000)) / 7);
    y.push_back(static_cast<Real>(rng.below(1000)) / 3);
    expected.push_back(static_cast<Real>((31.7 * x[i] - y[i]) * (1 / 41.0)));
  }
  scale_difference(31.7, x.data(), y.data(), 1 / 41.0, static_cast<std::int64_t>(size), out.data());
  CHECK(same_bits(out, expected));
  scale_difference(31.7, x.data(), y.data(), 1 / 41.0, static_cast<std::int64_t>(size), y.data());
  CHECK(same_bits(y, expected));
}

// Small matrix products of the vectors of tokens, some of whose numbers are read.
template <class Real>
void compare_token_vectors(Rng& rng, std::int32_t stride, std::int64_t count, std::int64_t size) {
  const auto width = static_cast<std::size_t>(stride), tokens = static_cast<std::size_t>(count), features = static_cast<std::size_t>(size);
  const auto drawn = [&](std::size_t numbers) {
    std::vector<Real> out(numbers);
    for (Real& value : out) value = (static_cast<Real>(rng.below(40)) - 20) / 3;
    return out;
  };
  std::vector<std::vector<float>> vectors(tokens, std::vector<float>(2 * features + 1));
  std::vector<const float*> rows;
  for (auto& vector : vectors) {
    for (float& value : vector) value = (static_cast<float>(rng.below(40)) - 20) / 7;
    rows.push_back(vector.data());
  }
  std::vector<std::int32_t> columns;
  std::vector<std::int64_t> places;
  for (std::size_t k = 0; k < features; ++k) {
    columns.push_back(static_cast<std::int32_t>(2 * k + 1));
    places.push_back(static_cast<std::int64_t>((features - 1 - k) * width));
  }
  const std::vector<Real> weights = drawn(features * width), differences = drawn(tokens * width);
  std::vector<Real> out = drawn(tokens * width), totals = drawn(features * width), expected = out, expected_totals = totals;
  multiply_vectors(rows.data(), count, columns.data(), places.data(), size, weights.data(), stride, out.data());
  add_vectors(rows.data(), count, columns.data(), size, differences.data(), stride, totals.data());
  for (std::size_t k = 0; k < features; ++k) {
    for (std::size_t i = 0; i < tokens; ++i) {
      const Real value = vectors[i][2 * k + 1];
      for (std::size_t j = 0; j < width; ++j) {
        expected[i * width + j] += weights[(features - 1 - k) * width + j] * value;
        expected_totals[k * width + j] += differences[i * width + j] * value;
      }
    }
  }
  CHECK(same_bits(out, expected));
  CHECK(same_bits(totals, expected_totals));
}

}  // namespace

int main() {
  Rng rng(3);
  for (const std::size_t size : {0, 1, 3, 8, 17, 100}) {
    compare_vectors<float>(rng, size);
    compare_vectors<double>(rng, size);
  }
  for (std::int32_t stride = row_multiple; stride <= 10 * row_multiple; stride += row_multiple) {
    for (const std::int64_t count : {0, 1, 2, 3, 7, 30}) {
      for (int repeated = 0; repeated < 5; ++repeated) {
        compare<float>(rng, stride, count);
        compare<double>(rng, stride, count);
        compare_products<float>(rng, stride, count);
        compare_products<double>(rng, stride, count);
      }
    }
  }
  for (std::int32_t stride = row_multiple; stride <= 7 * row_multiple; stride += row_multiple) {
    for (std::int64_t count = 0; count <= 4; ++count) {
      for (const std::int64_t size : {0, 1, 5}) {
        compare_token_vectors<float>(rng, stride, count, size);
        compare_token_vectors<double>(rng, stride, count, size);
      }
    }
  }
  for (std::int32_t labels = 1; labels <= 50; ++labels) {
    compare_of_some<float>(rng, labels);
    compare_of_some<double>(rng, labels);
  }
  CHECK(padded(1) == 8 && padded(8) == 8 && padded(9) == 16);
  return 0;
}
