// One step of a beam over a chain: from the nodes of a position, the best steps onto the next. Nodes that go on alike
// once a label is chosen form a group, and of each group only the best step onto a label is kept, as in Viterbi's algorithm.
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
    std::size_t from;    // which node, in order of insertion
    const Real* row;     // what a step from that node onto each label adds
    std::int64_t group;  // the group of that node
    ActionId label;
    bool good;  // whether it is the step from the y-good node onto the true label
  };

  ChainLevel(std::int32_t labels, std::int32_t stride) : labels_(labels), stride_(stride) {}

  // Room for so many nodes, which are then to be set in this order.
  void open(std::size_t nodes) {
    nodes_.resize(nodes);
    scores_.resize(nodes);
    rows_.resize(nodes);
    sorted_ = true;
  }

  // Node i: its score, what a step from it onto each label adds, and the group it belongs to.
  void set(std::size_t i, Real score, const Real* row, std::int64_t group, bool good) noexcept {
    sorted_ = sorted_ && (i == 0 || nodes_[i - 1].group <= group);
    nodes_[i] = {i, group, good};
    scores_[i] = score;
    rows_[i] = row;
  }

  // The best `width` steps, best first; or all steps, in the order of the nodes and then of the labels, if there are no more.
  // `own` is what the position itself gives to each label. Ties: against the truth, then in that order. The truth (-1:
  // unknown) is `margin` lower if the y-good node steps onto it.
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
    std::size_t place;  // in order of insertion
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

  // The best score onto each (group, label).
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
        if (nodes_[i].good) good_ = i;  // y-good nodes of one position have one past, so there is at most one
      }
      if (good_ < from || good_ >= to) continue;
      truth_entry_ = static_cast<std::int32_t>(g) * stride_ + truth;
      Real other = -std::numeric_limits<Real>::infinity();
      for (std::size_t i = from; i < to; ++i) {
        if (i != good_) other = std::max(other, score(i, truth));
      }
      const Real lowered = score(good_, truth) - margin;
      if (lowered > other) good_entry_ = truth_entry_;  // at a tie the truth is lost
      ranks_[truth_entry_] = std::max(lowered, other);
    }
  }

  // With one group, as is usual, an entry is a label.
  std::int32_t group(std::int32_t entry) const noexcept { return begins_.size() == 2 ? 0 : entry / stride_; }
  ActionId label(std::int32_t entry) const noexcept { return begins_.size() == 2 ? entry : entry % stride_; }
  Real score(std::size_t node, ActionId label) const noexcept { return scores_[node] + (rows_[node][label] + own_[label]); }

  // The node from which an entry is reached best: the first that gives the maximum, found again.
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

  // Every entry that can be reached.
  std::size_t select_all() {
    survivors_.clear();
    for (std::int32_t e = 0; e < static_cast<std::int32_t>(ranks_.size()); ++e) {
      if (ranks_[e] != -std::numeric_limits<Real>::infinity()) survivors_.push_back(e);
    }
    if (nodes_.size() == 1) return survivors_.size();  // in the order of the labels already
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

  // Puts every entry where its rank belongs, without a branch; false where some of the first `width` tie or cannot be reached.
  bool place_untied(std::size_t width) {
    survivors_.assign(ranks_.size(), -1);
    for (std::size_t e = 0; e < ranks_.size(); ++e) survivors_[static_cast<std::size_t>(places_[e])] = static_cast<std::int32_t>(e);
    // A tie leaves the next place empty. What cannot be reached ties with the padding.
    return std::none_of(survivors_.begin(), survivors_.begin() + static_cast<std::ptrdiff_t>(width) + 1,
                        [](std::int32_t e) { return e < 0; });
  }

  // Puts every entry where its rank belongs, where some ranks tie: these fill the places from their common one on, and are put in order
  // there. Returns how many entries there are.
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

  // Sorts entries of any ranks by insertion; returns how many there are.
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
      if (kept > few) {  // many survive: by halves
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

  static constexpr std::int32_t few = 64;  // entries, up to which comparing all with all is fastest

  std::int32_t labels_, stride_;
  std::vector<Member> nodes_;      // by group
  std::vector<Real> scores_;       // [nodes]
  std::vector<const Real*> rows_;  // [nodes] rows [stride]
  bool sorted_ = true;
  std::vector<std::size_t> begins_;  // of the groups, then the number of nodes
  const Real* own_ = nullptr;
  std::vector<Real> ranks_;        // [groups][stride]; an entry is a place in it
  std::size_t good_ = 0;           // the y-good node
  std::int32_t truth_entry_ = -1;  // the truth in its group
  std::int32_t good_entry_ = -1;   // the truth in its group if it is reached best from the y-good node, else -1
  std::vector<Rank<Real>> places_;
  std::vector<std::int32_t> survivors_;
  std::vector<Step> steps_;
};

}  // namespace riata
