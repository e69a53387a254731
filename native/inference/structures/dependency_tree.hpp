// Which heads form a tree.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace riata {

// Whether heads form one tree with one root. Heads count tokens from 0; -1 is the root.
inline bool is_dependency_tree(std::span<const std::int32_t> heads) {
  const auto length = static_cast<std::int32_t>(heads.size());
  std::vector<std::int32_t> seen(heads.size(), -1);  // the token from which each token was first met
  std::int32_t roots = 0;
  for (std::int32_t t = 0; t < length; ++t) {
    roots += heads[static_cast<std::size_t>(t)] == -1;
    for (std::int32_t at = t; at != -1; at = heads[static_cast<std::size_t>(at)]) {
      if (at < -1 || at >= length || seen[static_cast<std::size_t>(at)] == t) return false;
      if (seen[static_cast<std::size_t>(at)] >= 0) break;
      seen[static_cast<std::size_t>(at)] = t;
    }
  }
  return roots == 1;
}

}  // namespace riata
