// A weight vector that can be scaled, measured and averaged at the cost of what an update touches.
#pragma once

#include <cmath>
#include <cstdint>
#include <utility>
#include <vector>

namespace riata {

// A sparse difference of features, each number once.
using Difference = std::vector<std::pair<std::int64_t, double>>;

inline double squared_norm(const Difference& delta) noexcept {
  double sum = 0;
  for (const auto& [id, value] : delta) sum += value * value;
  return sum;
}

// w = scale * v. The average over the initial weights and those after every tick is (S v - u) / T, where S is the sum of the
// scales at the ticks and u collects, at each change of v, the change times the S of that moment.
template <class Real>
class Linear {
 public:
  explicit Linear(std::vector<Real> initial) : v_(std::move(initial)), u_(v_.size(), Real{0}) {
    for (const Real value : v_) norm2_ += double(value) * value;
  }

  const Real* data() const noexcept { return v_.data(); }
  double scale() const noexcept { return scale_; }
  double norm() const noexcept { return std::sqrt(norm2_ > 0 ? norm2_ : 0); }
  std::size_t size() const noexcept { return v_.size(); }
  std::int64_t version() const noexcept { return version_; }  // another one whenever the weights have changed

  // Room for more weights: zero now, and zero in the average so far.
  void grow(std::size_t size) {
    if (size <= v_.size()) return;
    v_.resize(size, Real{0});
    u_.resize(size, Real{0});
  }

  // The same weights in other places of a vector: move(old vector) gives the new one.
  template <class Move>
  void rearrange(Move move) {
    v_ = move(v_);
    u_ = move(u_);
  }

  double dot(const Difference& delta) const noexcept {
    double sum = 0;
    for (const auto& [id, value] : delta) sum += v_[static_cast<std::size_t>(id)] * value;
    return scale_ * sum;
  }

  void add(const Difference& delta, double step) noexcept {
    ++version_;
    norm2_ += 2 * step * dot(delta) + step * step * squared_norm(delta);
    for (const auto& [id, value] : delta) {
      const double change = step * value / scale_;
      v_[static_cast<std::size_t>(id)] += static_cast<Real>(change);
      u_[static_cast<std::size_t>(id)] += static_cast<Real>(change * scales_);
    }
  }

  // Into the unit ball: w / max(1, |w|).
  void project() noexcept {
    const double length = norm();
    if (length <= 1) return;
    ++version_;
    scale_ /= length;
    norm2_ = 1;
  }

  // After every example.
  void tick() noexcept {
    scales_ += scale_;
    ticks_ += 1;
  }

  std::vector<Real> average() const {
    std::vector<Real> mean(v_.size());
    for (std::size_t i = 0; i < v_.size(); ++i) mean[i] = static_cast<Real>((scales_ * v_[i] - u_[i]) / ticks_);
    return mean;
  }
  std::vector<Real> last() const {
    std::vector<Real> now(v_.size());
    for (std::size_t i = 0; i < v_.size(); ++i) now[i] = static_cast<Real>(scale_ * v_[i]);
    return now;
  }

 private:
  std::vector<Real> v_, u_;
  std::int64_t version_ = 0;
  double scale_ = 1, norm2_ = 0;
  double scales_ = 1, ticks_ = 1;  // the initial weights count as the first example
};

}  // namespace riata
