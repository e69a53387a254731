// The steps of a batch of chains, in the order in which their expectations are added up.
#pragma once

#include <algorithm>
#include <cstdint>
#include <span>
#include <vector>

namespace riata {

// Steps of one context are added up together, in chunks of bounded size.
struct StepChunks {
  struct Chunk {
    std::int32_t context;
    std::int64_t low, high;  // low to high - 1 in `order`
  };
  std::vector<std::int32_t> order;  // rows of the batch's tables to which a step leads, sorted by context
  std::vector<Chunk> chunks;

  // contexts: [rows] the context of the step to each row; -1: there is no step.
  explicit StepChunks(std::span<const std::int32_t> contexts) {
    constexpr std::int64_t most = 1 << 12;
    for (std::int32_t row = 0; row < static_cast<std::int32_t>(contexts.size()); ++row) {
      if (contexts[static_cast<std::size_t>(row)] >= 0) order.push_back(row);
    }
    const auto context = [&](std::int32_t row) { return contexts[static_cast<std::size_t>(row)]; };
    std::stable_sort(order.begin(), order.end(), [&](std::int32_t a, std::int32_t b) { return context(a) < context(b); });
    const auto count = static_cast<std::int64_t>(order.size());
    const auto at = [&](std::int64_t k) { return context(order[static_cast<std::size_t>(k)]); };
    for (std::int64_t low = 0, high = 0; low < count; low = high) {
      while (high < count && high - low < most && at(high) == at(low)) ++high;
      chunks.push_back({at(low), low, high});
    }
  }
};

}  // namespace riata
