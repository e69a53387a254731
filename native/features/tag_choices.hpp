// The tags that a token may have.
#pragma once

#include <cstdint>
#include <vector>

namespace riata {

// Sets of tags, and the set of every token. Tags of a set are increasing; no set is empty. If there are no sets, a token may have all tags.
struct TagChoices {
  std::vector<std::int32_t> starts;  // [sets + 1] where each set begins in `tags`
  std::vector<std::int32_t> tags;
  std::vector<std::int32_t> of;  // [N] number of the token's set
  std::int32_t count = 0;        // tags are smaller than this
};

}  // namespace riata
