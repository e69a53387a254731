// The rank that a candidate needs to survive, determined while the candidates of nodes are listed.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <vector>

#include "inference/search/node.hpp"

namespace riata {

// The keys of the candidates of one node must all differ. Then as many of them survive as the width of the ranking.
class BestRanks {
 public:
  // begin() must be called for a new frontier, then begin_node() for each of its nodes.
  void begin() noexcept { least_ = -std::numeric_limits<double>::infinity(); }
  void begin_node() noexcept { best_.clear(); }

  // A candidate with a lower rank cannot survive: enough better candidates are known.
  double least() const noexcept { return least_; }

  // Adds the rank of a candidate of the node; false if it is below the bound. When there are as many ranks as candidates can survive, the
  // lowest of them becomes the bound.
  bool takes(const Ranking& ranking, const Candidate& candidate) {
    const double rank = ranking.rank(candidate);
    if (rank < least_) return false;
    auto place = best_.end();
    while (place != best_.begin() && rank > *(place - 1)) --place;
    best_.insert(place, rank);
    if (static_cast<std::int64_t>(best_.size()) > ranking.width) best_.pop_back();
    if (static_cast<std::int64_t>(best_.size()) == ranking.width) least_ = std::max(least_, best_.back());
    return true;
  }

  // Removes the candidates from `first` on that are below the bound. They were listed before the bound rose.
  void drop_hopeless(const Ranking& ranking, std::size_t first, std::vector<Candidate>& out) const {
    const auto hopeless = [&](const Candidate& candidate) { return ranking.rank(candidate) < least_; };
    out.erase(std::remove_if(out.begin() + static_cast<std::ptrdiff_t>(first), out.end(), hopeless), out.end());
  }

 private:
  std::vector<double> best_;  // highest first
  double least_ = -std::numeric_limits<double>::infinity();
};

}  // namespace riata
