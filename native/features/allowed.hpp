// The labels that tokens may have, for tokens of which something is known.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <vector>

namespace riata {

struct Allowed {
  std::vector<std::uint8_t> sets;  // [M][width] flags, one set after the other
  std::size_t width = 0;           // in chains, one flag per label; in segments, the flags that LegalSegments takes
  std::vector<std::int32_t> of;    // [N] number of the token's set, -1: it may have any label; empty: nothing is known of any token

  // Whether any of the `length` tokens from `first` on has a set.
  bool knows(std::int64_t first, std::int64_t length) const noexcept {
    return !of.empty() && std::any_of(of.begin() + first, of.begin() + first + length, [](std::int32_t set) { return set >= 0; });
  }
  // The flags of a token's set, [width]; nullptr if the token may have any label.
  const std::uint8_t* at(std::int64_t token) const noexcept {
    const std::int32_t set = of[static_cast<std::size_t>(token)];
    return set < 0 ? nullptr : sets.data() + static_cast<std::size_t>(set) * width;
  }
  // In chains, sets the scores of labels that a token may not have to minus infinity. scores: [width].
  template <class Real>
  void forbid(std::int64_t token, Real* scores) const noexcept {
    const std::uint8_t* flags = of.empty() ? nullptr : at(token);
    for (std::size_t j = 0; flags != nullptr && j < width; ++j) {
      if (!flags[j]) scores[j] = -std::numeric_limits<Real>::infinity();
    }
  }
};

}  // namespace riata
