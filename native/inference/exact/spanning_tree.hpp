// Dependency trees that may have crossing arcs, with one root: the best tree and sums over all trees.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <span>
#include <vector>

#include "core/numbers.hpp"
#include "inference/exact/arc_scores.hpp"
#include "inference/exact/spanning_tree_logarithms.hpp"

namespace riata {

// The best spanning tree (Chu & Liu 1965; Edmonds 1967; McDonald et al. 2005), by contracting cycles in a square table. So that one token
// is under the root, scores are compared first by the number of arcs from the root, of which fewer are better.
template <class Real>
class SpanningTree {
 public:
  // Writes the head of every token, [n], and returns the score; minus infinity if no tree is allowed.
  double best(const ArcScores<Real>& arcs, std::span<std::int32_t> heads);
  // Siblings are never scored: with them, the best tree cannot be found in polynomial time (McDonald & Pereira 2006).
  double best(const ArcScores<Real>& arcs, const SiblingScores<Real>&, std::span<std::int32_t> heads) { return best(arcs, heads); }

 private:
  // A score of an arc relative to others. Arcs that are not allowed are never chosen if there are others.
  struct Relative {
    double roots = 0, score = 0;  // roots: minus the number of arcs from the root
    bool operator>(const Relative& other) const noexcept { return roots > other.roots || (roots == other.roots && score > other.score); }
    Relative minus(const Relative& other) const noexcept {
      if (std::isinf(score)) return *this;
      return {roots - other.roots, std::isinf(other.score) ? score : score - other.score};
    }
  };
  struct Cell {
    Relative value;
    std::int32_t from = 0, to = 0;  // the arc that it stands for
  };

  Cell& cell(std::int32_t head, std::int32_t child) noexcept {
    return cells_[static_cast<std::size_t>(child) * width_ + static_cast<std::size_t>(head)];
  }
  void fill(const ArcScores<Real>& arcs);
  void choose(std::int32_t child);
  void contract(const std::vector<std::int32_t>& cycle, std::int32_t made);

  std::size_t width_ = 0;
  std::vector<Cell> cells_;           // [child][head] of tokens and contracted cycles
  std::vector<std::int32_t> head_;    // [nodes] the best head of each node
  std::vector<Cell> chosen_;          // [nodes] the arc to it
  std::vector<std::int32_t> parent_;  // [nodes] the cycle that a node was contracted into; -1: none
  std::vector<bool> active_;
};

template <class Real>
void SpanningTree<Real>::fill(const ArcScores<Real>& arcs) {
  const std::int32_t n = arcs.length();
  width_ = static_cast<std::size_t>(2 * n + 1);
  cells_.assign(width_ * width_, {{0, -std::numeric_limits<double>::infinity()}, 0, 0});
  for (std::int32_t c = 1; c <= n; ++c) {
    for (std::int32_t h = 0; h <= n; ++h) {
      if (h != c) cell(h, c) = {{h == 0 ? -1.0 : 0.0, double(arcs(h, c))}, h, c};
    }
  }
  head_.assign(width_, -1);
  chosen_.assign(width_, {});
  parent_.assign(width_, -1);
  active_.assign(width_, false);
  for (std::int32_t p = 0; p <= n; ++p) active_[static_cast<std::size_t>(p)] = true;
}

template <class Real>
void SpanningTree<Real>::choose(std::int32_t child) {
  std::int32_t best = -1;
  for (std::int32_t h = 0; h < static_cast<std::int32_t>(width_); ++h) {
    if (!active_[static_cast<std::size_t>(h)] || h == child || std::isinf(cell(h, child).value.score)) continue;
    if (best < 0 || cell(h, child).value > cell(best, child).value) best = h;
  }
  head_[static_cast<std::size_t>(child)] = best;
  if (best >= 0) chosen_[static_cast<std::size_t>(child)] = cell(best, child);
}

// Replaces a cycle by one node. An arc into the cycle takes the place of the arc of the cycle to the same node.
template <class Real>
void SpanningTree<Real>::contract(const std::vector<std::int32_t>& cycle, std::int32_t made) {
  for (const std::int32_t member : cycle) {
    active_[static_cast<std::size_t>(member)] = false;
    parent_[static_cast<std::size_t>(member)] = made;
  }
  for (std::int32_t other = 0; other < made; ++other) {
    if (!active_[static_cast<std::size_t>(other)]) continue;
    Cell into{{0, -std::numeric_limits<double>::infinity()}, 0, 0}, out = into;
    bool found_into = false, found_out = false;
    for (const std::int32_t member : cycle) {
      Cell in = cell(other, member);
      in.value = in.value.minus(chosen_[static_cast<std::size_t>(member)].value);
      if (!std::isinf(in.value.score) && (!found_into || in.value > into.value)) {
        into = in;
        found_into = true;
      }
      if (other == 0) continue;
      const Cell& away = cell(member, other);
      if (!std::isinf(away.value.score) && (!found_out || away.value > out.value)) {
        out = away;
        found_out = true;
      }
    }
    cell(other, made) = into;
    if (other != 0) cell(made, other) = out;
  }
  active_[static_cast<std::size_t>(made)] = true;
}

template <class Real>
double SpanningTree<Real>::best(const ArcScores<Real>& arcs, std::span<std::int32_t> heads) {
  const std::int32_t n = arcs.length();
  const double none = -std::numeric_limits<double>::infinity();
  fill(arcs);
  std::int32_t made = n + 1;
  std::vector<std::int32_t> todo, seen(width_, 0);
  for (std::int32_t c = n; c >= 1; --c) todo.push_back(c);
  std::int32_t walk = 0;
  while (!todo.empty()) {
    const std::int32_t start = todo.back();
    todo.pop_back();
    if (!active_[static_cast<std::size_t>(start)]) continue;
    if (head_[static_cast<std::size_t>(start)] < 0) choose(start);
    if (head_[static_cast<std::size_t>(start)] < 0) return none;
    // Goes up until the root, a node without a head so far, or a node that was met before.
    ++walk;
    std::int32_t at = start;
    const auto top = [&](std::int32_t node) {
      while (parent_[static_cast<std::size_t>(node)] >= 0) node = parent_[static_cast<std::size_t>(node)];
      return node;
    };
    while (at != 0 && seen[static_cast<std::size_t>(at)] != walk && head_[static_cast<std::size_t>(at)] >= 0) {
      seen[static_cast<std::size_t>(at)] = walk;
      at = top(head_[static_cast<std::size_t>(at)]);
    }
    if (at == 0 || seen[static_cast<std::size_t>(at)] != walk) continue;
    std::vector<std::int32_t> cycle;
    for (std::int32_t node = at; cycle.empty() || node != at; node = top(head_[static_cast<std::size_t>(node)])) cycle.push_back(node);
    contract(cycle, made);
    todo.push_back(made++);
  }
  // Opens the cycles again, the last one first: the arc into a cycle replaces one of its arcs.
  for (std::int32_t node = made - 1; node > n; --node) {
    // The arc into this cycle ends at a token; the member of the cycle that has this token takes the arc.
    std::int32_t member = chosen_[static_cast<std::size_t>(node)].to;
    while (parent_[static_cast<std::size_t>(member)] != node) member = parent_[static_cast<std::size_t>(member)];
    chosen_[static_cast<std::size_t>(member)] = chosen_[static_cast<std::size_t>(node)];
  }
  double score = 0;
  std::int32_t roots = 0;
  for (std::int32_t c = 1; c <= n; ++c) {
    const std::int32_t head = chosen_[static_cast<std::size_t>(c)].from;
    heads[static_cast<std::size_t>(c - 1)] = head;
    score += double(arcs(head, c));
    roots += head == 0;
  }
  return roots == 1 ? score : none;
}

// Sums over all trees with one root, by eliminating one token after the other (a form of the matrix-tree theorem; Koo et al. 2007). log Z
// is found without subtractions, so that probabilities near 0 and 1 cost no precision. The probabilities of arcs are its derivatives. Sums
// are in factors; in logarithms if scores differ so much that factors could underflow.
class SpanningTreeSums {
 public:
  // Returns log Z; minus infinity if no tree is allowed. `shares` becomes the probabilities of arcs.
  double operator()(const ArcScores<double>& arcs, const SiblingScores<double>&, ArcScores<double>& shares, SiblingScores<double>&) {
    n_ = arcs.length();
    shares.open(n_, 0.0);
    const std::int32_t root = known_root(arcs);
    if (root < 0) return -std::numeric_limits<double>::infinity();
    if (root <= 1) return sum(arcs, shares);
    // The last token that stays must be the root, so it changes places with the first one.
    const auto place = [&](std::int32_t p) { return p == 1 ? root : p == root ? 1 : p; };
    ArcScores<double> turned, found;
    turned.open(n_);
    found.open(n_, 0.0);
    for (std::int32_t c = 1; c <= n_; ++c) {
      for (std::int32_t h = 0; h <= n_; ++h) turned(place(h), place(c)) = arcs(h, c);
    }
    const double log_z = sum(turned, found);
    for (std::int32_t c = 1; c <= n_; ++c) {
      for (std::int32_t h = 0; h <= n_; ++h) shares(h, c) = found(place(h), place(c));
    }
    return log_z;
  }

 private:
  // The token that only the root may head; 0: there is none; -1: there are several.
  std::int32_t known_root(const ArcScores<double>& arcs) const noexcept {
    std::int32_t found = 0;
    for (std::int32_t c = 1; c <= n_; ++c) {
      bool free = false;
      for (std::int32_t h = 1; h <= n_; ++h) free = free || (h != c && !std::isinf(arcs(h, c)));
      if (free) continue;
      if (found > 0) return -1;
      found = c;
    }
    return found;
  }

  double sum(const ArcScores<double>& arcs, ArcScores<double>& shares) {
    if (differ_much(arcs)) return in_logarithms_(arcs, shares);
    width_ = static_cast<std::size_t>(n_ + 1);
    weights_.assign(width_ * width_, 0);
    double log_z = 0;
    for (std::int32_t c = 1; c <= n_; ++c) {
      const double unit = unit_of(arcs, c);
      if (!std::isfinite(unit)) return unit;
      log_z += unit;
      for (std::int32_t h = 0; h <= n_; ++h) {
        if (h != c) at(weights_, h, c) = std::exp(arcs(h, c) - unit);
      }
    }
    log_z += eliminate();
    if (!std::isfinite(log_z)) return in_logarithms_(arcs, shares);
    differentiate();
    for (std::int32_t c = 1; c <= n_; ++c) {
      const double unit = unit_of(arcs, c);
      for (std::int32_t h = 0; h <= n_; ++h)
        shares(h, c) = h == c ? 0 : std::clamp(at(slopes_, h, c) * std::exp(arcs(h, c) - unit), 0.0, 1.0);
    }
    return log_z;
  }

  // Whether factors could underflow or overflow.
  bool differ_much(const ArcScores<double>& arcs) const noexcept {
    constexpr double most = 200;
    for (std::int32_t c = 1; c <= n_; ++c) {
      const double unit = unit_of(arcs, c);
      for (std::int32_t h = 0; h <= n_; ++h) {
        if (h != c && std::isfinite(arcs(h, c)) && std::abs(arcs(h, c) - unit) > most) return true;
      }
    }
    return false;
  }
  // The score that counts as 1 among the arcs to a token: the highest one of those that do not come from the root, if there are such.
  double unit_of(const ArcScores<double>& arcs, std::int32_t c) const noexcept {
    double highest = -std::numeric_limits<double>::infinity();
    for (std::int32_t h = 1; h <= n_; ++h) {
      if (h != c) highest = std::max(highest, arcs(h, c));
    }
    return std::isinf(highest) && highest < 0 ? arcs(0, c) : highest;
  }
  double& at(std::vector<double>& table, std::int32_t head, std::int32_t child) noexcept {
    return table[static_cast<std::size_t>(child) * width_ + static_cast<std::size_t>(head)];
  }

  // Token v is eliminated: a tree goes through it from each of its heads, other than the root, to each of its children. The root is met
  // once, so its arcs count to first order only. Returns the logarithm of the sum; rows and columns of eliminated tokens stay as they were
  // at their elimination.
  double eliminate() {
    totals_.assign(width_, 0);
    double log_sum = 0;
    for (std::int32_t v = n_; v > 1; --v) {
      double total = 0;
      for (std::int32_t h = 1; h < v; ++h) total += at(weights_, h, v);
      if (!(total > 0)) return -std::numeric_limits<double>::infinity();
      totals_[static_cast<std::size_t>(v)] = total;
      log_sum += std::log(total);
      for (std::int32_t c = 1; c < v; ++c) {
        const double share = at(weights_, v, c) / total;
        if (share == 0) continue;
        for (std::int32_t h = 0; h < v; ++h) {
          if (h != c) at(weights_, h, c) += at(weights_, h, v) * share;
        }
      }
    }
    return log_sum + std::log(at(weights_, 0, 1));
  }

  // slopes: the derivative of log Z by each weight, from the last elimination to the first.
  void differentiate() {
    slopes_.assign(width_ * width_, 0);
    at(slopes_, 0, 1) = 1 / at(weights_, 0, 1);
    for (std::int32_t v = 2; v <= n_; ++v) {
      const double total = totals_[static_cast<std::size_t>(v)];
      double of_total = 1 / total;
      for (std::int32_t c = 1; c < v; ++c) {
        const double weight = at(weights_, v, c);
        double of_share = 0;
        for (std::int32_t h = 0; h < v; ++h) {
          if (h == c) continue;
          of_share += at(slopes_, h, c) * at(weights_, h, v);
          at(slopes_, h, v) += at(slopes_, h, c) * weight / total;
        }
        at(slopes_, v, c) += of_share / total;
        of_total -= of_share * weight / (total * total);
      }
      for (std::int32_t h = 1; h < v; ++h) at(slopes_, h, v) += of_total;
    }
  }

  std::int32_t n_ = 0;
  std::size_t width_ = 0;
  std::vector<double> weights_, slopes_, totals_;
  SpanningTreeLogarithms in_logarithms_;
};

}  // namespace riata
