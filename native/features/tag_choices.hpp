// The tags, or on chains the labels, that a token may have by a dictionary of words.
#pragma once

#include <algorithm>
#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "core/alphabet.hpp"

namespace riata {

// Sets of tags, and the set of every token. Tags of a set are increasing or, if they are ranked, the likeliest comes first; no set is
// empty. If there are no sets, a token may have all tags.
struct TagChoices {
  std::vector<std::int32_t> starts;  // [sets + 1] where each set begins in `tags`
  std::vector<std::int32_t> tags;
  std::vector<std::int32_t> of;  // [N] number of the token's set
  std::int32_t count = 0;        // tags are smaller than this
  bool ranked = false;

  std::span<const std::int32_t> of_token(std::int64_t n) const noexcept {
    const auto set = static_cast<std::size_t>(of[static_cast<std::size_t>(n)]);
    return {tags.data() + starts[set], tags.data() + starts[set + 1]};
  }

  // Whether it is as the comment says, for this number of tokens.
  bool fits(std::int64_t tokens) const {
    const auto sets = static_cast<std::int32_t>(starts.size()) - 1;
    bool ok = static_cast<std::int64_t>(of.size()) == tokens && sets >= 1 && starts.front() == 0;
    ok = ok && starts.back() == static_cast<std::int32_t>(tags.size());
    for (std::int32_t s = 0; ok && s < sets; ++s) {
      const std::int32_t low = starts[s], high = starts[s + 1];
      ok = low >= 0 && low < high && high <= static_cast<std::int32_t>(tags.size());
      for (std::int32_t k = low; ok && k < high; ++k) {
        ok = tags[k] >= 0 && tags[k] < count;
        ok = ok && (ranked ? std::count(tags.begin() + low, tags.begin() + k, tags[k]) == 0 : k == low || tags[k - 1] < tags[k]);
      }
    }
    for (const std::int32_t set : of) ok = ok && set >= 0 && set < sets;
    return ok;
  }
};

// The sets of words. Words that are not among these may have all tags.
struct WordChoices {
  Alphabet words;
  TagChoices sets;  // of: by word; the first set has all tags. If there are no sets, all words may have all tags.

  std::int32_t of(std::string_view word) const noexcept {
    const std::int32_t id = words.find(word);
    return id < 0 ? 0 : sets.of[static_cast<std::size_t>(id)];
  }
};

}  // namespace riata
