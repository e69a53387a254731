// Sums over the labellings of a sentence in logarithms, for a chain that reads two labels back, and the posteriors of its steps.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <vector>

#include "inference/exact/second_order_log_sums.hpp"
#include "inference/structures/second_order_potentials.hpp"

namespace riata {

template <class Real>
class SecondOrderSlowSums {
 public:
  // node: [length][stride] scores of labels, minus infinity if a label is not allowed. Returns log Z.
  double open(const SecondOrderPotentials<Real>& of, std::int64_t s, const std::vector<Real>& node) {
    start_ = of.instances_.starts[s];
    length_ = static_cast<std::size_t>(of.instances_.length(s));
    labels_ = static_cast<std::size_t>(of.layout_.labels);
    stride_ = static_cast<std::size_t>(of.layout_.stride);
    node_ = node;
    scores_.resize(static_cast<std::size_t>(of.cube_size()));
    scored_ = 0;
    return log_z_ = sums_(
               length_, labels_, [&](std::size_t t, std::size_t j) { return own(t, j); },
               [&](std::size_t t, std::size_t h, std::size_t i, std::size_t j) { return triple(of, t, h, i, j); });
  }

  // Adds `times` times the posteriors of labels to the difference, [length][stride], and adds the posteriors of steps to their rows.
  void add(SecondOrderPotentials<Real>& of, double times, Real* difference) {
    if (!std::isfinite(log_z_)) return;
    std::vector<Real> expected(scores_.size());
    for (std::size_t t = 0; t < length_; ++t) {
      for (std::size_t j = 0; j < labels_; ++j) difference[t * stride_ + j] += static_cast<Real>(times * sums_.posterior(t, j));
      if (t == 0) continue;
      std::fill(expected.begin(), expected.end(), Real{0});
      for (std::size_t i = 0; i < labels_; ++i) {
        for (std::size_t h = 0; h < height(of, t); ++h) {
          for (std::size_t j = 0; j < labels_; ++j)
            expected[place(of, t, h, i) + j] = static_cast<Real>(times * sums_.posterior(t, h, i, j, triple(of, t, h, i, j) + own(t, j)));
        }
      }
      of.steps_.hand_on(context(of, t), expected.data(), of.totals_.data());
      Real* out = of.sparse(start_ + static_cast<std::int64_t>(t));
      each_sparse(of, t, [&](std::size_t number, std::size_t cell, Real) { out[number] += expected[cell]; });
    }
  }

 private:
  using Potentials = SecondOrderPotentials<Real>;

  std::int32_t context(const Potentials& of, std::size_t t) const noexcept {
    return of.steps_.context(start_ + static_cast<std::int64_t>(t));
  }
  std::size_t height(const Potentials& of, std::size_t t) const noexcept {
    return static_cast<std::size_t>(of.steps_.height(context(of, t)));
  }
  // The place of the row of labels h and i in the cube of the step into token t.
  std::size_t place(const Potentials& of, std::size_t t, std::size_t h, std::size_t i) const noexcept {
    return (i * height(of, t) + h) * stride_;
  }
  double own(std::size_t t, std::size_t j) const noexcept { return double(node_[t * stride_ + j]); }
  // The score of the labels h, i and j at tokens t - 2 to t from the step into token t. The cube of the step is computed when it is first
  // asked for.
  double triple(const Potentials& of, std::size_t t, std::size_t h, std::size_t i, std::size_t j) {
    if (t != scored_) {
      of.steps_.score(context(of, t), of.table_.data(), scores_.data());
      each_sparse(of, t, [&](std::size_t, std::size_t cell, Real weight) { scores_[cell] += weight; });
    }
    scored_ = t;
    return double(scores_[place(of, t, h, i) + j]);
  }
  // Calls visit(number among the sparse weights of the token, cell of the cube, weight).
  template <class Visit>
  void each_sparse(const Potentials& of, std::size_t t, Visit visit) const {
    std::size_t number = 0;
    of.steps_.sparse().each_weight(start_ + static_cast<std::int64_t>(t), [&](std::int64_t, std::int32_t cell, Real weight) {
      const auto i = static_cast<std::size_t>(cell) / stride_, j = static_cast<std::size_t>(cell) % stride_;
      for (std::size_t h = 0; h < height(of, t); ++h) visit(number, place(of, t, h, i) + j, weight);
      ++number;
    });
  }

  std::int64_t start_ = 0;  // the first token of the sentence
  std::size_t length_ = 0, labels_ = 0, stride_ = 0;
  std::size_t scored_ = 0;           // the token whose scores are in scores_; 0: none
  std::vector<Real> node_, scores_;  // scores_: of one step, [label before][height][stride]
  double log_z_ = 0;
  SecondOrderLogSums sums_;
};

}  // namespace riata
