// The states that a search has expanded, for queues that take nodes one by one and meet states again.
#pragma once

#include <algorithm>
#include <cstdint>
#include <unordered_map>

#include "inference/search/node.hpp"

namespace riata {

// States are expanded anew only with a better score, and not even then by blind queues. The y-good path is not merged into another one.
class Expanded {
 public:
  explicit Expanded(bool blind) : blind_(blind) {}

  void clear() noexcept { scores_.clear(); }

  // Whether a node is to be expanded; it counts as expanded from then on.
  bool is_new(std::int64_t key, const Node& node) {
    const auto [place, fresh] = scores_.emplace(key, node.score);
    if (!fresh && (blind_ || place->second >= node.score) && !node.good) return false;
    place->second = std::max(place->second, node.score);
    return true;
  }

  // Whether a candidate leads nowhere new.
  bool is_known(const Candidate& candidate) const {
    const auto same = scores_.find(candidate.key);
    return !candidate.good && same != scores_.end() && (blind_ || same->second >= candidate.score);
  }

 private:
  bool blind_;
  std::unordered_map<std::int64_t, double> scores_;  // the best with which a state was expanded, by key
};

}  // namespace riata
