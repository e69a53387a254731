// Labelled segments from left to right: an operator appends a segment of any length up to the most (Daumé & Marcu 2005, Sec. 4.1).
#pragma once

#include <algorithm>
#include <cstdint>
#include <limits>
#include <span>
#include <unordered_map>
#include <vector>

#include "inference/search/queue.hpp"
#include "inference/search/space.hpp"
#include "inference/spaces/segment_steps.hpp"
#include "losses/segments.hpp"

namespace riata {

// A state is a position; the segments are in the tree. States of one position that agree in the last labels, as far back as
// templates read them, go on alike and are merged. An operator is a segment's code.
template <class Real, class Held = Linear<Real>>  // Held: weights that change, or FixedWeights
class SegmentSpace : public Space {
 public:
  // grown: where given, features that an update touches first are added to it and to the weights; `known` are the same rows.
  SegmentSpace(const SegmentTemplates& templates, const SegmentLayout& layout, const SegmentKinds& kinds, const Instances& instances,
               Held& weights, const GrownRows& known, GrownRows* grown, const QueueSpec& queue)
      : order_(templates.order()), layout_(layout), kinds_(kinds), weights_(weights), known_(known), grown_(grown), remembers_(!queue.by_level()),
        blind_(queue.blind()), steps_(templates, layout, kinds, known, instances, weights), loss_(kinds), before_(static_cast<std::size_t>(order_)) {}

  // gold: as SegmentLoss takes it; empty where nothing is learnt.
  void open(std::int64_t sentence, std::span<const std::int32_t> gold = {}) {
    steps_.open(sentence);
    if (!gold.empty()) loss_.open(gold);
    expanded_.clear();
  }

  SegmentSteps<Real, Held>& steps() noexcept { return steps_; }

  StateId initial() override { return 0; }
  bool is_goal(StateId state) override { return state == steps_.length(); }
  StateId apply(StateId state, ActionId action) override { return state + kinds_.length(action); }
  std::int32_t covered(const Tree& tree, NodeId node) const override { return tree[node].state; }

  double initial_regret() override { return loss_.least(0); }
  double regret(const Tree& tree, NodeId node) override {
    std::int32_t sum = loss_.least(tree[node].state);
    for (; tree[node].parent >= 0; node = tree[node].parent) sum += loss_.of(start(tree, node), tree[node].action);
    return sum;
  }

  bool merges() const override { return true; }
  std::int64_t key(const Tree& tree, NodeId node) override {
    if (tree[node].parent < 0) return -1;
    look_back(tree, tree[node].parent);
    return key_after(tree[node].state, kinds_.label(tree[node].action));
  }

  void expand(const Tree& tree, std::span<const NodeId> frontier, const Ranking& ranking, bool learning, std::vector<Candidate>& out) override {
    least_ = -std::numeric_limits<double>::infinity();
    for (const NodeId id : frontier) {
      const bool remembers = remembers_ && !aside_;
      if (remembers && !is_new(tree, id)) continue;
      const auto first = static_cast<std::ptrdiff_t>(out.size());
      expand_node(tree, id, ranking, learning, out);
      if (remembers) out.erase(std::remove_if(out.begin() + first, out.end(), [&](const Candidate& c) { return is_known(c); }), out.end());
    }
  }

  double step_score(const Tree& tree, NodeId node) override {
    const std::int32_t t = start(tree, node);
    look_back(tree, tree[node].parent);
    const Real* history = order_ > 0 ? steps_.history(t, before_) : nullptr;
    return step(steps_.spans(t), history, kinds_.length(tree[node].action), kinds_.label(tree[node].action));
  }

  void features(const Tree& tree, NodeId node, StepFeatures& out) override {
    look_back(tree, tree[node].parent);
    features_of(start(tree, node), tree[node].action, before_, out);
  }

  // The same of a segment from token t, after the labels that look_back would leave.
  void features_of(std::int32_t t, std::int32_t code, std::span<const std::int32_t> before, StepFeatures& out) {
    const std::int32_t label = kinds_.label(code);
    const auto step_on = [&](std::int32_t row, std::int32_t value) { return grown_ != nullptr ? grown_->add(row, value) : known_.find(row, value); };
    steps_.each_row(t, kinds_.length(code), before, step_on, [&](std::int64_t row) { out.push_back({row + label, 1.0}); });
    if (grown_ != nullptr) weights_.grow(static_cast<std::size_t>(layout_.grown_row(grown_->rows())));
  }

  std::int64_t step_identity(const Tree& tree, NodeId node) override {
    look_back(tree, tree[node].parent);
    std::int64_t identity = std::int64_t{start(tree, node)} * kinds_.labels * kinds_.most + tree[node].action;
    for (const std::int32_t value : before_) identity = identity * (kinds_.labels + 1) + value;
    return identity;
  }

  void looking_aside(bool is) override { aside_ = is; }
  void weights_changed() override { expanded_.clear(); }  // rows know under which weights they were computed

 private:
  static constexpr std::int64_t few = 64;  // candidates up to which it pays to look for the best

  std::int32_t start(const Tree& tree, NodeId node) const noexcept { return tree[node].state - kinds_.length(tree[node].action); }
  static double step(const Real* spans, const Real* history, std::int32_t stride, std::int32_t length, std::int32_t label) noexcept {
    const Real* row = spans + std::size_t(length - 1) * stride;
    return double(history == nullptr ? row[label] : row[label] + history[label]);
  }
  double step(const Real* spans, const Real* history, std::int32_t length, std::int32_t label) const noexcept {
    return step(spans, history, layout_.stride, length, label);
  }

  // Of the scores of all labels.
  Real highest(const Real* row, const Real* history) const noexcept {
    Real most = -std::numeric_limits<Real>::infinity();
    for (std::int32_t label = 0; label < kinds_.labels; ++label) most = std::max(most, history == nullptr ? row[label] : row[label] + history[label]);
    return most;
  }

  // Queues that take nodes one by one meet states again: they are expanded anew only with a better score, and not even then by
  // blind queues. The y-good path is not merged into another one.
  bool is_new(const Tree& tree, NodeId id) {
    const Node& node = tree[id];
    const auto [place, fresh] = expanded_.emplace(key(tree, id), node.score);
    if (!fresh && (blind_ || place->second >= node.score) && !node.good) return false;
    place->second = std::max(place->second, node.score);
    return true;
  }

  bool is_known(const Candidate& candidate) const {
    const auto same = expanded_.find(candidate.key);
    return !candidate.good && same != expanded_.end() && (blind_ || same->second >= candidate.score);
  }

  // Where labels are never read again, all segments of one length lead to one state: the best is listed. Of candidates whose keys
  // all differ, those are left out that as many others come before as can survive.
  void expand_node(const Tree& tree, NodeId id, const Ranking& ranking, bool learning, std::vector<Candidate>& out) {
    const Node& node = tree[id];
    const std::int32_t t = node.state;
    look_back(tree, id);
    const Real* spans = steps_.spans(t);
    const Real* history = order_ > 0 ? steps_.history(t, before_) : nullptr;
    const bool choosy = ranking.width <= few && !aside_, merged = order_ == 0 && !aside_;
    const std::size_t first = out.size();
    best_.clear();
    for (std::int32_t l = 1; l <= steps_.lengths(t); ++l) {
      if (choosy && node.score + double(highest(spans + std::size_t(l - 1) * layout_.stride, history)) < least_) continue;
      Candidate best;
      best.action = -1;
      for (std::int32_t label = 0; label < kinds_.labels; ++label) {
        if (l > 1 && label == kinds_.outside) continue;
        const double score = node.score + step(spans, history, l, label);
        if (choosy && score < least_) continue;
        Candidate candidate{score, 0, key_after(t + l, label), 0, id, kinds_.code(l, label), false};
        if (learning) judge(node, t, candidate);
        if (!merged) take(candidate, ranking, choosy, out);
        else if (best.action < 0 || ranking.beats(candidate, best)) best = candidate;
      }
      if (best.action >= 0) take(best, ranking, choosy, out);
    }
    if (!choosy) return;
    const auto hopeless = [&](const Candidate& candidate) { return ranking.rank(candidate) < least_; };
    out.erase(std::remove_if(out.begin() + static_cast<std::ptrdiff_t>(first), out.end(), hopeless), out.end());
  }

  // The regret is always filled in, y-goodness only for children of y-good nodes.
  void judge(const Node& node, std::int32_t t, Candidate& candidate) {
    const std::int32_t end = t + kinds_.length(candidate.action);
    candidate.regret = node.regret - loss_.least(t) + loss_.of(t, candidate.action) + loss_.least(end);
    candidate.good = node.good && candidate.regret == loss_.least(0);
  }

  void take(const Candidate& candidate, const Ranking& ranking, bool choosy, std::vector<Candidate>& out) {
    if (!choosy || is_among_best(ranking, candidate)) out.push_back(candidate);
  }

  // Keeps the ranks of the best of one node; with as many as can survive, the least of them is a bound for all to come.
  bool is_among_best(const Ranking& ranking, const Candidate& candidate) {
    const double rank = ranking.rank(candidate);
    if (rank < least_) return false;
    auto place = best_.end();
    while (place != best_.begin() && rank > *(place - 1)) --place;
    best_.insert(place, rank);
    if (static_cast<std::int64_t>(best_.size()) > ranking.width) best_.pop_back();
    if (static_cast<std::int64_t>(best_.size()) == ranking.width) least_ = std::max(least_, best_.back());
    return true;
  }

  // The labels of the segments before the step out of a node, last first, each plus one; 0 before the sentence.
  void look_back(const Tree& tree, NodeId id) {
    for (std::int32_t& value : before_) {
      const bool inside = tree[id].parent >= 0;
      value = inside ? kinds_.label(tree[id].action) + 1 : 0;
      if (inside) id = tree[id].parent;
    }
  }

  // Of the state that a segment of this label leads to from where look_back was asked last.
  std::int64_t key_after(std::int32_t position, std::int32_t label) const noexcept {
    std::int64_t key = position;
    if (order_ > 0) key = key * (kinds_.labels + 1) + label + 1;
    for (std::int32_t k = 0; k + 1 < order_; ++k) key = key * (kinds_.labels + 1) + before_[k];
    return key;
  }

  std::int32_t order_;
  const SegmentLayout& layout_;
  const SegmentKinds& kinds_;
  Held& weights_;
  const GrownRows& known_;
  GrownRows* grown_;
  bool remembers_, blind_;
  bool aside_ = false;
  SegmentSteps<Real, Held> steps_;
  SegmentLoss loss_;
  std::vector<std::int32_t> before_;  // [order] as look_back leaves it
  std::vector<double> best_;          // ranks, highest first
  double least_ = 0;                  // what a candidate must rank to survive
  std::unordered_map<std::int64_t, double> expanded_;  // best score with which a state was expanded, by key
};

}  // namespace riata
