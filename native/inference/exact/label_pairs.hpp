// The pairs of neighbouring labels that a constraint allows: the states of a chain that reads two labels back.
#pragma once

#include <cstdint>
#include <vector>

#include "core/kernels.hpp"
#include "inference/constraint.hpp"

namespace riata {

class LabelPairs {
 public:
  template <class Real>
  LabelPairs(std::int32_t labels, const Constraint<Real>& constraint) : labels_(labels), number_(std::size_t(labels) * labels, -1) {
    for (std::int32_t second = 0; second < labels; ++second) {
      begins_.push_back(size());
      for (std::int32_t first = 0; first < labels; ++first) {
        if (constraint.follow[std::size_t(first) * padded(labels) + second] != 0) continue;
        number_[std::size_t(first) * labels + second] = size();
        firsts_.push_back(first);
      }
    }
    begins_.push_back(size());
  }

  std::int32_t size() const noexcept { return static_cast<std::int32_t>(firsts_.size()); }
  // Pairs are numbered by their second label, then by their first: pairs begin(j) to begin(j + 1) - 1 end in label j.
  std::int32_t begin(std::int32_t second) const noexcept { return begins_[second]; }
  std::int32_t first(std::int32_t pair) const noexcept { return firsts_[pair]; }
  // The number of a pair; -1 if the pair is not allowed.
  std::int32_t number(std::int32_t first, std::int32_t second) const noexcept { return number_[std::size_t(first) * labels_ + second]; }

 private:
  std::int32_t labels_;
  std::vector<std::int32_t> begins_;  // [labels + 1] first pair that ends in each label
  std::vector<std::int32_t> firsts_;  // [pairs] first label of each pair
  std::vector<std::int32_t> number_;  // [first label][second label] number of the pair, or -1
};

}  // namespace riata
