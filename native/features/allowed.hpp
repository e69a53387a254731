// Which labels tokens may have, where something is known of them.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace riata {

struct Allowed {
  std::vector<std::uint8_t> sets;  // [M][width] flags; a set allows something of each label
  std::size_t width = 0;           // of chains, one flag per label; of segments, as LegalSegments takes them
  std::vector<std::int32_t> of;    // [N] the set of a token, -1: it may have any label; empty: nothing is known of any

  // Whether something is known of these tokens.
  bool knows(std::int64_t first, std::int64_t length) const noexcept {
    return !of.empty() && std::any_of(of.begin() + first, of.begin() + first + length, [](std::int32_t set) { return set >= 0; });
  }
  // The flags of a token; nullptr where nothing is known of it.
  const std::uint8_t* at(std::int64_t token) const noexcept {
    const std::int32_t set = of[static_cast<std::size_t>(token)];
    return set < 0 ? nullptr : sets.data() + static_cast<std::size_t>(set) * width;
  }
};

}  // namespace riata
