// Sums over all projective trees with one root: log Z, and the probability of every arc and of every pair of siblings (inside and outside,
// Paskin 2001).
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <vector>

#include "inference/exact/arc_scores.hpp"
#include "inference/exact/span_tables.hpp"

namespace riata {

// Sums of products of factors.
struct FactorSum {
  static constexpr double one = 1, none = 0;
  static constexpr std::int32_t lanes = 4;
  static double times(double a, double b) noexcept { return a * b; }
  static double plus(double a, double b) noexcept { return a + b; }
  static double without(double all, double part) noexcept { return all / part; }
  template <class... More>
  static double sum(std::int32_t count, const double* first, const More*... more) noexcept {
    double sums[lanes] = {}, rest = 0;
    std::int32_t k = 0;
    for (; k + lanes <= count; k += lanes) {
      for (std::int32_t x = 0; x < lanes; ++x) sums[x] += (first[k + x] * ... * more[k + x]);
    }
    for (; k < count; ++k) rest += (first[k] * ... * more[k]);
    return (sums[0] + sums[1]) + (sums[2] + sums[3]) + rest;
  }
  // The share of a whole that ways to put it together have: `share` times a product over `total`. A total near the smallest number belongs
  // to nothing that is probable.
  class Shares {
   public:
    Shares(double share, double total) noexcept : ratio_(share / total) {
      if (!(ratio_ < 1e300)) ratio_ = 0;
    }
    double operator()(double product) const noexcept { return ratio_ * product; }

   private:
    double ratio_;
  };
};

// The same in logarithms, for scores of any size.
struct LogarithmSum {
  static constexpr double one = 0, none = -std::numeric_limits<double>::infinity();
  static double times(double a, double b) noexcept { return a + b; }
  static double plus(double a, double b) noexcept {
    const double high = std::max(a, b);
    return high > none ? high + std::log1p(std::exp(std::min(a, b) - high)) : none;
  }
  static double without(double all, double part) noexcept { return all - part; }
  template <class... More>
  static double sum(std::int32_t count, const double* first, const More*... more) noexcept {
    const double highest = LargestScore<double>::sum(count, first, more...);
    if (!(highest > none)) return none;
    double total = 0;
    for (std::int32_t k = 0; k < count; ++k) total += std::exp((first[k] + ... + more[k]) - highest);
    return highest + std::log(total);
  }
  class Shares {
   public:
    Shares(double share, double total) noexcept : share_(share), total_(total) {}
    double operator()(double product) const noexcept { return share_ * std::exp(product - total_); }

   private:
    double share_, total_;
  };
};

// Inside and outside sums, in factors or in logarithms.
template <class Algebra>
class SpanSums {
 public:
  // The sum over all trees.
  double fill(const ArcScores<double>& arcs, const SiblingScores<double>& siblings) {
    const std::int32_t n = arcs.length();
    inside_.open(n);
    fill_spans<Algebra>(arcs, siblings, inside_);
    roots_.clear();
    for (std::int32_t r = 1; r <= n; ++r) roots_.push_back(rooted<Algebra>(arcs, siblings, inside_, r));
    const std::vector<double> ones(roots_.size(), Algebra::one);
    return Algebra::sum(n, roots_.data(), ones.data());
  }

  // Probabilities of spans, from the widest to the narrowest. A span that is stored in both orders has two numbers, which are added up.
  // shares and pairs: the probabilities of arcs and, if siblings are scored, of pairs of them.
  void share(const ArcScores<double>& arcs, const SiblingScores<double>& siblings, double all, ArcScores<double>& shares,
             SiblingScores<double>& pairs) {
    const std::int32_t n = arcs.length();
    outside_.open(n, 0.0);
    const typename Algebra::Shares of_roots(1, all);
    for (std::int32_t r = 1; r <= n; ++r) {
      const double share = of_roots(roots_[static_cast<std::size_t>(r - 1)]);
      shares(0, r) = share;
      if (siblings.scored()) pairs.first(0, r) = share;
      outside_.left(1)[r] += share;
      outside_.right(r)[n] += share;
    }
    for (std::int32_t width = n - 1; width > 0; --width) {
      for (std::int32_t i = 1, j = i + width; j <= n; ++i, ++j) {
        hand_on(outside_.right(i)[j] + outside_.right_back(j)[i], inside_.right(i)[j], width, inside_.arc_right(i) + i + 1,
                inside_.right_back(j) + i + 1, outside_.arc_right(i) + i + 1, outside_.right_back(j) + i + 1);
        hand_on(outside_.left(i)[j] + outside_.left_back(j)[i], inside_.left(i)[j], width, inside_.left(i) + i, inside_.arc_left(j) + i,
                outside_.left(i) + i, outside_.arc_left(j) + i);
        shares(i, j) = outside_.arc_right(i)[j];
        shares(j, i) = outside_.arc_left(j)[i];
        double both = shares(i, j) + shares(j, i);
        if (siblings.scored()) {
          share_right(i, j, arcs, siblings, shares(i, j), pairs);
          share_left(i, j, arcs, siblings, shares(j, i), pairs);
          both = outside_.both(i)[j] + outside_.both_back(j)[i];
        }
        hand_on(both, inside_.both(i)[j], width, inside_.right(i) + i, inside_.left_back(j) + i + 1, outside_.right(i) + i,
                outside_.left_back(j) + i + 1);
      }
    }
  }

 private:
  // Hands the probability of a span on to the spans that it is put together of.
  static void hand_on(double share, double total, std::int32_t count, const double* one, const double* other, double* to_one,
                      double* to_other) noexcept {
    if (!(share > 0)) return;
    const typename Algebra::Shares of(share, total);
    for (std::int32_t k = 0; k < count; ++k) {
      const double part = of(Algebra::times(one[k], other[k]));
      to_one[k] += part;
      to_other[k] += part;
    }
  }

  // So for an arc whose child has a sibling, or none.
  void share_right(std::int32_t i, std::int32_t j, const ArcScores<double>& arcs, const SiblingScores<double>& siblings, double share,
                   SiblingScores<double>& pairs) noexcept {
    if (!(share > 0)) return;
    const typename Algebra::Shares of(share, Algebra::without(inside_.arc_right(i)[j], arcs(i, j)));
    const double alone = of(Algebra::times(siblings.first(i, j), inside_.left(i + 1)[j]));
    pairs.first(i, j) = alone;
    outside_.left(i + 1)[j] += alone;
    hand_on_pairs(of, j - i - 1, inside_.arc_right(i) + i + 1, inside_.both_back(j) + i + 1, siblings.row(i, j),
                  outside_.arc_right(i) + i + 1, outside_.both_back(j) + i + 1, pairs.row(i, j));
  }
  void share_left(std::int32_t i, std::int32_t j, const ArcScores<double>& arcs, const SiblingScores<double>& siblings, double share,
                  SiblingScores<double>& pairs) noexcept {
    if (!(share > 0)) return;
    const typename Algebra::Shares of(share, Algebra::without(inside_.arc_left(j)[i], arcs(j, i)));
    const double alone = of(Algebra::times(siblings.first(j, i), inside_.right(i)[j - 1]));
    pairs.first(j, i) = alone;
    outside_.right(i)[j - 1] += alone;
    hand_on_pairs(of, j - i - 1, inside_.both(i) + i + 1, inside_.arc_left(j) + i + 1, siblings.row(j, i), outside_.both(i) + i + 1,
                  outside_.arc_left(j) + i + 1, pairs.row(j, i));
  }
  static void hand_on_pairs(const typename Algebra::Shares& of, std::int32_t count, const double* one, const double* other,
                            const double* row, double* to_one, double* to_other, double* to_row) noexcept {
    for (std::int32_t k = 0; k < count; ++k) {
      const double part = of(Algebra::times(Algebra::times(one[k], other[k]), row[k]));
      to_one[k] += part;
      to_other[k] += part;
      to_row[k] = part;
    }
  }

  SpanTables<double> inside_, outside_;
  std::vector<double> roots_;  // [n] the sums over trees by their roots
};

// Sums in double precision: in factors of which none is above 1; in logarithms if these underflow.
class EisnerSums {
 public:
  // Returns log Z; minus infinity if no tree is allowed. `shares` becomes the probabilities of arcs, `pairs` those of pairs of siblings.
  double operator()(const ArcScores<double>& arcs, const SiblingScores<double>& siblings, ArcScores<double>& shares,
                    SiblingScores<double>& pairs) {
    const std::int32_t n = arcs.length();
    shares.open(n, 0.0);
    if (siblings.scored())
      pairs.open(n, 0.0);
    else
      pairs.close();
    if (n <= longest) {
      const double unit = make_factors(arcs, siblings), sum = std::isfinite(unit) ? in_factors_.fill(arcs_, siblings_) : 0;
      if (sum > least) {
        in_factors_.share(arcs_, siblings_, sum, shares, pairs);
        return unit + std::log(sum);
      }
    }
    const double log_z = in_logarithms_.fill(arcs, siblings);
    if (std::isfinite(log_z)) in_logarithms_.share(arcs, siblings, log_z, shares, pairs);
    return log_z;
  }

 private:
  // There are fewer than 7^n projective trees, so what has underflowed has a share of less than 1e-308 * 7^longest / least.
  static constexpr std::int32_t longest = 150;
  static constexpr double least = 1e-140;

  // Divides the factors of all arcs to a token by the largest one, and returns the logarithm of all that was divided by.
  double make_factors(const ArcScores<double>& arcs, const SiblingScores<double>& siblings) {
    const std::int32_t n = arcs.length();
    arcs_.open(n);
    if (siblings.scored())
      siblings_.open(n, 1.0);
    else
      siblings_.close();
    double unit = 0;
    for (std::int32_t c = 1; c <= n; ++c) {
      double highest = ArcScores<double>::forbidden;
      for (std::int32_t h = 0; h <= n; ++h) {
        if (h == c) continue;
        arcs_(h, c) = arcs(h, c) + (siblings.scored() ? make_pairs(siblings, h, c) : 0);
        highest = std::max(highest, arcs_(h, c));
      }
      if (!std::isfinite(highest)) return highest;
      for (std::int32_t h = 0; h <= n; ++h) arcs_(h, c) = h == c ? 0 : std::exp(arcs_(h, c) - highest);
      unit += highest;
    }
    return unit;
  }
  double make_pairs(const SiblingScores<double>& siblings, std::int32_t h, std::int32_t c) {
    double highest = siblings.first(h, c);
    const std::size_t count = h == 0 ? 0 : SiblingScores<double>::count(h, c);
    if (count > 0) highest = std::max(highest, *std::max_element(siblings.row(h, c), siblings.row(h, c) + count));
    siblings_.first(h, c) = std::exp(siblings.first(h, c) - highest);
    for (std::size_t k = 0; k < count; ++k) siblings_.row(h, c)[k] = std::exp(siblings.row(h, c)[k] - highest);
    return highest;
  }

  ArcScores<double> arcs_;
  SiblingScores<double> siblings_;
  SpanSums<FactorSum> in_factors_;
  SpanSums<LogarithmSum> in_logarithms_;
};

}  // namespace riata
