// Sums over all segmentations by products of factors: the same as SemiMarkovSums, but many times faster.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <vector>

#include "core/kernels.hpp"
#include "models/segment_weights.hpp"

namespace riata {

// Every position has a row of factors whose highest is 1, and a logarithm that is subtracted. It gives up if a label can follow, or be
// followed, only with a factor so small that terms lost to underflow could matter; then the caller must use logarithms.
template <class Real>
class SemiMarkovFactors {
 public:
  SemiMarkovFactors(const SegmentCoding& coding, std::int32_t order) : coding_(coding), stride_(coding.stride()), order_(order) {}

  // spans: [length][most][stride] scores of segments, minus infinity if there is no such segment. edges: [length][label before][stride]
  // scores of a label after the label before, if the model reads labels back; of the first token, only the first row is used. Both are
  // overwritten by factors. Returns log Z, or NaN if it gave up.
  double open(std::int32_t length, Length most, Real* spans, Real* edges) {
    length_ = length;
    most_ = most.number();
    const std::size_t rows = std::size_t(length + 1) * stride_;
    for (auto* table : {&alpha_, &reach_, &leave_, &beta_}) table->assign(rows, Real{0});
    for (auto* table : {&alpha_log_, &reach_log_, &leave_log_, &beta_log_}) table->assign(std::size_t(length) + 1, 0);
    highest_.resize(std::size_t(length) * most_);
    edge_highest_.resize(static_cast<std::size_t>(coding_.labels));
    for (std::int32_t t = 0; t < length; ++t)
      exp_rows(span(spans, t, Length(1)), lengths(t), stride_, highest_.data() + std::size_t(t) * most_);
    log_z_ = forward(spans, edges);
    return std::isnan(log_z_) || !backward(spans, edges) ? given_up : log_z_;
  }

  // Turns the factors that `open` has left into posteriors, multiplied by `times`. Must be called once.
  void weigh(Real* spans, Real* edges, Real times) {
    for (std::int32_t t = 0; t < length_; ++t) weigh(t, spans, edges, log_z_, times);
  }

 private:
  static constexpr double given_up = std::numeric_limits<double>::quiet_NaN();
  static constexpr Real least = sizeof(Real) == 4 ? Real(1e-15) : Real(1e-150);

  std::int32_t lengths(std::int32_t t) const noexcept { return std::min(most_, length_ - t); }
  Real* span(Real* spans, std::int32_t t, Length l) const noexcept { return spans + (std::size_t(t) * most_ + l.place() - 1) * stride_; }
  Real* edge(Real* edges, std::int32_t t, LabelId before) const noexcept {
    return edges + (std::size_t(t) * coding_.labels + before.place()) * stride_;
  }
  Real* row(std::vector<Real>& rows, std::int32_t t) const noexcept { return rows.data() + std::size_t(t) * stride_; }
  double highest(std::int32_t t, Length l) const noexcept { return double(highest_[std::size_t(t) * most_ + l.place() - 1]); }

  // Divides by the highest value; returns its logarithm, or NaN if a label is next to impossible.
  double level(Real* values) const noexcept {
    const auto [low, high] = std::minmax_element(values, values + coding_.labels);
    const Real top = *high;
    if (!(*low >= least) || !std::isfinite(top)) return given_up;
    for (std::int32_t y = 0; y < coding_.labels; ++y) values[y] /= top;
    return std::log(double(top));
  }

  double forward(Real* spans, Real* edges) {
    const std::int32_t L = coding_.labels;
    if (!enter_first(edges)) return given_up;
    for (std::int32_t t = 1; t <= length_; ++t) {
      const Length longest(std::min(most_, t));
      double top = -std::numeric_limits<double>::infinity();
      for (Length l(1); l <= longest; ++l) top = std::max(top, highest(t - l, l) + reach_log_[t - l]);
      if (!std::isfinite(top)) return given_up;
      Real* to = row(alpha_, t);
      for (Length l(1); l <= longest; ++l) {
        const Real share = std::exp(static_cast<Real>(highest(t - l, l) + reach_log_[t - l] - top));
        const Real *factors = span(spans, t - l, l), *from = row(reach_, t - l);
        for (std::int32_t y = 0; y < stride_; ++y) to[y] += factors[y] * from[y] * share;
      }
      const Real most = *std::max_element(to, to + L);
      if (!(most > 0)) return given_up;
      for (std::int32_t y = 0; y < L; ++y) to[y] /= most;
      alpha_log_[t] = top + std::log(double(most));
      if (t < length_ && !enter(t, edges)) return given_up;
    }
    double sum = 0;
    for (std::int32_t y = 0; y < L; ++y) sum += double(row(alpha_, length_)[y]);
    return alpha_log_[length_] + std::log(sum);
  }

  bool enter_first(Real* edges) {
    Real* to = row(reach_, 0);
    if (order_ == 0) {
      std::fill_n(to, coding_.labels, Real{1});
      return true;
    }
    Real top;
    Real* first = edge(edges, 0, LabelId(0));
    exp_rows(first, 1, stride_, &top);
    std::copy_n(first, coding_.labels, to);
    const double off = level(to);
    reach_log_[0] = double(top) + off;
    edge_log_.assign(static_cast<std::size_t>(length_), 0);
    edge_log_[0] = double(top);
    return !std::isnan(off);
  }

  // Computes the sums up to the starts of segments from those up to the ends of the segments before.
  bool enter(std::int32_t t, Real* edges) {
    const std::int32_t L = coding_.labels;
    Real *to = row(reach_, t), *from = row(alpha_, t);
    if (order_ == 0) {
      double sum = 0;
      for (std::int32_t y = 0; y < L; ++y) sum += double(from[y]);
      std::fill_n(to, L, Real{1});
      reach_log_[t] = alpha_log_[t] + std::log(sum);
      return true;
    }
    exp_rows(edge(edges, t, LabelId(0)), L, stride_, edge_highest_.data());
    const Real top = *std::max_element(edge_highest_.begin(), edge_highest_.end());
    for (std::int32_t before = 0; before < L; ++before) {
      const Real share = std::exp(edge_highest_[before] - top);
      Real* factors = edge(edges, t, LabelId(before));
      for (std::int32_t y = 0; y < stride_; ++y) {
        factors[y] *= share;
        to[y] += factors[y] * from[before];
      }
    }
    std::fill(to + L, to + stride_, Real{0});
    const double off = level(to);
    edge_log_[t] = double(top);
    reach_log_[t] = alpha_log_[t] + double(top) + off;
    return !std::isnan(off);
  }

  bool backward(Real* spans, Real* edges) {
    const std::int32_t L = coding_.labels;
    std::fill_n(row(beta_, length_), L, Real{1});
    for (std::int32_t t = length_ - 1; t >= 0; --t) {
      const Length longest(lengths(t));
      double top = -std::numeric_limits<double>::infinity();
      for (Length l(1); l <= longest; ++l) top = std::max(top, highest(t, l) + beta_log_[t + l]);
      if (!std::isfinite(top)) return false;
      Real* leave = row(leave_, t);
      for (Length l(1); l <= longest; ++l) {
        const Real share = std::exp(static_cast<Real>(highest(t, l) + beta_log_[t + l] - top));
        Real* factors = span(spans, t, l);
        const Real* on = row(beta_, t + l);
        for (std::int32_t y = 0; y < stride_; ++y) leave[y] += factors[y] *= on[y] * share;
      }
      leave_log_[t] = top;
      if (t == 0) break;
      Real* beta = row(beta_, t);
      if (order_ == 0) {
        double sum = 0;
        for (std::int32_t y = 0; y < L; ++y) sum += double(leave[y]);
        if (!(sum > 0)) return false;
        std::fill_n(beta, L, Real{1});
        beta_log_[t] = top + std::log(sum);
        continue;
      }
      const Real most = *std::max_element(leave, leave + L);
      if (!(most > 0)) return false;
      for (std::int32_t before = 0; before < L; ++before) {
        const Real* factors = edge(edges, t, LabelId(before));
        Real sum = 0;
        for (std::int32_t y = 0; y < L; ++y) sum += factors[y] * (leave[y] / most);
        beta[before] = sum;
      }
      const double off = level(beta);
      if (std::isnan(off)) return false;
      beta_log_[t] = top + std::log(double(most)) + edge_log_[t] + off;
    }
    return true;
  }

  // Turns the factors of segments and of label pairs at token t into posteriors.
  void weigh(std::int32_t t, Real* spans, Real* edges, double log_z, Real times) {
    const double share = double(times) * std::exp(reach_log_[t] + leave_log_[t] - log_z);
    Real* reach = row(reach_, t);
    for (std::int32_t y = 0; y < stride_; ++y) reach[y] = static_cast<Real>(share * double(reach[y]));
    for (Length l(1); l.number() <= lengths(t); ++l) {
      Real* factors = span(spans, t, l);
      for (std::int32_t y = 0; y < stride_; ++y) factors[y] *= reach[y];
    }
    if (order_ == 0) return;
    const double pair = double(times) * std::exp((t == 0 ? 0 : alpha_log_[t]) + edge_log_[t] + leave_log_[t] - log_z);
    const Real* leave = row(leave_, t);
    for (std::int32_t before = 0; before < (t == 0 ? 1 : coding_.labels); ++before) {
      const auto from = static_cast<Real>(pair * (t == 0 ? 1 : double(row(alpha_, t)[before])));
      Real* factors = edge(edges, t, LabelId(before));
      for (std::int32_t y = 0; y < stride_; ++y) factors[y] *= leave[y] * from;
    }
  }

  const SegmentCoding& coding_;
  std::int32_t stride_, order_, length_ = 0, most_ = 0;
  double log_z_ = 0;
  std::vector<Real> alpha_, reach_;  // [T + 1][stride] sums over paths up to the end of a segment, and up to the start of one
  std::vector<Real> beta_, leave_;   // [T + 1][stride] sums over paths from the end of a segment on, and from the start of one on
  std::vector<double> alpha_log_, reach_log_, beta_log_, leave_log_;  // [T + 1] logarithms that are subtracted
  std::vector<double> edge_log_;                                      // [T] logarithm that is subtracted from edges
  std::vector<Real> highest_, edge_highest_;
};

}  // namespace riata
