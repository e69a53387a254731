// The best spanning tree, the second best, and so on: there is no recursion over spanning trees, so each comes from a new search.
#pragma once

#include <cmath>
#include <cstdint>
#include <optional>
#include <queue>
#include <utility>
#include <vector>

#include "inference/exact/spanning_tree.hpp"

namespace riata {

// Trees are divided into sets of which each has its best tree on record (Murty 1968; Lawler 1972). Arcs may have further scores of their
// own, such as one per relation: those on the table have rank 0, the others ranks from 1 on.
template <class Real>
class SpanningTreeList : public SpanningTree<Real> {
 public:
  // Siblings are never scored.
  void open_list(const ArcScores<Real>& arcs, const SiblingScores<Real>&) {
    arcs_ = arcs;
    sets_ = {};
    started_ = false;
  }
  // Calls visit(head, child, rank) for the arcs of the next tree, and returns its score; nothing after the last. further(head, child,
  // rank): the score of an arc, or nothing if it has no such rank.
  template <class Further, class Visit>
  std::optional<double> next(Further further, Visit visit) {
    if (!std::exchange(started_, true)) add({}, 0, {}, further);
    if (sets_.empty()) return std::nullopt;
    const Set top = sets_.top();
    sets_.pop();
    for (std::int32_t t = top.fixed; t < arcs_.length(); ++t) {
      std::vector<Arc> without;
      if (t == top.fixed) without = top.without;
      without.push_back(top.best[static_cast<std::size_t>(t)]);
      add(top.best, t, std::move(without), further);
    }
    std::int32_t child = 0;
    for (const auto& [head, rank] : top.best) visit(head, ++child, rank);
    return top.score;
  }

 private:
  struct Arc {
    std::int32_t head, rank;
  };
  // The trees whose first tokens have fixed arcs, and whose next token has none of some arcs.
  struct Set {
    double score;
    std::vector<Arc> best;
    std::int32_t fixed;
    std::vector<Arc> without;
    bool operator<(const Set& other) const noexcept { return score < other.score; }
  };

  // Finds the best tree of a set. The ranks of a head that it is without are the first ones, since better arcs were found before.
  template <class Further>
  void add(const std::vector<Arc>& arcs, std::int32_t fixed, std::vector<Arc> without, Further further) {
    const std::int32_t n = arcs_.length();
    ArcScores<Real> scores = arcs_;
    for (std::int32_t t = 0; t < fixed; ++t) {
      const auto [head, rank] = arcs[static_cast<std::size_t>(t)];
      for (std::int32_t h = 0; h <= n; ++h) scores(h, t + 1) = ArcScores<Real>::forbidden;
      scores(head, t + 1) = *further(head, t + 1, rank);
    }
    for (const auto& [head, rank] : without)
      scores(head, fixed + 1) = further(head, fixed + 1, rank + 1).value_or(ArcScores<Real>::forbidden);
    Set set{0, std::vector<Arc>(static_cast<std::size_t>(n)), fixed, std::move(without)};
    heads_.resize(set.best.size());
    set.score = this->best(scores, heads_);
    if (std::isinf(set.score)) return;
    for (std::size_t t = 0; t < set.best.size(); ++t) set.best[t] = {heads_[t], 0};
    for (std::int32_t t = 0; t < fixed; ++t) set.best[static_cast<std::size_t>(t)].rank = arcs[static_cast<std::size_t>(t)].rank;
    for (const Arc& arc : set.without) {
      if (Arc& here = set.best[static_cast<std::size_t>(fixed)]; arc.head == here.head) here.rank = arc.rank + 1;
    }
    sets_.push(std::move(set));
  }

  ArcScores<Real> arcs_;
  bool started_ = false;
  std::priority_queue<Set> sets_;
  std::vector<std::int32_t> heads_;
};

}  // namespace riata
