// A vector of numbers per token, as features with values: number j of a vector is the value of one named feature, the same for all tokens.
// The numbers stay where their owner has them, in single or half precision; nothing is copied.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

namespace riata {

// The number that a half-precision pattern of bits stands for, which must be finite.
inline float widened(std::uint16_t half) noexcept {
  const std::uint32_t sign = std::uint32_t{half & 0x8000u} << 16, rest = half & 0x7FFFu;
  // Shifted into place, the exponent lacks 112; a product adds it, which is right for denormal numbers, too.
  const float magnitude = std::bit_cast<float>(rest << 13) * 0x1p112f;
  return std::bit_cast<float>(sign | std::bit_cast<std::uint32_t>(magnitude));
}

struct TokenVectors {
  static constexpr std::int64_t together = 4;  // tokens that are read at once

  std::vector<const void*> rows;      // [N] the numbers of each token, float or half
  bool half = false;                  // whether they have half precision
  std::vector<std::int32_t> columns;  // [F] which numbers are features, in ascending order
  std::vector<std::int32_t> names;    // [F] the named feature that each is the value of
  std::shared_ptr<const void> owner;  // of the numbers

  bool empty() const noexcept { return rows.empty(); }
  std::int64_t size() const noexcept { return static_cast<std::int64_t>(columns.size()); }

  float at(std::int64_t token, std::int32_t column) const noexcept {
    const void* row = rows[static_cast<std::size_t>(token)];
    return half ? widened(static_cast<const std::uint16_t*>(row)[column]) : static_cast<const float*>(row)[column];
  }
  // Calls visit(named feature, value) for the numbers of a token that are not 0.
  template <class Visit>
  void each(std::int64_t token, Visit visit) const {
    for (std::size_t k = 0; k < columns.size(); ++k) {
      const float value = at(token, columns[k]);
      if (value != 0) visit(names[k], value);
    }
  }

  // The numbers of up to `together` tokens, of which features `first` to `end` - 1 are widened into `room` where they have half precision.
  // out: [count]
  void read(std::int64_t token, std::int64_t count, std::size_t first, std::size_t end, std::vector<float>& room, const float** out) const {
    const std::size_t from = first < end ? static_cast<std::size_t>(columns[first]) : 0;
    const std::size_t width = first < end ? static_cast<std::size_t>(columns[end - 1]) + 1 : 0;
    if (half) room.resize(static_cast<std::size_t>(together) * width);
    for (std::int64_t i = 0; i < count; ++i) {
      const void* row = rows[static_cast<std::size_t>(token + i)];
      if (!half) {
        out[i] = static_cast<const float*>(row);
        continue;
      }
      float* wide = room.data() + static_cast<std::size_t>(i) * width;
      const auto* narrow = static_cast<const std::uint16_t*>(row);
      for (std::size_t j = from; j < width; ++j) wide[j] = widened(narrow[j]);
      out[i] = wide;
    }
  }
};

}  // namespace riata
