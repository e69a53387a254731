// The k best segmentations under scores that read at most one label back.
#pragma once

#include <algorithm>
#include <cstdint>
#include <functional>
#include <limits>
#include <utility>
#include <vector>

#include "inference/exact/semi_markov.hpp"

namespace riata {

// Every state keeps its k best paths instead of one: O(k T (most L + L^2)). The first segmentation is that of SemiMarkov, including ties.
template <class Real>
class SemiMarkovKBest {
 public:
  SemiMarkovKBest(const SegmentCoding& coding, std::int32_t order) : coding_(coding), stride_(coding.stride()), order_(order) {}

  // Finds the k best segmentations of the open sentence, or all if there are fewer; returns their number. Steps: see SemiMarkov. poll:
  // called at intervals, if it is given; throws to end the search.
  template <class Steps>
  std::int64_t open(Steps& steps, std::int64_t k, std::function<void()> poll = {}) {
    k_ = static_cast<std::size_t>(k);
    poll_ = std::move(poll);
    length_ = steps.length();
    const std::size_t size = std::size_t(length_ + 1) * coding_.labels;
    clear(ends_, size);
    clear(starts_, order_ == 0 ? std::size_t(length_) + 1 : size);
    for (std::int32_t t = 0; t < length_; ++t) {
      enter(steps, t);
      const Real* spans = steps.spans(t);
      for (Length l(1); l <= steps.lengths(t); ++l)
        for (LabelId y(0); y.number() < coding_.labels; ++y)
          if (const Real score = spans[(l.place() - 1) * stride_ + y.place()]; score != -std::numeric_limits<Real>::infinity())
            leave(t, l, y, double(score));
    }
    best_.clear();
    for (LabelId y(0); y.number() < coding_.labels; ++y) gather(end(length_, y), y.number(), 0, best_);
    return static_cast<std::int64_t>(best_.size());
  }

  // Writes the codes of the segmentation with this rank to codes, [T], -1 inside segments, and returns its score.
  double operator()(std::int64_t rank, std::int32_t* codes) {
    std::fill_n(codes, length_, -1);
    Way way = best_[static_cast<std::size_t>(rank)];
    const double score = way.score;
    for (std::int32_t t = length_;;) {
      const LabelId label(way.step);
      const Way segment = end(t, label)[static_cast<std::size_t>(way.rank)];
      t -= segment.step;
      codes[t] = coding_.code(Length(segment.step), label);
      if (t == 0) return score;
      way = start(t, label)[static_cast<std::size_t>(segment.rank)];
    }
  }

 private:
  // A path to the end of a segment, where step is the segment's length; or to the start of one, where step is the label of the segment
  // before. rank: which path it extends.
  struct Way {
    double score;
    std::int32_t step;
    std::int64_t rank;
    bool operator<(const Way& other) const noexcept {  // the better path comes first; at a tie the shorter segment, or the lower label
      if (score != other.score) return score > other.score;
      return step != other.step ? step < other.step : rank < other.rank;
    }
  };
  using Ways = std::vector<Way>;  // best first, at most k

  static constexpr double never = -std::numeric_limits<double>::infinity();
  static constexpr std::size_t few = 32, polled = 1'000'000;

  static void clear(std::vector<Ways>& cells, std::size_t size) {
    if (cells.size() < size) cells.resize(size);
    for (std::size_t i = 0; i < size; ++i) cells[i].clear();
  }
  Ways& end(std::int32_t t, LabelId y) { return ends_[std::size_t(t) * coding_.labels + y.place()]; }
  Ways& start(std::int32_t t, LabelId y) { return starts_[order_ == 0 ? std::size_t(t) : std::size_t(t) * coding_.labels + y.place()]; }

  // Adds a path if it is among the k best; returns whether it is.
  bool take(Ways& ways, const Way& way) const {
    if (ways.size() == k_ && !(way < ways.back())) return false;
    if (ways.size() == k_) ways.pop_back();
    ways.insert(std::upper_bound(ways.begin(), ways.end(), way), way);
    return true;
  }
  // Extends each of several paths by one step. Many paths are merged, few are inserted one by one.
  void gather(const Ways& from, std::int32_t step, double score, Ways& to) {
    const auto on = [&](std::size_t r) { return Way{from[r].score + score, step, static_cast<std::int64_t>(r)}; };
    std::size_t count = score == never ? 0 : from.size();
    while (count > 0 && on(count - 1).score == never) --count;  // a sum of finite scores can be minus infinity
    if (count > few) return merge(count, on, to);
    for (std::size_t r = 0; r < count; ++r)
      if (!take(to, on(r))) break;
  }
  template <class On>
  void merge(std::size_t count, On on, Ways& to) {
    if (poll_ && (merges_ += count + to.size()) > polled) {
      merges_ = 0;
      poll_();
    }
    merged_.clear();
    for (std::size_t r = 0, old = 0; merged_.size() < k_ && (r < count || old < to.size());) {
      if (r == count || (old < to.size() && to[old] < on(r)))
        merged_.push_back(to[old++]);
      else
        merged_.push_back(on(r++));
    }
    to.swap(merged_);
  }

  template <class Steps>
  void enter(Steps& steps, std::int32_t t) {
    const std::int32_t L = coding_.labels;
    if (order_ == 0) {
      if (t == 0) start(0, LabelId(0)).push_back({0, 0, 0});
      for (LabelId before(0); t > 0 && before.number() < L; ++before) gather(end(t, before), before.number(), 0, start(t, LabelId(0)));
      return;
    }
    if (t == 0) {
      const Real* history = steps.history(0, {});
      for (LabelId y(0); y.number() < L; ++y) start(0, y).push_back({double(history[y.place()]), 0, 0});
      return;
    }
    for (LabelId before(0); before.number() < L; ++before) {
      if (end(t, before).empty()) continue;
      const Real* history = steps.history(t, {{before.value()}});
      for (LabelId y(0); y.number() < L; ++y) gather(end(t, before), before.number(), double(history[y.place()]), start(t, y));
    }
  }
  void leave(std::int32_t t, Length l, LabelId y, double score) { gather(start(t, y), l.number(), score, end(t + l, y)); }

  const SegmentCoding& coding_;
  std::int32_t stride_, order_, length_ = 0;
  std::size_t k_ = 1;
  std::vector<Ways> ends_;    // [T + 1][L] paths to the end of a segment
  std::vector<Ways> starts_;  // [T + 1][L] paths to the start of a segment; [T + 1] if the model reads no labels back
  Ways best_;                 // whole segmentations; step: the last label
  Ways merged_;               // working memory
  std::function<void()> poll_;
  std::size_t merges_ = 0;  // paths merged since the last poll
};

}  // namespace riata
