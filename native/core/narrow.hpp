// A view of integers of 8, 16 or 32 bits, as files store them. The storage must outlive the view.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace riata {

class Narrow {
 public:
  Narrow() = default;
  template <class T>
  explicit Narrow(std::span<const T> numbers) noexcept : data_(numbers.data()), size_(numbers.size()), bytes_(sizeof(T)) {
    static_assert(sizeof(T) == 1 || sizeof(T) == 2 || sizeof(T) == 4);
  }
  template <class T>
  explicit Narrow(const std::vector<T>& numbers) noexcept : Narrow(std::span<const T>(numbers)) {}

  std::size_t size() const noexcept { return size_; }
  bool empty() const noexcept { return size_ == 0; }

  // A 32-bit -1 is returned as 2^32 - 1.
  std::uint32_t operator[](std::size_t i) const noexcept {
    if (bytes_ == 1) return static_cast<const std::uint8_t*>(data_)[i];
    if (bytes_ == 2) return static_cast<const std::uint16_t*>(data_)[i];
    return static_cast<const std::uint32_t*>(data_)[i];
  }

  // Calls work(span) with a span of the numbers' own type, for loops over many numbers.
  template <class Work>
  auto with(Work work) const {
    if (bytes_ == 1) return work(std::span(static_cast<const std::uint8_t*>(data_), size_));
    if (bytes_ == 2) return work(std::span(static_cast<const std::uint16_t*>(data_), size_));
    return work(std::span(static_cast<const std::uint32_t*>(data_), size_));
  }

 private:
  const void* data_ = nullptr;
  std::size_t size_ = 0;
  int bytes_ = 4;
};

}  // namespace riata
