// The subset of a long vector of rows that a learner uses as its weights.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

namespace riata {

// Numbers the places of the vector that hold a weight, in order. A row is identified by the place where it starts.
class RowWeights {
 public:
  // there: [rows x stride] whether a place holds a weight.
  RowWeights(std::int64_t stride, const std::vector<bool>& there) : stride_(stride) {
    first_.push_back(0);
    for (std::size_t place = 0; place < there.size(); ++place) {
      if (there[place]) labels_.push_back(static_cast<std::int16_t>(place % static_cast<std::size_t>(stride_)));
      if ((place + 1) % static_cast<std::size_t>(stride_) == 0) first_.push_back(static_cast<std::int32_t>(labels_.size()));
    }
    labels_.shrink_to_fit();
  }

  std::int64_t size() const noexcept { return static_cast<std::int64_t>(labels_.size()); }
  // The length of the long vector.
  std::int64_t room() const noexcept { return (static_cast<std::int64_t>(first_.size()) - 1) * stride_; }
  // The weights of a row are first(row) to end(row) - 1.
  std::int32_t first(std::int64_t row) const noexcept { return first_[static_cast<std::size_t>(row / stride_)]; }
  std::int32_t end(std::int64_t row) const noexcept { return first_[static_cast<std::size_t>(row / stride_) + 1]; }
  std::int32_t label(std::int64_t weight) const noexcept { return labels_[static_cast<std::size_t>(weight)]; }

  // Adds `times` times the numbers of a row, [stride], to the gradient, [size].
  template <class Real>
  void add(std::int64_t row, const Real* numbers, double times, std::span<double> gradient) const {
    for (std::int32_t i = first(row); i < end(row); ++i) gradient[static_cast<std::size_t>(i)] += double(numbers[label(i)]) * times;
  }

  // Calls visit(number of the weight, place) for all weights, in order.
  template <class Visit>
  void each(Visit visit) const {
    for (std::size_t row = 0; row + 1 < first_.size(); ++row) {
      for (std::int32_t i = first_[row]; i < first_[row + 1]; ++i) visit(i, static_cast<std::int64_t>(row) * stride_ + label(i));
    }
  }

 private:
  std::int64_t stride_;
  std::vector<std::int32_t> first_;   // [rows + 1] number of the first weight of each row
  std::vector<std::int16_t> labels_;  // [size] the label of each weight
};

}  // namespace riata
