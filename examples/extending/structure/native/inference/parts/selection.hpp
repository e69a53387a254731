// Outputs that have exactly so many of all parts.
#pragma once

#include <cstdint>
#include <memory>

#include "inference/parts/recursion.hpp"

namespace riata {

// The outputs with `count` of `parts` parts, as a recursion: so best, lists, sums and samples follow.
std::shared_ptr<Recursion> selection(std::int64_t parts, std::int64_t count);

}  // namespace riata
