// The rank that a candidate needs to survive, found while the candidates of nodes are listed.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <vector>

#include "inference/search/node.hpp"

namespace riata {

// The keys of the candidates of one node must all differ, so that as many of them survive as the ranking is wide.
class BestRanks {
 public:
  // To be called for a new frontier, and then for each of its nodes.
  void begin() noexcept { least_ = -std::numeric_limits<double>::infinity(); }
  void begin_node() noexcept { best_.clear(); }

  // The bound: a candidate of a lower rank comes behind as many others as can survive.
  double least() const noexcept { return least_; }

  // Takes the rank of a candidate of the node; false where it is below the bound. Once there are as many ranks as candidates can survive,
  // the least of them is the bound.
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

  // Removes the candidates from `first` on that are below the bound: they may have been listed before it was known.
  void drop_hopeless(const Ranking& ranking, std::size_t first, std::vector<Candidate>& out) const {
    const auto hopeless = [&](const Candidate& candidate) { return ranking.rank(candidate) < least_; };
    out.erase(std::remove_if(out.begin() + static_cast<std::ptrdiff_t>(first), out.end(), hopeless), out.end());
  }

 private:
  std::vector<double> best_;  // highest first
  double least_ = -std::numeric_limits<double>::infinity();
};

}  // namespace riata
