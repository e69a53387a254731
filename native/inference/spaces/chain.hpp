// Labels from left to right: an operator labels the next token. Label pairs that the encoding forbids are no operators.
#pragma once

#include <algorithm>
#include <cstdint>
#include <limits>
#include <vector>

#include "features/index.hpp"
#include "features/instances.hpp"
#include "inference/constraint.hpp"
#include "inference/search/space.hpp"
#include "learning/linear.hpp"
#include "models/chain.hpp"
#include "models/layout.hpp"

namespace riata {

// The score of a label depends on the input and the label before it, so states of equal position and last label go on alike
// and are merged: an unbounded beam is exact. Loss is Hamming; regret counts the wrong labels so far.
template <class Real>
class ChainSpace : public Space {
 public:
  ChainSpace(const FeatureIndex& index, const Layout& layout, const Constraint<Real>& constraint, const Instances& instances,
             const Linear<Real>& weights)
      : index_(index), layout_(layout), constraint_(constraint), instances_(instances), weights_(weights) {}

  void open(std::int64_t sentence) {
    sentence_ = sentence;
    length_ = static_cast<std::int32_t>(instances_.length(sentence));
    ready_.assign(static_cast<std::size_t>(length_), 0);
    node_.resize(std::size_t(length_) * layout_.stride);
    edge_.resize(std::size_t(per_token() ? length_ : 1) * square());
    edges_ready_ = false;
    zero_.assign(static_cast<std::size_t>(layout_.labels), Real{0});
  }

  StateId initial() override { return 0; }
  bool is_goal(StateId state) override { return state / (layout_.labels + 1) == length_; }
  StateId apply(StateId state, ActionId action) override {
    return (state / (layout_.labels + 1) + 1) * (layout_.labels + 1) + action + 1;
  }
  double initial_regret() override { return 0; }
  double regret(const Tree& tree, NodeId node) override {
    double wrong = 0;
    for (; tree[node].parent >= 0; node = tree[node].parent) wrong += tree[node].action != gold(tree[node].depth - 1);
    return wrong;
  }
  bool merges() const override { return false; }  // expand has done it

  // The best predecessor of every label, among the nodes of one position: candidates come out merged.
  void expand(const Tree& tree, std::span<const NodeId> frontier, const Ranking& ranking, bool learning,
              std::vector<Candidate>& out) override {
    std::size_t from = 0;
    while (from < frontier.size()) {
      std::size_t to = from;
      while (to < frontier.size() && tree[frontier[to]].depth == tree[frontier[from]].depth) ++to;
      expand_position(tree, frontier.subspan(from, to - from), ranking, learning, out);
      from = to;
    }
  }

  double step_score(const Tree& tree, NodeId node) override {
    const std::int32_t t = tree[node].depth - 1;
    const ActionId label = tree[node].action;
    double score = node_row(t)[label];
    if (t > 0) score += edge_rows(t)[std::size_t(tree[tree[node].parent].action) * layout_.stride + label];
    return score;
  }

  void features(const Tree& tree, NodeId node, StepFeatures& out) override {
    const std::int32_t t = tree[node].depth - 1;
    const ActionId label = tree[node].action;
    const ActionId before = t > 0 ? tree[tree[node].parent].action : 0;
    for_each_row(
        index_, layout_, instances_, sentence_, t, [&](std::int64_t row, float value) { out.push_back({row + label, value}); },
        [&](std::int64_t row, float value) { out.push_back({row + std::int64_t{before} * layout_.stride + label, value}); });
  }

  void weights_changed() override {
    std::fill(ready_.begin(), ready_.end(), 0);
    edges_ready_ = false;
  }

 private:
  void expand_position(const Tree& tree, std::span<const NodeId> nodes, const Ranking& ranking, bool learning, std::vector<Candidate>& out) {
    const std::int32_t t = tree[nodes.front()].depth, L = layout_.labels;
    const Real* row = node_row(t);
    const ActionId truth = learning ? gold(t) : -1;
    best_.assign(static_cast<std::size_t>(L), -std::numeric_limits<double>::infinity());
    parent_.assign(static_cast<std::size_t>(L), -1);
    NodeId good = -1;  // y-good nodes of one position have one past, so there is at most one
    for (const NodeId id : nodes) {
      if (tree[id].good) good = id;
      const Real* edge = edge_from(tree, id);
      if (id == good && truth >= 0) {
        // The step onto the truth from the y-good node is ranked below, with the margin and last among equals.
        improve(id, tree[id].score, row, edge, 0, truth);
        improve(id, tree[id].score, row, edge, truth + 1, L);
      } else {
        improve(id, tree[id].score, row, edge, 0, L);
      }
    }
    bool reached = false;
    if (good >= 0 && truth >= 0) {
      const double candidate = tree[good].score + double(row[truth] + edge_from(tree, good)[truth]);
      reached = candidate - ranking.margin > best_[truth];
      if (reached) {
        best_[truth] = candidate;
        parent_[truth] = good;
      }
    }
    for (const NodeId id : nodes) {  // in the order in which they would have come unmerged: ties go by it
      for (ActionId j = 0; j < L; ++j) {
        if (parent_[j] != id) continue;
        const double regret = tree[id].regret + (learning && j != truth);
        out.push_back({best_[j], 0, j, regret, id, j, reached && j == truth});
      }
    }
  }

  // Takes `id` as the predecessor of every label from `low` to `high` - 1 for which it is better than what there is.
  void improve(NodeId id, double score, const Real* row, const Real* edge, ActionId low, ActionId high) noexcept {
    double* best = best_.data();
    std::int64_t* parent = parent_.data();
    for (ActionId j = low; j < high; ++j) {
      const double candidate = score + double(row[j] + edge[j]);
      const bool better = candidate > best[j];
      best[j] = better ? candidate : best[j];
      parent[j] = better ? id : parent[j];
    }
  }

  const Real* edge_from(const Tree& tree, NodeId id) {
    const std::int32_t t = tree[id].depth;
    return t > 0 ? edge_rows(t) + std::size_t(tree[id].action) * layout_.stride : zero_.data();
  }

  std::size_t square() const noexcept { return std::size_t(layout_.labels) * layout_.stride; }
  bool per_token() const noexcept { return !index_.edge_slots().empty(); }
  ActionId gold(std::int32_t t) const noexcept { return instances_.labels[instances_.starts[sentence_] + t]; }

  // Scores of all labels at a token, computed when first asked for under the present weights.
  const Real* node_row(std::int32_t t) {
    if (!ready_[t]) compute(t);
    return node_.data() + std::size_t(t) * layout_.stride;
  }
  const Real* edge_rows(std::int32_t t) {
    if (!ready_[t]) compute(t);
    return edge_.data() + (per_token() ? std::size_t(t) * square() : 0);
  }

  void compute(std::int32_t t) {
    const std::int32_t stride = layout_.stride;
    Real* node = node_.data() + std::size_t(t) * stride;
    std::fill(node, node + stride, Real{0});
    const bool edges = per_token() || !edges_ready_;
    Real* edge = edge_.data() + (per_token() ? std::size_t(t) * square() : 0);
    if (edges) std::fill(edge, edge + square(), Real{0});
    // Transitions alone are the same at every token; row t = 0 has none, so they are taken from the layout directly.
    for_each_row(
        index_, layout_, instances_, sentence_, t,
        [&](std::int64_t row, float value) {
          const Real* w = weights_.data() + row;
          for (std::int32_t j = 0; j < stride; ++j) node[j] += w[j] * Real(value);
        },
        [&](std::int64_t row, float value) {
          if (!per_token()) return;
          const Real* w = weights_.data() + row;
          for (std::size_t k = 0; k < square(); ++k) edge[k] += w[k] * Real(value);
        });
    if (!per_token() && edges && index_.transitions()) std::copy_n(weights_.data(), square(), edge);
    const Real scale = static_cast<Real>(weights_.scale());
    for (std::int32_t j = 0; j < stride; ++j) {
      node[j] *= scale;
      if (t == 0) node[j] += constraint_.start[j];
      if (t == length_ - 1) node[j] += constraint_.end[j];
    }
    if (edges) {
      for (std::size_t k = 0; k < square(); ++k) edge[k] = edge[k] * scale + constraint_.follow[k];
      edges_ready_ = true;
    }
    ready_[t] = 1;
  }

  const FeatureIndex& index_;
  const Layout& layout_;
  const Constraint<Real>& constraint_;
  const Instances& instances_;
  const Linear<Real>& weights_;
  std::int64_t sentence_ = 0;
  std::int32_t length_ = 0;
  std::vector<std::uint8_t> ready_;  // [T] whether the row below is up to date
  std::vector<Real> node_;           // [T][stride]
  std::vector<Real> edge_;           // [labels][stride], or [T] of them with edge templates
  bool edges_ready_ = false;
  std::vector<Real> zero_;            // [labels] the edge into a first token
  std::vector<double> best_;          // [labels] buffers of expand
  std::vector<std::int64_t> parent_;  // as wide as the scores, so that both move together
};

}  // namespace riata
