// Labels from left to right: an operator labels the next token. Label pairs that the encoding forbids are no operators.
#pragma once

#include <cstdint>
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
  bool merges() const override { return true; }

  void expand(const Tree& tree, std::span<const NodeId> frontier, bool learning, std::vector<Candidate>& out) override {
    for (const NodeId id : frontier) {
      const Node& parent = tree[id];
      const std::int32_t t = parent.depth;
      const Real* row = node_row(t);
      const Real* from = t > 0 ? edge_rows(t) + std::size_t(parent.action) * layout_.stride : nullptr;
      const ActionId truth = learning ? gold(t) : -1;
      for (ActionId j = 0; j < layout_.labels; ++j) {
        const Real step = from ? row[j] + from[j] : row[j];
        if (step == Constraint<Real>::never) continue;
        const bool good = parent.good && j == truth;
        out.push_back({parent.score + double(step), 0, j, parent.regret + (learning && j != truth), id, j, good});
      }
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
};

}  // namespace riata
