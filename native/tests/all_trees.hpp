// All trees of short sentences, by enumeration of heads.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "inference/structures/dependency_tree.hpp"

namespace riata::test {

using Heads = std::vector<std::int32_t>;  // from 0; -1: the root

inline bool is_projective(const Heads& heads) {
  for (std::size_t a = 0; a < heads.size(); ++a) {
    for (std::size_t b = 0; b < heads.size(); ++b) {
      const auto x = static_cast<std::int32_t>(a), y = static_cast<std::int32_t>(b);
      const std::int32_t first = std::min(heads[a], x), end = std::max(heads[a], x), other = std::min(heads[b], y);
      if (first < other && other < end && end < std::max(heads[b], y)) return false;
    }
  }
  return true;
}

inline std::vector<Heads> all_trees(std::int32_t length, bool projective) {
  std::vector<Heads> found;
  Heads heads(static_cast<std::size_t>(length), -1);
  while (true) {
    if (is_dependency_tree(heads) && (!projective || is_projective(heads))) found.push_back(heads);
    std::size_t t = 0;
    while (t < heads.size() && ++heads[t] == length) heads[t++] = -1;
    if (t == heads.size()) return found;
  }
}

inline std::int32_t loss(const Heads& truth, const Heads& heads) {
  std::int32_t sum = 0;
  for (std::size_t t = 0; t < truth.size(); ++t) sum += truth[t] != heads[t];
  return sum;
}

}  // namespace riata::test
