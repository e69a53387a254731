// The projective tree that a parser without crossing arcs learns in the place of any tree.
#pragma once

#include <algorithm>
#include <cstdint>
#include <limits>
#include <span>
#include <vector>

namespace riata {

// Heads count tokens from 0; -1 is the root.
class ProjectiveTarget {
 public:
  // Whether heads form one tree with one root.
  static bool is_tree(std::span<const std::int32_t> heads) {
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

  // Moves arcs upwards until none crosses another: the shortest arc that covers a token which is not below its head gets the head of its
  // head (Nivre & Nilsson 2005, without their labels). Returns how many tokens have another head afterwards.
  std::int32_t lift(std::vector<std::int32_t>& heads) {
    const std::vector<std::int32_t> before = heads;
    while (true) {
      number(heads);
      std::int32_t shortest = std::numeric_limits<std::int32_t>::max(), chosen = -1;
      for (std::int32_t t = 0; t < static_cast<std::int32_t>(heads.size()); ++t) {
        const std::int32_t head = heads[static_cast<std::size_t>(t)], length = std::abs(head - t);
        if (head >= 0 && length < shortest && !covers_its_own(head, t)) {
          shortest = length;
          chosen = t;
        }
      }
      if (chosen < 0) break;
      heads[static_cast<std::size_t>(chosen)] = heads[static_cast<std::size_t>(heads[static_cast<std::size_t>(chosen)])];
    }
    std::int32_t moved = 0;
    for (std::size_t t = 0; t < heads.size(); ++t) moved += heads[t] != before[t];
    return moved;
  }

 private:
  // Numbers tokens in an order in which every token stands before all that are below it, and these directly after it.
  void number(const std::vector<std::int32_t>& heads) {
    const std::size_t length = heads.size();
    counts_.assign(length, 1);
    entered_.assign(length, -1);
    next_.assign(length, 0);
    std::vector<std::vector<std::int32_t>> children(length);
    std::vector<std::int32_t> order;
    for (std::size_t t = 0; t < length; ++t) {
      if (heads[t] < 0)
        order.push_back(static_cast<std::int32_t>(t));
      else
        children[static_cast<std::size_t>(heads[t])].push_back(static_cast<std::int32_t>(t));
    }
    for (std::size_t i = 0; i < order.size(); ++i) {
      for (const std::int32_t child : children[static_cast<std::size_t>(order[i])]) order.push_back(child);
    }
    for (std::size_t i = order.size(); i-- > 1;)
      counts_[static_cast<std::size_t>(heads[static_cast<std::size_t>(order[i])])] += counts_[static_cast<std::size_t>(order[i])];
    for (const std::int32_t t : order) {
      const std::int32_t head = heads[static_cast<std::size_t>(t)];
      const auto at = static_cast<std::size_t>(t);
      entered_[at] = head < 0 ? 0 : next_[static_cast<std::size_t>(head)];
      next_[at] = entered_[at] + 1;
      if (head >= 0) next_[static_cast<std::size_t>(head)] += counts_[at];
    }
  }

  bool covers_its_own(std::int32_t head, std::int32_t child) const noexcept {
    const auto h = static_cast<std::size_t>(head);
    for (std::int32_t t = std::min(head, child) + 1; t < std::max(head, child); ++t) {
      const std::int32_t entered = entered_[static_cast<std::size_t>(t)];
      if (entered < entered_[h] || entered >= entered_[h] + counts_[h]) return false;
    }
    return true;
  }

  std::vector<std::int32_t> counts_, entered_, next_;  // [tokens] how many are below or itself; its number; the number of its next child
};

}  // namespace riata
