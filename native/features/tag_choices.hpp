// Which tags a token may have.
#pragma once

#include <cstdint>
#include <vector>

namespace riata {

// Sets of tags, each increasing and not empty, and the set of every token. Without sets, all tags.
struct TagChoices {
  std::vector<std::int32_t> starts;  // [sets + 1]
  std::vector<std::int32_t> tags;
  std::vector<std::int32_t> of;  // [N]
  std::int32_t count = 0;        // tags are below this
};

}  // namespace riata
