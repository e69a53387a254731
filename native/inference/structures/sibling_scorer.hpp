// The scores of children beside their siblings, and the places of their weights.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "core/numbers.hpp"
#include "features/arc_rows.hpp"
#include "features/instances.hpp"
#include "inference/corpus.hpp"
#include "inference/exact/arc_scores.hpp"
#include "inference/structures/arc_scorer.hpp"

namespace riata {

// Finds the siblings of a tree.
class SiblingsOfTree {
 public:
  // Calls visit(head, sibling, child) for every token: of the children that its head has on the same side, its sibling is the next one on
  // the way to the head; 0 if there is none.
  template <class Visit>
  void operator()(Codes tree, std::int32_t relations, Visit visit) {
    const auto n = static_cast<std::int32_t>(tree.size());
    const auto next = [&](std::int32_t child, bool right) {
      const std::int32_t head = tree[static_cast<std::size_t>(child - 1)] / relations;
      if ((head < child) != right) return;
      std::int32_t& last = last_[static_cast<std::size_t>(head)];
      visit(head, last, child);
      last = child;
    };
    last_.assign(tree.size() + 1, 0);
    for (std::int32_t c = 1; c <= n; ++c) next(c, true);
    last_.assign(tree.size() + 1, 0);
    for (std::int32_t c = n; c >= 1; --c) next(c, false);
  }

 private:
  std::vector<std::int32_t> last_;  // [n + 1] the last child of every head so far
};

template <class Real>
class SiblingScorer {
 public:
  SiblingScorer(const ArcTemplates& templates, const ArcRows& rows, const Instances& instances)
      : templates_(templates), rows_(rows), instances_(instances) {
    for (std::int32_t g = 0; g < templates.size(); ++g) {
      if (templates[g].sibling.reads()) groups_.push_back(g);
    }
  }

  bool reads() const noexcept { return !groups_.empty(); }
  void open(std::int64_t s) {
    s_ = s;
    n_ = static_cast<std::int32_t>(instances_.length(s));
  }

  // Scores all siblings of the sentence; none if the templates do not read them.
  void score(const Real* weights, Real scale, SiblingScores<Real>& out) {
    if (groups_.empty()) return out.close();
    weights_ = weights;
    scale_ = scale;
    out.open(n_, Real{0});
    pairs_.open(n_, Real{0});
    for (const std::int32_t g : groups_) {
      if (templates_[g].head.reads())
        add_triples(g, out);
      else
        add_pairs(g, out);
    }
    for (std::int32_t c = 1; c <= n_; ++c) {
      for (std::int32_t h = 1; h <= n_; ++h) {
        if (h == c) continue;
        Real* row = out.row(h, c);
        for (std::int32_t k = std::min(h, c) + 1; k < std::max(h, c); ++k) *row++ += pairs_(k, c);
      }
    }
  }

  // Calls visit(place) for all weights of a child and its sibling, which is 0 if there is none. weights: such as KnownWeights.
  template <class Weights, class Visit>
  void each_place(Weights& weights, std::int32_t head, std::int32_t sibling, std::int32_t child, Visit visit) const {
    const std::int32_t way = way_of(sibling == 0 ? head : sibling, child);
    for (const std::int32_t g : groups_) {
      const ArcGroup& group = templates_[g];
      const std::int32_t a = side(group.head, head), b = side(group.child, child), x = sibling == 0 ? -1 : side(group.sibling, sibling);
      if (a == unseen_ngram || b == unseen_ngram || x == unseen_ngram) continue;
      const std::int32_t pair = weights.pair(g, a, b);
      const std::int64_t place = pair < 0 ? ArcRows::unknown : weights.place(g, pair, x);
      if (place != ArcRows::unknown) group.each(way, [&](std::int32_t number) { visit(place + number); });
    }
  }

 private:
  static constexpr std::int64_t not_asked = -2;
  static constexpr std::size_t most_asked = std::size_t{1} << 22;  // n-grams of head, child and sibling whose blocks are remembered

  // The different n-grams that one side of a group reads in the sentence, and which of them stands at each position.
  struct Distinct {
    std::vector<std::int32_t> ids, at;  // at: [n + 1] index of ids; -1: training has not seen the n-gram
  };

  std::int32_t side(const NgramRead& read, std::int32_t position) const noexcept { return side_at(instances_, s_, read, position); }

  Real value(const ArcGroup& group, std::int64_t place, std::int32_t way) const noexcept {
    Real sum = 0;
    group.each(way, [&](std::int32_t at) { sum += weights_[place + at]; });
    return scale_ * sum;
  }

  // A group that reads child and sibling alone.
  void add_pairs(std::int32_t g, SiblingScores<Real>& out) {
    const ArcGroup& group = templates_[g];
    for (std::int32_t c = 1; c <= n_; ++c) {
      const std::int32_t b = side(group.child, c), pair = b == unseen_ngram ? -1 : rows_.find_pair(g, -1, b);
      if (pair < 0) continue;
      const std::int64_t alone = rows_.find(g, pair, -1);
      for (std::int32_t p = 0; p <= n_; ++p) {
        if (p == c) continue;
        if (alone != ArcRows::unknown) out.first(p, c) += value(group, alone, way_of(p, c));
        const std::int32_t x = p == 0 ? unseen_ngram : side(group.sibling, p);
        const std::int64_t place = x == unseen_ngram ? ArcRows::unknown : rows_.find(g, pair, x);
        if (place != ArcRows::unknown) pairs_(p, c) += value(group, place, way_of(p, c));
      }
    }
  }

  Distinct distinct(const NgramRead& read) const {
    Distinct out;
    out.at.assign(static_cast<std::size_t>(n_) + 1, -1);
    for (std::int32_t p = 0; p <= n_; ++p) {
      const std::int32_t id = side(read, p);
      if (id == unseen_ngram) continue;
      const auto found = std::ranges::find(out.ids, id);
      out.at[static_cast<std::size_t>(p)] = static_cast<std::int32_t>(found - out.ids.begin());
      if (found == out.ids.end()) out.ids.push_back(id);
    }
    return out;
  }

  // A group that also reads the head. Blocks are looked up once for all tokens with the same n-grams.
  void add_triples(std::int32_t g, SiblingScores<Real>& out) {
    const ArcGroup& group = templates_[g];
    const Distinct heads = distinct(group.head), children = distinct(group.child), siblings = distinct(group.sibling);
    const std::size_t width = siblings.ids.size() + 1;  // the last one: no sibling
    const bool remembered = heads.ids.size() * children.ids.size() * width <= most_asked;
    asked_.assign(remembered ? heads.ids.size() * children.ids.size() * width : width, not_asked);
    for (std::int32_t c = 1; c <= n_; ++c) {
      const std::int32_t b = children.at[static_cast<std::size_t>(c)];
      for (std::int32_t h = 0; b >= 0 && h <= n_; ++h) {
        const std::int32_t a = heads.at[static_cast<std::size_t>(h)];
        if (h == c || a < 0) continue;
        const std::int32_t pair = rows_.find_pair(g, heads.ids[static_cast<std::size_t>(a)], children.ids[static_cast<std::size_t>(b)]);
        if (pair < 0) continue;
        if (!remembered) std::ranges::fill(asked_, not_asked);
        std::int64_t* asked =
            asked_.data() +
            (remembered ? (static_cast<std::size_t>(a) * children.ids.size() + static_cast<std::size_t>(b)) * width : std::size_t{0});
        const auto place = [&](std::size_t x) {
          if (asked[x] == not_asked) asked[x] = rows_.find(g, pair, x + 1 == width ? -1 : siblings.ids[x]);
          return asked[x];
        };
        if (const std::int64_t alone = place(width - 1); alone != ArcRows::unknown) out.first(h, c) += value(group, alone, way_of(h, c));
        if (h == 0) continue;
        Real* row = out.row(h, c);
        for (std::int32_t k = std::min(h, c) + 1; k < std::max(h, c); ++k, ++row) {
          const std::int32_t x = siblings.at[static_cast<std::size_t>(k)];
          const std::int64_t found = x < 0 ? ArcRows::unknown : place(static_cast<std::size_t>(x));
          if (found != ArcRows::unknown) *row += value(group, found, way_of(k, c));
        }
      }
    }
  }

  const ArcTemplates& templates_;
  const ArcRows& rows_;
  const Instances& instances_;
  std::vector<std::int32_t> groups_;
  std::int64_t s_ = 0;
  std::int32_t n_ = 0;
  const Real* weights_ = nullptr;
  Real scale_ = 1;
  ArcScores<Real> pairs_;            // of child and sibling, without the head
  std::vector<std::int64_t> asked_;  // places of blocks, by n-grams of head, child and sibling
};

}  // namespace riata
