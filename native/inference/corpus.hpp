// A corpus as structures read it: sentences with looked-up features, and their true outputs.
#pragma once

#include <cstdint>
#include <span>

#include "features/index.hpp"
#include "features/instances.hpp"

namespace riata {

// An output as numbers, one per token. The structure defines their meaning: a label; the code of the segment that starts at the token, -1
// inside a segment; a tag combined with a chunk label.
using Codes = std::span<const std::int32_t>;

struct Corpus {
  const FeatureIndex& index;
  const Instances& instances;
  Codes gold;  // [tokens] true outputs, or empty if they are unknown

  std::int64_t sentences() const noexcept { return instances.sentences(); }
  std::int64_t length(std::int64_t s) const noexcept { return instances.length(s); }
  // The part of an array [tokens] that belongs to sentence s.
  template <class Value>
  std::span<Value> part(std::span<Value> all, std::int64_t s) const noexcept {
    return all.subspan(static_cast<std::size_t>(instances.starts[s]), static_cast<std::size_t>(instances.length(s)));
  }
  Codes gold_of(std::int64_t s) const noexcept { return gold.empty() ? Codes{} : part(gold, s); }
};

}  // namespace riata
