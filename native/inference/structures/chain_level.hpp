// One step of a beam over a chain: the best steps from the nodes of a position to the next position. Nodes whose continuations are the same
// once the next label is chosen form a group. Of each group, only the best step to each label is kept, as in Viterbi's algorithm.
#pragma once

#include <algorithm>
#include <cstdint>
#include <limits>
#include <numeric>
#include <span>
#include <utility>
#include <vector>

#include "core/kernels.hpp"
#include "inference/search/node.hpp"

namespace riata {

template <class Real>
class ChainLevel {
 public:
  struct Step {
    std::size_t from;    // number of the node, in order of insertion
    const Real* row;     // [stride] what a step from that node to each label adds to the score
    std::int64_t group;  // the group of that node
    ActionId label;
    bool good;  // whether this is the step from the y-good node to the true label
  };

  explicit ChainLevel(std::int32_t labels) : labels_(labels), stride_(padded(labels)) {}

  // Makes room for this number of nodes. All of them must then be set, in order.
  void open(std::size_t nodes) {
    nodes_.resize(nodes);
    scores_.resize(nodes);
    rows_.resize(nodes);
    sorted_ = true;
  }

  // Sets node i: its score, what a step from it to each label adds, [stride], its group, and whether it is y-good.
  void set(std::size_t i, Real score, const Real* row, std::int64_t group, bool good) noexcept {
    sorted_ = sorted_ && (i == 0 || nodes_[i - 1].group <= group);
    nodes_[i] = {i, group, good};
    scores_[i] = score;
    rows_[i] = row;
  }

  // The best `width` steps, best first; if there are no more than `width`, all steps, in the order of nodes and then of labels. own:
  // [stride] what the position itself adds for each label. At a tie, the true step comes last; the others come in the order of nodes and
  // labels. truth: the true label, -1 if it is unknown; the score of the step to it from the y-good node is lowered by `margin`.
  std::span<const Step> best(const Real* own, ActionId truth, Real margin, std::int64_t width) {
    if (!sorted_) sort();
    rank(own, truth, margin);
    const auto all = static_cast<std::int64_t>(begins_.size() - 1) * labels_;
    const std::size_t kept = width >= all ? select_all() : select_best(static_cast<std::size_t>(width));
    if (steps_.size() < kept) steps_.resize(kept);
    for (std::size_t k = 0; k < kept; ++k) {
      const std::int32_t entry = survivors_[k];
      const std::size_t from = parent(entry);
      steps_[k] = {nodes_[from].place, rows_[from], nodes_[from].group, label(entry), entry == good_entry_};
    }
    return {steps_.data(), kept};
  }

 private:
  struct Member {
    std::size_t place;  // number in order of insertion
    std::int64_t group;
    bool good;
  };

  void sort() {
    std::vector<std::size_t> order(nodes_.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) { return nodes_[a].group < nodes_[b].group; });
    const auto permute = [&](auto& values) {
      auto copy = values;
      for (std::size_t i = 0; i < order.size(); ++i) values[i] = copy[order[i]];
    };
    permute(nodes_);
    permute(scores_);
    permute(rows_);
  }

  // Computes the best score of a step to each (group, label).
  void rank(const Real* own, ActionId truth, Real margin) {
    own_ = own;
    begins_.assign(1, 0);
    for (std::size_t i = 1; i < nodes_.size(); ++i) {
      if (nodes_[i].group != nodes_[i - 1].group) begins_.push_back(i);
    }
    begins_.push_back(nodes_.size());
    ranks_.resize((begins_.size() - 1) * stride_);
    good_ = nodes_.size();
    good_entry_ = truth_entry_ = -1;
    for (std::size_t g = 0; g + 1 < begins_.size(); ++g) {
      const std::size_t from = begins_[g], to = begins_[g + 1];
      max_plus(scores_.data() + from, rows_.data() + from, static_cast<std::int64_t>(to - from), own, stride_, ranks_.data() + g * stride_);
      if (truth < 0) continue;
      for (std::size_t i = from; i < to; ++i) {
        if (nodes_[i].good) good_ = i;  // the y-good nodes of a position share one path, so there is at most one
      }
      if (good_ < from || good_ >= to) continue;
      truth_entry_ = static_cast<std::int32_t>(g) * stride_ + truth;
      Real other = -std::numeric_limits<Real>::infinity();
      for (std::size_t i = from; i < to; ++i) {
        if (i != good_) other = std::max(other, score(i, truth));
      }
      const Real lowered = score(good_, truth) - margin;
      if (lowered > other) good_entry_ = truth_entry_;  // at a tie the true step loses
      ranks_[truth_entry_] = std::max(lowered, other);
    }
  }

  // An entry is a place in ranks_. If there is one group, as is usual, the entry is the label.
  std::int32_t group(std::int32_t entry) const noexcept { return begins_.size() == 2 ? 0 : entry / stride_; }
  ActionId label(std::int32_t entry) const noexcept { return begins_.size() == 2 ? entry : entry % stride_; }
  Real score(std::size_t node, ActionId label) const noexcept { return scores_[node] + (rows_[node][label] + own_[label]); }

  // The node of the best step to an entry: the first one whose score equals the maximum.
  std::size_t parent(std::int32_t entry) const noexcept {
    if (entry == good_entry_) return good_;
    const ActionId onto = label(entry);
    const auto g = static_cast<std::size_t>(group(entry));
    std::size_t i = begins_[g];
    while (i + 1 < begins_[g + 1] && (score(i, onto) != ranks_[entry] || (entry == truth_entry_ && i == good_))) ++i;
    return i;
  }

  bool before(std::int32_t a, std::int32_t b) const noexcept {
    if (ranks_[a] != ranks_[b]) return ranks_[a] > ranks_[b];
    if (a == good_entry_ || b == good_entry_) return b == good_entry_;
    const std::size_t x = nodes_[parent(a)].place, y = nodes_[parent(b)].place;
    return x != y ? x < y : label(a) < label(b);
  }

  // Selects all entries that can be reached.
  std::size_t select_all() {
    survivors_.clear();
    for (std::int32_t e = 0; e < static_cast<std::int32_t>(ranks_.size()); ++e) {
      if (ranks_[e] != -std::numeric_limits<Real>::infinity()) survivors_.push_back(e);
    }
    if (nodes_.size() == 1) return survivors_.size();  // already in the order of the labels
    std::vector<std::size_t> from(ranks_.size());
    for (const std::int32_t e : survivors_) from[e] = nodes_[parent(e)].place;
    std::sort(survivors_.begin(), survivors_.end(),
              [&](std::int32_t a, std::int32_t b) { return from[a] != from[b] ? from[a] < from[b] : label(a) < label(b); });
    return survivors_.size();
  }

  std::size_t select_best(std::size_t width) {
    if (ranks_.size() > few) return select(width);
    places_.resize(ranks_.size());
    const auto entries = static_cast<std::int32_t>(ranks_.size());
    count_better(ranks_.data(), entries, entries, places_.data());
    return place_untied(width) ? width : place_tied(width);
  }

  // Puts every entry at the place that its rank gives, without branches. Returns false if any of the first `width` entries tie or cannot be
  // reached.
  bool place_untied(std::size_t width) {
    survivors_.assign(ranks_.size(), -1);
    for (std::size_t e = 0; e < ranks_.size(); ++e) survivors_[static_cast<std::size_t>(places_[e])] = static_cast<std::int32_t>(e);
    // A tie leaves the next place empty. Entries that cannot be reached tie with the padding.
    return std::none_of(survivors_.begin(), survivors_.begin() + static_cast<std::ptrdiff_t>(width) + 1,
                        [](std::int32_t e) { return e < 0; });
  }

  // Puts every entry at the place that its rank gives, if there are ties. Entries that tie fill the places from their common place on, and
  // are sorted there. Returns the number of entries that are selected.
  std::size_t place_tied(std::size_t width) {
    survivors_.assign(ranks_.size(), -1);
    for (std::size_t e = 0; e < ranks_.size(); ++e) {
      auto place = static_cast<std::size_t>(places_[e]);
      if (place >= width || ranks_[e] == -std::numeric_limits<Real>::infinity()) continue;
      while (survivors_[place] >= 0) ++place;
      survivors_[place] = static_cast<std::int32_t>(e);
    }
    std::size_t kept = 0;
    while (kept < width && survivors_[kept] >= 0) {
      const std::size_t from = kept++;
      for (; kept < survivors_.size() && survivors_[kept] >= 0 && ranks_[survivors_[kept]] == ranks_[survivors_[from]]; ++kept) {
        for (std::size_t k = kept; k > from && before(survivors_[k], survivors_[k - 1]); --k) std::swap(survivors_[k], survivors_[k - 1]);
      }
    }
    return std::min(kept, width);
  }

  // Selects the best entries by insertion sort, for any number of entries. Returns the number of entries that are selected.
  std::size_t select(std::size_t width) {
    survivors_.resize(ranks_.size());
    std::size_t kept = 0;
    for (std::int32_t e = 0; e < static_cast<std::int32_t>(ranks_.size()); ++e) {
      if (ranks_[e] == -std::numeric_limits<Real>::infinity()) continue;
      if (kept == width) {
        if (!before(e, survivors_[kept - 1])) continue;
        --kept;
      }
      std::size_t place = kept++;
      if (kept > few) {  // if many survive, by binary search
        place = static_cast<std::size_t>(std::upper_bound(survivors_.begin(), survivors_.begin() + static_cast<std::ptrdiff_t>(place), e,
                                                          [&](std::int32_t x, std::int32_t y) { return before(x, y); }) -
                                         survivors_.begin());
        std::copy_backward(survivors_.begin() + static_cast<std::ptrdiff_t>(place),
                           survivors_.begin() + static_cast<std::ptrdiff_t>(kept) - 1,
                           survivors_.begin() + static_cast<std::ptrdiff_t>(kept));
      } else {
        for (; place > 0 && before(e, survivors_[place - 1]); --place) survivors_[place] = survivors_[place - 1];
      }
      survivors_[place] = e;
    }
    return kept;
  }

  static constexpr std::int32_t few = 64;  // number of entries up to which comparing all pairs is fastest

  std::int32_t labels_, stride_;
  std::vector<Member> nodes_;      // sorted by group
  std::vector<Real> scores_;       // [nodes]
  std::vector<const Real*> rows_;  // [nodes] rows of [stride]
  bool sorted_ = true;
  std::vector<std::size_t> begins_;  // [groups + 1] first node of each group, then the number of nodes
  const Real* own_ = nullptr;
  std::vector<Real> ranks_;        // [groups][stride] best scores; an entry is a place in it
  std::size_t good_ = 0;           // the y-good node
  std::int32_t truth_entry_ = -1;  // the entry of the true label in the group of the y-good node
  std::int32_t good_entry_ = -1;   // the same entry if the y-good node reaches it best, otherwise -1
  std::vector<Rank<Real>> places_;
  std::vector<std::int32_t> survivors_;
  std::vector<Step> steps_;
};

}  // namespace riata
