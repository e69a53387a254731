// The planes that are remembered for one sentence, and their multipliers.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "core/error.hpp"
#include "learning/margin/hinge.hpp"
#include "learning/margin/simplex.hpp"
#include "models/vector.hpp"

namespace riata {

// The highest of the values of planes; at least 0, the value of the truth.
inline double highest(const std::vector<double>& values) {
  double most = 0;
  for (const double value : values) most = std::max(most, value);
  return most;
}

// The sentence's share of the weights is the sum of its slopes times their multipliers, which add up to at most the cap of the sentence.
// Products are those of the weight vector, so that they are right if its entries are coefficients of a kernel.
template <class Real>
class PlaneSet {
 public:
  bool empty() const noexcept { return planes_.empty(); }
  std::size_t size() const noexcept { return planes_.size(); }

  // The value of every plane at these weights.
  void measure(const Vector<Real>& weights, std::vector<double>& values) const {
    values.clear();
    for (const Plane& plane : planes_) values.push_back(plane.offset - weights.dot(plane.slope));
  }

  // Adds the plane that was found last, with a multiplier of 0.
  void add(const Hinge<Real>& hinge, const Vector<Real>& weights) {
    Plane plane{{}, hinge.offset(), 0, {}};
    for (const auto& [place, value] : hinge.slope().entries()) {
      if (place > std::int64_t{UINT32_MAX})
        throw Error("UnsupportedError", "there are too many weights to remember the outputs of sentences.", "Use svm-subgradient.");
      if (value != 0) plane.slope.push_back({static_cast<std::uint32_t>(place), static_cast<Real>(value)});
    }
    std::ranges::sort(plane.slope, {}, &Entry::first);
    plane.slope.shrink_to_fit();
    planes_.push_back(std::move(plane));
    for (const Plane& other : planes_) planes_.back().products.push_back(weights.product(other.slope, planes_.back().slope));
    multipliers_.push_back(0);
  }

  // Makes the multipliers optimal, all other weights being fixed, until no pair gains more than `precise` per unit. values: of all planes
  // at the weights. Returns by how much the gains of multipliers that could be exchanged differed before.
  double optimise(double cap, double precise, const std::vector<double>& values, Vector<Real>& weights) {
    const std::vector<double> before = multipliers_;
    const std::vector<double> products = square(planes_);
    std::vector<double> offsets = values;  // without the part of the weights that comes from this sentence
    const std::size_t n = planes_.size();
    for (std::size_t i = 0; i < n; ++i) {
      for (std::size_t j = 0; j < n; ++j) offsets[i] += before[j] * products[i * n + j];
    }
    ascend_in_simplex(offsets, products, cap, precise, multipliers_);
    const double most = highest(values);
    double least = 0, used = 0;
    for (std::size_t k = 0; k < n; ++k) {
      const double change = multipliers_[k] - before[k];
      used += before[k];
      if (change != 0) weights.add(planes_[k].slope, change);
    }
    if (used >= cap * (1 - 1e-12)) least = most;  // nothing is left of the cap
    for (std::size_t k = 0; k < n; ++k) least = before[k] > 0 ? std::min(least, values[k]) : least;
    return most - least;
  }

  // Forgets planes whose multiplier was 0 at each of the last `patience` calls.
  void drop(int patience) {
    for (std::size_t k = planes_.size(); k-- > 0;) {
      planes_[k].idle = multipliers_[k] > 0 ? 0 : planes_[k].idle + 1;
      if (planes_[k].idle >= patience) drop_plane(planes_, multipliers_, k);
    }
  }

  // Multiplies all multipliers by a number.
  void rescale(double factor, Vector<Real>& weights) {
    for (std::size_t k = 0; k < planes_.size(); ++k) {
      weights.add(planes_[k].slope, (factor - 1) * multipliers_[k]);
      multipliers_[k] *= factor;
    }
  }

  // The sum of offsets times multipliers.
  double offset() const noexcept {
    double sum = 0;
    for (std::size_t k = 0; k < planes_.size(); ++k) sum += multipliers_[k] * planes_[k].offset;
    return sum;
  }

  // How many numbers are stored.
  std::int64_t stored() const noexcept {
    std::int64_t sum = 0;
    for (const Plane& plane : planes_) sum += static_cast<std::int64_t>(plane.slope.size());
    return sum;
  }

 private:
  using Entry = std::pair<std::uint32_t, Real>;
  struct Plane {
    std::vector<Entry> slope;  // by place
    double offset = 0;
    int idle = 0;                  // calls of drop since its multiplier was above 0
    std::vector<double> products;  // with all planes up to this one
  };
  std::vector<Plane> planes_;
  std::vector<double> multipliers_;
};

}  // namespace riata
