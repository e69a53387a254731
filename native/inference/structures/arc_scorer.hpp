// The scores of all dependency arcs of a sentence, and the places of their weights.
#pragma once

#include <algorithm>
#include <cstdint>
#include <limits>
#include <span>
#include <utility>
#include <vector>

#include "core/kernels.hpp"
#include "core/numbers.hpp"
#include "features/arc_rows.hpp"
#include "features/instances.hpp"

namespace riata {

// The n-gram that is read at a position of a sentence; -1: none.
inline std::int32_t ngram_at(const Instances& instances, std::int64_t s, const NgramRead& read, std::int32_t position) noexcept {
  return instances
      .ngrams[static_cast<std::size_t>(read.family)][static_cast<std::size_t>(instances.origin(s) + position - 1 + read.offset)];
}
// The n-grams of one side of a group: -1 if the group reads none there, -2 if training has not seen it.
inline constexpr std::int32_t unseen_ngram = -2;
inline std::int32_t side_at(const Instances& instances, std::int64_t s, const NgramRead& read, std::int32_t position) noexcept {
  if (!read.reads()) return -1;
  const std::int32_t found = ngram_at(instances, s, read, position);
  return found >= 0 ? found : unseen_ngram;
}

// Positions: 0 is the root, which reads as the token before the first one; tokens are 1 to n.
template <class Real>
class ArcScorer {
 public:
  ArcScorer(const ArcTemplates& templates, const ArcRows& rows, const Instances& instances)
      : templates_(templates), rows_(rows), instances_(instances), stride_(padded(rows.relations())) {}

  std::int32_t length() const noexcept { return n_; }
  std::int32_t stride() const noexcept { return stride_; }

  // Opens a sentence; `score` then adds up what depends on one side of arcs alone.
  void open(std::int64_t s) {
    s_ = s;
    n_ = static_cast<std::int32_t>(instances_.length(s));
  }
  void score(const Real* weights, Real scale);
  // Says where the weights are now, after they have been moved.
  void moved(const Real* weights) noexcept { weights_ = weights; }

  // Calls visit(head, child, score) for all arcs. After `score`.
  template <class Visit>
  void each_arc(Visit visit);
  // Writes the scores of all relations of an arc, [stride], minus infinity for those that are not offered. After `score`.
  void relations(std::int32_t head, std::int32_t child, Real* out);

  // Calls visit(place) for all weights of an arc, and visit_row(row) for the rows of its relations. weights: such as KnownWeights.
  template <class Weights, class Visit, class VisitRow>
  void each_place(Weights& weights, std::int32_t head, std::int32_t child, Visit visit, VisitRow visit_row) const;

 private:
  std::int32_t ngram(const NgramRead& read, std::int32_t position) const noexcept { return ngram_at(instances_, s_, read, position); }
  std::int32_t side(const NgramRead& read, std::int32_t position) const noexcept { return side_at(instances_, s_, read, position); }
  void add_side(std::int32_t g, bool of_head);
  void add_rows(std::int32_t g, std::int32_t a, std::int32_t b, Real* scores);
  Real block_sum(std::int32_t g, std::int64_t place, std::int32_t way) const noexcept {
    Real sum = 0;
    templates_[g].each(way, [&](std::int32_t at) { sum += weights_[place + at]; });
    return sum;
  }

  const ArcTemplates& templates_;
  const ArcRows& rows_;
  const Instances& instances_;
  std::int32_t stride_;
  std::int64_t s_ = 0;
  std::int32_t n_ = 0;
  const Real* weights_ = nullptr;
  Real scale_ = 1;
  Numbers<Real> head_arcs_, child_arcs_;            // [n + 1][arc_ways] sums of groups that read one side
  Numbers<Real> head_relations_, child_relations_;  // [n + 1][arc_ways][stride]
  std::vector<std::int32_t> left_, right_;          // [two-sided groups][n + 1] n-grams of heads and of children
  std::vector<std::int32_t> arc_groups_, relation_groups_, between_groups_;
  struct Asked {
    std::int32_t g, number, a, b;
  };
  std::vector<Asked> asked_;  // rows to look up, and those that are there
  std::vector<PackedRow> found_;
};

// Distinct values of the tokens between two positions, as the right one moves on.
class ValuesBetween {
 public:
  void clear() noexcept { values_.clear(); }
  void add(std::int32_t value) {
    if (value >= 0 && std::ranges::find(values_, value) == values_.end()) values_.push_back(value);
  }
  std::span<const std::int32_t> values() const noexcept { return values_; }

 private:
  std::vector<std::int32_t> values_;
};

template <class Real>
void ArcScorer<Real>::add_side(std::int32_t g, bool of_head) {
  const ArcGroup& group = templates_[g];
  for (std::int32_t p = of_head ? 0 : 1; p <= n_; ++p) {
    const std::int32_t id = side(of_head ? group.head : group.child, p);
    if (id < -1) continue;
    const std::int32_t a = of_head ? id : -1, b = of_head ? -1 : id;
    const std::size_t first = static_cast<std::size_t>(p) * arc_ways;
    if (group.relation) {
      add_rows(g, a, b, (of_head ? head_relations_ : child_relations_).data() + first * static_cast<std::size_t>(stride_));
      continue;
    }
    const std::int64_t place = rows_.find(g, a, b);
    if (place == ArcRows::unknown) continue;
    for (std::int32_t way = 0; way < arc_ways; ++way)
      (of_head ? head_arcs_ : child_arcs_)[first + static_cast<std::size_t>(way)] += block_sum(g, place, way);
  }
}

// Adds the rows of a group of relations to the scores of all ways, [arc_ways][stride].
template <class Real>
void ArcScorer<Real>::add_rows(std::int32_t g, std::int32_t a, std::int32_t b, Real* scores) {
  const ArcGroup& group = templates_[g];
  found_.clear();
  for (std::int32_t number = 0; number < group.numbers(); ++number) found_.push_back(rows_.find_row(g, number, a, b));
  for (std::int32_t way = 0; way < arc_ways; ++way) {
    group.each(way, [&](std::int32_t number) {
      const PackedRow& row = found_[static_cast<std::size_t>(number)];
      if (row.known()) row.add_to(scores + std::int64_t{way} * stride_, stride_, weights_);
    });
  }
}

template <class Real>
void ArcScorer<Real>::score(const Real* weights, Real scale) {
  weights_ = weights;
  scale_ = scale;
  const std::size_t ways = static_cast<std::size_t>(n_ + 1) * arc_ways;
  for (Numbers<Real>* arcs : {&head_arcs_, &child_arcs_}) arcs->assign(ways, Real{0});
  for (Numbers<Real>* all : {&head_relations_, &child_relations_}) all->assign(ways * static_cast<std::size_t>(stride_), Real{0});
  arc_groups_.clear();
  relation_groups_.clear();
  between_groups_.clear();
  const std::size_t width = static_cast<std::size_t>(n_ + 1);
  left_.assign(width * templates_.groups().size(), unseen_ngram);
  right_.assign(width * templates_.groups().size(), unseen_ngram);
  for (std::int32_t g = 0; g < templates_.size(); ++g) {
    const ArcGroup& group = templates_[g];
    if (group.sibling.reads()) continue;
    if (!group.two_sided()) {
      add_side(g, group.head.reads() || !group.child.reads());
      continue;
    }
    (group.between >= 0 ? between_groups_ : group.relation ? relation_groups_ : arc_groups_).push_back(g);
    for (std::int32_t p = 0; p <= n_; ++p) {
      left_[static_cast<std::size_t>(g) * width + static_cast<std::size_t>(p)] = side(group.head, p);
      if (p > 0) right_[static_cast<std::size_t>(g) * width + static_cast<std::size_t>(p)] = side(group.child, p);
    }
  }
}

template <class Real>
template <class Visit>
void ArcScorer<Real>::each_arc(Visit visit) {
  const std::size_t width = static_cast<std::size_t>(n_ + 1);
  std::vector<ValuesBetween> between(between_groups_.size());
  const auto score = [&](std::int32_t h, std::int32_t c) {
    const std::int32_t way = way_of(h, c);
    Real sum = head_arcs_[static_cast<std::size_t>(h) * arc_ways + static_cast<std::size_t>(way)] +
               child_arcs_[static_cast<std::size_t>(c) * arc_ways + static_cast<std::size_t>(way)];
    const auto ids = [&](std::int32_t g) {
      const std::size_t row = static_cast<std::size_t>(g) * width;
      return std::pair(left_[row + static_cast<std::size_t>(h)], right_[row + static_cast<std::size_t>(c)]);
    };
    for (const std::int32_t g : arc_groups_) {
      const auto [a, b] = ids(g);
      if (a != unseen_ngram && b != unseen_ngram) rows_.prefetch(g, a, b);
    }
    for (const std::int32_t g : arc_groups_) {
      const auto [a, b] = ids(g);
      if (a == unseen_ngram || b == unseen_ngram) continue;
      const std::int64_t place = rows_.find(g, a, b);
      if (place != ArcRows::unknown) sum += block_sum(g, place, way);
    }
    for (std::size_t k = 0; k < between_groups_.size(); ++k) {
      const std::int32_t g = between_groups_[k];
      const auto [a, b] = ids(g);
      if (a == unseen_ngram || b == unseen_ngram || between[k].values().empty()) continue;
      const std::int32_t pair = rows_.find_pair(g, a, b);
      if (pair < 0) continue;
      for (const std::int32_t value : between[k].values()) {
        const std::int64_t place = rows_.find(g, pair, value);
        if (place != ArcRows::unknown) sum += block_sum(g, place, way);
      }
    }
    visit(h, c, scale_ * sum);
  };
  for (std::int32_t i = 0; i < n_; ++i) {
    for (ValuesBetween& values : between) values.clear();
    for (std::int32_t j = i + 1; j <= n_; ++j) {
      if (j > i + 1) {
        for (std::size_t k = 0; k < between.size(); ++k) between[k].add(ngram({templates_[between_groups_[k]].between, 0}, j - 1));
      }
      score(i, j);
      if (i > 0) score(j, i);
    }
  }
}

template <class Real>
void ArcScorer<Real>::relations(std::int32_t head, std::int32_t child, Real* out) {
  const std::size_t width = static_cast<std::size_t>(n_ + 1);
  const std::int32_t way = way_of(head, child);
  const auto one_side = [&](const Numbers<Real>& all, std::int32_t p) {
    return all.data() + (static_cast<std::size_t>(p) * arc_ways + static_cast<std::size_t>(way)) * static_cast<std::size_t>(stride_);
  };
  asked_.clear();
  for (const std::int32_t g : relation_groups_) {
    const std::size_t row = static_cast<std::size_t>(g) * width;
    const std::int32_t a = left_[row + static_cast<std::size_t>(head)], b = right_[row + static_cast<std::size_t>(child)];
    if (a == unseen_ngram || b == unseen_ngram) continue;
    templates_[g].each(way, [&](std::int32_t number) {
      rows_.prefetch_row(g, number, a, b);
      asked_.push_back({g, number, a, b});
    });
  }
  found_.clear();
  for (const Asked& of : asked_) {
    const PackedRow row = rows_.find_row(of.g, of.number, of.a, of.b);
    if (!row.known()) continue;
    __builtin_prefetch(weights_ + row.few.place());
    found_.push_back(row);
  }
  const Real *of_head = one_side(head_relations_, head), *of_child = one_side(child_relations_, child);
  for (std::int32_t r = 0; r < stride_; ++r) out[r] = of_head[r] + of_child[r];
  for (const PackedRow& row : found_) row.add_to(out, stride_, weights_);
  for (std::int32_t r = 0; r < stride_; ++r) out[r] *= scale_;
  for (const std::int32_t r : rows_.offered.refused(head)) out[r] = -std::numeric_limits<Real>::infinity();
}

template <class Real>
template <class Weights, class Visit, class VisitRow>
void ArcScorer<Real>::each_place(Weights& weights, std::int32_t head, std::int32_t child, Visit visit, VisitRow visit_row) const {
  const std::int32_t way = way_of(head, child);
  const auto give = [&](const ArcGroup& group, std::int64_t place) {
    if (place != ArcRows::unknown) group.each(way, [&](std::int32_t number) { visit(place + number); });
  };
  for (std::int32_t g = 0; g < templates_.size(); ++g) {
    const ArcGroup& group = templates_[g];
    if (group.sibling.reads()) continue;
    const std::int32_t a = side(group.head, head), b = side(group.child, child);
    if (a == unseen_ngram || b == unseen_ngram) continue;
    if (group.relation) {
      group.each(way, [&](std::int32_t number) {
        if (const auto row = weights.row(g, number, a, b); row.known()) visit_row(row);
      });
      continue;
    }
    if (group.between < 0) {
      give(group, weights.place(g, a, b));
      continue;
    }
    ValuesBetween values;
    for (std::int32_t p = std::min(head, child) + 1; p < std::max(head, child); ++p) values.add(ngram({group.between, 0}, p));
    if (values.values().empty()) continue;
    const std::int32_t pair = weights.pair(g, a, b);
    if (pair < 0) continue;
    for (const std::int32_t value : values.values()) give(group, weights.place(g, pair, value));
  }
}

}  // namespace riata
