// The subset of a long vector of rows that a learner uses as its weights.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

namespace riata {

// Numbers the places of the vector that hold a weight, in order. A row is identified by the place where it starts. Where rows differ in
// length, stride is 1: every place is a row, and the weights are kept as bits.
class RowWeights {
 public:
  // there: [rows x stride] whether a place holds a weight.
  RowWeights(std::int64_t stride, const std::vector<bool>& there) : stride_(stride) {
    if (stride == 1)
      keep_bits(there);
    else
      keep_labels(there);
  }
  std::int64_t size() const noexcept { return size_; }
  // The length of the long vector.
  std::int64_t room() const noexcept { return room_; }
  // The weights of a row are first(row) to end(row) - 1.
  std::int32_t first(std::int64_t row) const noexcept { return stride_ == 1 ? rank(row) : first_[static_cast<std::size_t>(row / stride_)]; }
  std::int32_t end(std::int64_t row) const noexcept {
    return stride_ == 1 ? rank(row + 1) : first_[static_cast<std::size_t>(row / stride_) + 1];
  }
  std::int32_t label(std::int64_t weight) const noexcept { return stride_ == 1 ? 0 : labels_[static_cast<std::size_t>(weight)]; }

  // Adds `times` times the numbers of a row, [stride], to the gradient, [size].
  template <class Real>
  void add(std::int64_t row, const Real* numbers, double times, std::span<double> gradient) const {
    for (std::int32_t i = first(row); i < end(row); ++i) gradient[static_cast<std::size_t>(i)] += double(numbers[label(i)]) * times;
  }

  // Calls visit(number of the weight, place) for all weights, in order.
  template <class Visit>
  void each(Visit visit) const {
    if (stride_ == 1) return each_from(0, room_, visit);
    for (std::size_t row = 0; row + 1 < first_.size(); ++row) {
      for (std::int32_t i = first_[row]; i < first_[row + 1]; ++i) visit(i, static_cast<std::int64_t>(row) * stride_ + label(i));
    }
  }
  // So for the weights at `count` places from `place` on; only if stride is 1.
  template <class Visit>
  void each_from(std::int64_t place, std::int64_t count, Visit visit) const {
    std::int32_t number = rank(place);
    const std::int64_t end = place + count;
    for (std::int64_t word = place / 64; word * 64 < end; ++word) {
      std::uint64_t left = bits_[static_cast<std::size_t>(word)];
      if (word * 64 < place) left &= ~std::uint64_t{0} << (place - word * 64);
      for (; left != 0; left &= left - 1) {
        const std::int64_t at = word * 64 + std::countr_zero(left);
        if (at >= end) return;
        visit(number++, at);
      }
    }
  }

 private:
  void keep_labels(const std::vector<bool>& there) {
    first_.push_back(0);
    for (std::size_t place = 0; place < there.size(); ++place) {
      if (there[place]) labels_.push_back(static_cast<std::int16_t>(place % static_cast<std::size_t>(stride_)));
      if ((place + 1) % static_cast<std::size_t>(stride_) == 0) first_.push_back(static_cast<std::int32_t>(labels_.size()));
    }
    labels_.shrink_to_fit();
    size_ = static_cast<std::int64_t>(labels_.size());
    room_ = (static_cast<std::int64_t>(first_.size()) - 1) * stride_;
  }
  void keep_bits(const std::vector<bool>& there) {
    room_ = static_cast<std::int64_t>(there.size());
    bits_.assign(there.size() / 64 + 1, 0);
    for (std::size_t place = 0; place < there.size(); ++place) bits_[place / 64] |= std::uint64_t{there[place]} << (place % 64);
    for (const std::uint64_t word : bits_) {
      before_.push_back(static_cast<std::int32_t>(size_));
      size_ += std::popcount(word);
    }
  }
  // How many weights come before a place.
  std::int32_t rank(std::int64_t place) const noexcept {
    const auto word = static_cast<std::size_t>(place / 64);
    return before_[word] + std::popcount(bits_[word] & ((std::uint64_t{1} << (place % 64)) - 1));
  }

  std::int64_t stride_, size_ = 0, room_ = 0;
  std::vector<std::int32_t> first_;   // [rows + 1] number of the first weight of each row
  std::vector<std::int16_t> labels_;  // [size] the label of each weight
  std::vector<std::uint64_t> bits_;   // if stride is 1: whether each place holds a weight,
  std::vector<std::int32_t> before_;  // and how many weights come before each word of bits
};

}  // namespace riata
