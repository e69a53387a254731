// The planes that are remembered for one sentence, and their multipliers.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "learning/margin/hinge.hpp"
#include "learning/margin/simplex.hpp"
#include "models/vector.hpp"

namespace riata {

// The sentence's share of the weights is the sum of its slopes times their multipliers, which add up to at most the cap of the sentence.
template <class Real>
class PlaneSet {
 public:
  bool empty() const noexcept { return planes_.empty(); }
  std::size_t size() const noexcept { return planes_.size(); }

  // The highest value of any plane at these weights; at least 0.
  double highest(const Vector<Real>& weights) const {
    double most = 0;
    for (const Plane& plane : planes_) most = std::max(most, plane.offset - weights.dot(plane.slope.entries()));
    return most;
  }

  // Adds the plane that was found last, with a multiplier of 0.
  void add(const Hinge<Real>& hinge) {
    planes_.push_back({hinge.slope(), hinge.offset(), 0, {}});
    for (const Plane& other : planes_) planes_.back().products.push_back(other.slope.dot(hinge.slope()));
    multipliers_.push_back(0);
  }

  // Makes the multipliers optimal, all other weights being fixed, until no pair gains more than `precise` per unit. Returns by how much
  // the gains of multipliers that could be exchanged differed before.
  double optimise(double cap, double precise, Vector<Real>& weights) {
    const std::vector<double> before = multipliers_;
    std::vector<double> values;
    for (const Plane& plane : planes_) values.push_back(plane.offset - weights.dot(plane.slope.entries()));
    const std::vector<double> products = square(planes_);
    std::vector<double> offsets = values;  // without the part of the weights that comes from this sentence
    const std::size_t n = planes_.size();
    for (std::size_t i = 0; i < n; ++i) {
      for (std::size_t j = 0; j < n; ++j) offsets[i] += before[j] * products[i * n + j];
    }
    ascend_in_simplex(offsets, products, cap, precise, multipliers_);
    double highest = 0, lowest = 0, used = 0;
    for (std::size_t k = 0; k < n; ++k) {
      const double change = multipliers_[k] - before[k];
      highest = std::max(highest, values[k]);
      used += before[k];
      if (change != 0) weights.add(planes_[k].slope.entries(), change);
      planes_[k].idle = multipliers_[k] > 0 ? 0 : planes_[k].idle + 1;
    }
    if (used >= cap * (1 - 1e-12)) lowest = highest;  // nothing is left of the cap
    for (std::size_t k = 0; k < n; ++k) lowest = before[k] > 0 ? std::min(lowest, values[k]) : lowest;
    return highest - lowest;
  }

  // Forgets planes whose multiplier was 0 after each of the last `patience` calls of optimise.
  void drop(int patience) {
    for (std::size_t k = planes_.size(); k-- > 0;) {
      if (planes_[k].idle >= patience) drop_plane(planes_, multipliers_, k);
    }
  }

  // Multiplies all multipliers by a number.
  void rescale(double factor, Vector<Real>& weights) {
    for (std::size_t k = 0; k < planes_.size(); ++k) {
      weights.add(planes_[k].slope.entries(), (factor - 1) * multipliers_[k]);
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
    for (const Plane& plane : planes_) sum += static_cast<std::int64_t>(plane.slope.entries().size());
    return sum;
  }

 private:
  struct Plane {
    SummedDifference slope;
    double offset = 0;
    int idle = 0;                  // calls of optimise since its multiplier was above 0
    std::vector<double> products;  // with all planes up to this one
  };
  std::vector<Plane> planes_;
  std::vector<double> multipliers_;
};

}  // namespace riata
