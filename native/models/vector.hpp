// The weights of a model in one long vector. Scaling, norm and average cost no more than the entries that an update touches.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <utility>
#include <vector>

#include "core/kernels.hpp"
#include "core/numbers.hpp"
#include "models/difference.hpp"
#include "models/metric.hpp"

namespace riata {

// w = scale * v. The average of the initial weights and the weights after every tick is (S v - u) / T, where S is the sum of the scales at
// the ticks, T the number of ticks, and u the sum over all changes of v of the change times S at that moment.
//
// If p > 2, the steps and projections apply to a dual vector theta = s * d, from which w follows: w = sign(theta) |theta|^(p-1) /
// |theta|_p^(p-2) (Gentile 2001). So v = sign(d) |d|^(p-1), and scale = s / |d|_p^(p-2).
template <class Real>
class Vector {
 public:
  // What is stored beside the weights: nothing, if they never change; the data of their average; or these and their norm.
  enum class Keeps { nothing, average, norm };

  explicit Vector(Numbers<Real> initial, double p = 2, Keeps keeps = Keeps::norm)
      : p_(p),
        measures_(keeps == Keeps::norm),
        v_(std::move(initial)),
        u_(keeps == Keeps::nothing ? 0 : v_.size(), Real{0}),
        data_(v_.data()) {
    if (has_dual())
      make_dual();
    else if (measures_)
      norm2_ = squared_entries();
  }
  // A view of weights that are stored elsewhere and never change. `fixed` must outlive the vector.
  static Vector of(const Numbers<Real>& fixed) {
    Vector out({}, 2, Keeps::nothing);
    out.data_ = fixed.data();
    out.fixed_ = true;
    out.fixed_size_ = fixed.size();
    return out;
  }
  Vector(Vector&&) = default;
  Vector& operator=(Vector&&) = default;

  const Real* data() const noexcept { return data_; }
  double scale() const noexcept { return scale_; }
  std::size_t size() const noexcept { return fixed_ ? fixed_size_ : v_.size(); }
  double p() const noexcept { return p_; }
  std::int64_t version() const noexcept { return version_; }  // changes whenever the weights change

  // |w|_q with 1/p + 1/q = 1. It equals |theta|_p.
  double norm() const noexcept { return has_dual() ? s_ * dual_norm() : std::sqrt(norm2_ > 0 ? norm2_ : 0); }

  // Lets a metric compute all products, since the entries are coefficients; only if p is 2. The metric must outlive the questions.
  void measure_by(const Metric<Real>* metric) {
    if (metric == metric_) return;
    metric_ = metric;
    if (measures_) norm2_ = squared_length();
  }

  // |w|^2, added up over all weights; only if p is 2.
  double squared_length() const {
    if (metric_) return scale_ * scale_ * metric_->squared_length(data_);
    double sum = 0;
    for (std::size_t i = 0; i < size(); ++i) sum += double(data_[i]) * data_[i];
    return scale_ * scale_ * sum;
  }

  // Appends weights. They are 0, and 0 in the average so far.
  void grow(std::size_t size) {
    if (fixed_ || size <= v_.size()) return;
    v_.resize(size, Real{0});
    u_.resize(size, Real{0});
    if (has_dual()) d_.resize(size, Real{0});
    data_ = v_.data();
  }

  // Reserves memory, so that growing does not copy the weights. Reserved memory that is never used costs nothing.
  void reserve(std::size_t size) {
    v_.reserve(size);
    u_.reserve(size);
    if (has_dual()) d_.reserve(size);
    data_ = v_.data();
  }

  // Moves the weights to other places: move(old vector) returns the new vector.
  template <class Move>
  void rearrange(Move move) {
    v_ = move(v_);
    u_ = move(u_);
    if (has_dual()) d_ = move(d_);
    data_ = v_.data();
  }

  // delta: a difference, or another list of pairs of a place and a number; so in `product` and `add`.
  template <class Entries>
  double dot(const Entries& delta) const {
    if (metric_) return scale_ * metric_->dot(data_, version_, as_difference(delta));
    double sum = 0;
    for (const auto& [id, value] : delta) sum += data_[id] * double(value);
    return scale_ * sum;
  }
  // The product of two lists, each in the order of places.
  template <class Entries>
  double product(const Entries& one, const Entries& other) const {
    if (metric_) return metric_->product(as_difference(one), as_difference(other));
    double sum = 0;
    for (auto a = one.begin(), b = other.begin(); a != one.end() && b != other.end();) {
      if (a->first == b->first)
        sum += double(a++->second) * double(b++->second);
      else
        ++(a->first < b->first ? a : b);
    }
    return sum;
  }

  // |delta|_p, and |delta|^2 if p is 2. Every place must occur once.
  double length(const Difference& delta) const { return metric_ ? std::sqrt(std::max(squared(delta), 0.0)) : p_norm(delta, p_); }
  double squared(const Difference& delta) const { return metric_ ? metric_->product(delta, delta) : squared_norm(delta); }

  // Adds step * delta to w, or to theta if p > 2.
  template <class Entries>
  void add(const Entries& delta, double step) {
    if (has_dual()) {
      ++version_;
      return add_to_dual(as_difference(delta), step);
    }
    if (measures_) norm2_ += 2 * step * dot(delta) + step * step * squared(as_difference(delta));
    ++version_;
    for (const auto& [id, value] : delta) add_at(id, step * double(value) / scale_);
  }

  // Sets weights to 0, and their part of the average too; only if p is 2.
  void forget(std::int64_t first, std::int64_t count) {
    if (measures_) {
      Difference gone;
      for (std::int64_t place = first; place < first + count; ++place)
        gone.push_back({place, -scale_ * v_[static_cast<std::size_t>(place)]});
      norm2_ += 2 * dot(gone) + squared(gone);
    }
    ++version_;
    std::fill_n(v_.begin() + first, count, Real{0});
    std::fill_n(u_.begin() + first, count, Real{0});
  }

  // Projects w onto the unit ball: w / max(1, |w|_q).
  void project() {
    const double length = norm();
    if (length <= 1) return;
    ++version_;
    scale_ /= length;
    if (has_dual())
      s_ /= length;
    else
      project_square();
  }

  // For mixing these weights with those of other vectors, which is only possible if they are plain, that is, not scaled: the number of
  // ticks, the weight at a place, and the entry of u there.
  bool is_plain() const noexcept { return scale_ == 1 && !has_dual() && scales_ == ticks_; }
  double count() const noexcept { return ticks_; }
  Real at(std::size_t place) const noexcept { return v_[place]; }
  Real collected(std::size_t place) const noexcept { return u_[place]; }
  // Sets a weight without changing the sum that the average has collected so far.
  void set(std::size_t place, Real value) noexcept {
    u_[place] += static_cast<Real>(ticks_ * (double(value) - v_[place]));
    v_[place] = value;
  }
  void changed() noexcept { ++version_; }

  // Multiplies w by a number above 0; only if p is 2.
  void shrink(double factor) noexcept {
    ++version_;
    scale_ *= factor;
    if (measures_) norm2_ *= factor * factor;
    if (scale_ < smallest_scale) fold();
  }

  // Counts the present weights in the average; called after every example. times: how often they count.
  void tick(double times = 1) noexcept {
    scales_ += times * scale_;
    ticks_ += times;
  }

  Numbers<Real> average() const {
    Numbers<Real> mean;
    average_into(mean);
    return mean;
  }
  // Writes the average into existing memory, which is enlarged if it is too small.
  void average_into(Numbers<Real>& mean) const {
    if (mean.capacity() < v_.size()) {
      Numbers<Real>().swap(mean);
      mean.reserve(v_.size() + v_.size() / 8);
    }
    mean.resize(v_.size());
    // `mean` may be u_ itself.
    scale_difference(scales_, v_.data(), u_.data(), 1 / ticks_, static_cast<std::int64_t>(v_.size()), mean.data());
  }
  Numbers<Real> last() const {
    Numbers<Real> now(v_.size());
    for (std::size_t i = 0; i < v_.size(); ++i) now[i] = static_cast<Real>(scale_ * v_[i]);
    return now;
  }
  // The average or the last weights, returned in the memory of this vector, which cannot be used any more.
  Numbers<Real> take_average() {
    average_into(u_);
    Numbers<Real>().swap(v_);
    return std::move(u_);
  }
  Numbers<Real> take_last() {
    Numbers<Real>().swap(u_);
    Numbers<Real>().swap(d_);
    for (Real& value : v_) value = static_cast<Real>(scale_ * value);
    return std::move(v_);
  }

 private:
  static const Difference& as_difference(const Difference& delta) noexcept { return delta; }
  template <class Entries>
  static Difference as_difference(const Entries& entries) {
    return Difference(entries.begin(), entries.end());
  }

  void add_at(std::int64_t id, double change) noexcept {
    v_[static_cast<std::size_t>(id)] += static_cast<Real>(change);
    u_[static_cast<std::size_t>(id)] += static_cast<Real>(change * scales_);
  }

  static constexpr double smallest_scale = 0x1p-20;  // v grows while the scale shrinks; below this, the scale is multiplied into v
  static constexpr double window = 8;                // |d|_p^(p-1) may change by so many powers of two before d is folded,
  static constexpr double leap = 32;                 // and an entry of v may change by so many in one step

  bool has_dual() const noexcept { return p_ != 2; }
  double dual_norm() const noexcept { return std::pow(std::max(mass_, 0.0), 1 / p_); }
  static double power(double base, double exponent) noexcept { return std::copysign(std::pow(std::abs(base), exponent), base); }

  double squared_entries() const noexcept {
    double sum = 0;
    for (const Real value : v_) sum += double(value) * value;
    return sum;
  }

  void project_square() {
    norm2_ = 1;
    if (scale_ >= smallest_scale) return;
    fold();
    if (!metric_) norm2_ = squared_entries();
  }

  // Multiplies the scale into v.
  void fold() noexcept {
    for (std::size_t i = 0; i < v_.size(); ++i) {
      settle(i);
      v_[i] = static_cast<Real>(scale_ * v_[i]);
    }
    scales_ = 0;
    scale_ = 1;
  }

  // Moves a weight's share of the average from S v into u, before S starts again from 0. Otherwise S would contain old scales that are much
  // larger than the present scale, and S v - u would lose precision.
  void settle(std::size_t i) noexcept { u_[i] -= static_cast<Real>(scales_ * v_[i]); }

  // Computes theta from w. This is the same formula with q instead of p: d = sign(v) |v|^(q-1).
  void make_dual() {
    double largest = 0;
    for (const Real value : v_) largest = std::max(largest, std::abs(double(value)));
    d_.assign(v_.size(), Real{0});
    if (largest == 0) return;
    for (std::size_t i = 0; i < v_.size(); ++i) {
      v_[i] = static_cast<Real>(v_[i] / largest);
      d_[i] = static_cast<Real>(power(v_[i], 1 / (p_ - 1)));
      mass_ += std::abs(double(d_[i]) * v_[i]);
    }
    s_ = largest * std::pow(mass_, (p_ - 2) / p_);
    scales_ = scale_ = largest;
    folded_ = mass_;
  }

  void add_to_dual(const Difference& delta, double step) noexcept {
    double largest = 0;
    for (const auto& [id, value] : delta) largest = std::max(largest, std::abs(step * value / s_));
    if ((p_ - 1) * std::log2(1 + largest) > leap) fold_dual(largest);
    for (const auto& [id, value] : delta) {
      const auto i = static_cast<std::size_t>(id);
      const double before = v_[i];
      mass_ -= std::abs(d_[i] * before);
      d_[i] += static_cast<Real>(step * value / s_);
      v_[i] = static_cast<Real>(power(d_[i], p_ - 1));
      mass_ += std::abs(double(d_[i]) * v_[i]);
      u_[i] += static_cast<Real>((v_[i] - before) * scales_);
    }
    const double change = std::exp2(window * p_ / (p_ - 1));
    // fold_dual(0): v may have underflowed where d has not.
    if (!(mass_ > 0 && mass_ <= folded_ * change && mass_ * change >= folded_)) fold_dual(0);
    scale_ = mass_ > 0 ? s_ / std::pow(mass_, (p_ - 2) / p_) : s_;
  }

  // Divides d by its largest |d|, or by `room` if that is larger, so that powers of d neither overflow nor underflow.
  void fold_dual(double room) noexcept {
    double largest = room;
    for (const Real value : d_) largest = std::max(largest, std::abs(double(value)));
    mass_ = 0;
    if (largest > 0) {
      for (std::size_t i = 0; i < d_.size(); ++i) {
        if (d_[i] == 0) continue;
        settle(i);
        d_[i] = static_cast<Real>(d_[i] / largest);
        v_[i] = static_cast<Real>(power(d_[i], p_ - 1));
        mass_ += std::abs(double(d_[i]) * v_[i]);
      }
      scales_ = 0;
      s_ *= largest;
    }
    folded_ = mass_;
  }

  double p_;
  bool measures_;       // whether the norm is kept
  bool fixed_ = false;  // whether the weights are stored elsewhere
  std::size_t fixed_size_ = 0;
  Numbers<Real> v_, u_;
  const Real* data_;                      // address of v_, or of the weights that are stored elsewhere
  const Metric<Real>* metric_ = nullptr;  // nullptr: products are sums over entries
  std::int64_t version_ = 0;
  double scale_ = 1, norm2_ = 0;   // norm2_: |w|^2, if p is 2
  double scales_ = 1, ticks_ = 1;  // the initial weights count as the first tick

  Numbers<Real> d_;  // if p is not 2: theta = s * d
  double s_ = 1;
  double mass_ = 0, folded_ = 0;  // |d|_p^p, now and when d was folded last
};

}  // namespace riata
