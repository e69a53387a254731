// The states that a search has expanded, for queues that take nodes one by one and can reach a state again.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <unordered_map>
#include <vector>

#include "inference/search/node.hpp"

namespace riata {

// A state is expanded again only if its score is better; blind queues never expand a state again. The y-good path is never merged into
// another one.
class Expanded {
 public:
  explicit Expanded(bool blind) : blind_(blind) {}

  void clear() noexcept { scores_.clear(); }

  // Calls expand(node), which appends candidates to out, for the nodes of a frontier that are not goals. remembers: whether nodes and
  // candidates whose states were expanded before are left out. key(node): the key of its state.
  template <class Key, class Expand>
  void each(const Tree& tree, std::span<const NodeId> frontier, bool remembers, Key key, Expand expand, std::vector<Candidate>& out) {
    for (const NodeId id : frontier) {
      if (tree[id].goal || (remembers && !is_new(key(id), tree[id]))) continue;
      const auto first = static_cast<std::ptrdiff_t>(out.size());
      expand(id);
      if (remembers) out.erase(std::remove_if(out.begin() + first, out.end(), [&](const Candidate& c) { return is_known(c); }), out.end());
    }
  }

 private:
  // Whether a node must be expanded. It counts as expanded from then on.
  bool is_new(std::int64_t key, const Node& node) {
    const auto [place, fresh] = scores_.emplace(key, node.score);
    if (!fresh && (blind_ || place->second >= node.score) && !node.good) return false;
    place->second = std::max(place->second, node.score);
    return true;
  }

  // Whether a candidate leads to a state that was expanded before with at least the same score.
  bool is_known(const Candidate& candidate) const {
    const auto same = scores_.find(candidate.key);
    return !candidate.good && same != scores_.end() && (blind_ || same->second >= candidate.score);
  }

  bool blind_;
  std::unordered_map<std::int64_t, double> scores_;  // by key of a state: the best score with which it was expanded
};

}  // namespace riata
