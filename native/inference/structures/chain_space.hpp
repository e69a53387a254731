// The space of labels from left to right: an operator labels the next token. Label pairs that the encoding forbids are not operators.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <string>
#include <unordered_map>
#include <vector>

#include "core/error.hpp"
#include "features/history.hpp"
#include "inference/corpus.hpp"
#include "inference/search/corpus_space.hpp"
#include "inference/search/queue.hpp"
#include "inference/search/units.hpp"
#include "inference/structures/chain_level.hpp"
#include "inference/structures/chain_model.hpp"
#include "inference/structures/chain_steps.hpp"
#include "models/vector.hpp"

namespace riata {

// The score of a label depends on the input and on earlier labels, as far back as the order of the model. States of one position that agree
// that far back have the same continuations and are merged, unless the queue asks for no merging; in both cases an unbounded beam is exact.
// The loss is Hamming; the regret is the number of wrong labels so far.
template <class Real>
class ChainSpace : public CorpusSpace {
 public:
  // grows: whether features of earlier labels that an update touches for the first time are added to the model and to the weights.
  ChainSpace(const Corpus& corpus, ChainModel<Real>& model, Vector<Real>& weights, bool grows, const QueueSpec& queue)
      : corpus_(corpus),
        layout_(model.weights.layout),
        constraint_(model.constraint),
        weights_(weights),
        history_(model.weights.history),
        grows_(grows),
        merges_(queue.merge),
        alike_(!queue.merge && history_.order() == 0 && corpus.index.edge_slots().empty() && !corpus.index.transitions() &&
               !model.weights.local && !model.weights.truncated && lets_all_follow(constraint_, layout_.labels)),
        remembers_(queue.remembers()),
        blind_(queue.blind()),
        steps_(corpus.index, {layout_, history_, weights, model.weights.local, model.weights.truncated}, constraint_, corpus.instances),
        level_(layout_.labels),
        before_(static_cast<std::size_t>(history_.order())) {}

  void open(std::int64_t sentence, bool with_truth) override {
    sentence_ = sentence;
    gold_ = with_truth ? corpus_.gold_of(sentence) : Codes{};
    steps_.open(sentence);
    expanded_.clear();
    expanded_.resize(remembers_ ? static_cast<std::size_t>(steps_.length()) + 1 : 0);
  }

  // Throws if the constraint does not allow the true labels: a search can only learn outputs that it can reach.
  void check_truth(std::int64_t sentence) const override {
    const Codes gold = corpus_.gold_of(sentence);
    const auto length = static_cast<std::int64_t>(gold.size());
    for (std::int64_t t = 0; t < length; ++t) {
      const std::int32_t label = gold[static_cast<std::size_t>(t)];
      const bool follows = t == 0 ? constraint_.start[label] == 0
                                  : constraint_.follow[std::size_t(gold[static_cast<std::size_t>(t) - 1]) * layout_.stride + label] == 0;
      const bool ends = t + 1 < length || constraint_.end[label] == 0;
      if (follows && ends) continue;
      throw Error("DataError",
                  "the true labels of sentence " + std::to_string(sentence) + " are not allowed at token " + std::to_string(t) +
                      " (both from 0), so no search can find them.",
                  "Repair the labels, or allow the sequence.");
    }
  }

  void codes(std::span<const ActionId> path, std::span<std::int32_t> out) const override {
    std::copy(path.begin(), path.end(), out.begin());
  }

  void parts(StateId from, ActionId label, std::vector<Part>& out) const override { out.push_back({from.number(), label}); }
  std::int32_t decided(StateId state) const override { return state.number(); }

  void regrets(std::span<const std::int32_t> output, std::vector<double>& out) override {
    out.push_back(0);
    for (std::size_t t = 0; t < output.size(); ++t) out.push_back(out.back() + (output[t] != gold_[t]));
  }

  void units(const Lattice& lattice, std::span<const std::int32_t> output, const ChunkFlags& chunks, std::int64_t, double* out) override {
    Units units(Track{0, chunks.types, chunks.continues, [](ActionId action) { return action; }});
    units(lattice, output, out);
  }

  StateId initial() override { return StateId(0); }
  bool is_goal(StateId state) override { return state.number() == steps_.length(); }
  StateId apply(StateId state, ActionId) override { return StateId(state.number() + 1); }  // the labels are stored in the tree
  double initial_regret() override { return 0; }
  double regret(const Tree& tree, NodeId node) override {
    double wrong = 0;
    for (; tree[node].parent; node = tree[node].parent) wrong += tree[node].action != gold(tree[node].depth - 1);
    return wrong;
  }
  bool merges() const override { return false; }  // `expand` merges already
  bool keyed() const override { return merges_; }

  // Finds the best predecessor of every label among the nodes of one position, so candidates are already merged. Without merging, finds the
  // best steps of all nodes.
  void expand(const Tree& tree, std::span<const NodeId> frontier, const Ranking& ranking, bool learning,
              std::vector<Candidate>& out) override {
    if (remembers_ && !aside_) return expand_new(tree, frontier, ranking, learning, out);
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
    make_rows(1);
    return double(step_row(tree, tree[node].parent, 0)[tree[node].action] + steps_.node(t)[tree[node].action]);
  }

  void features(const Tree& tree, NodeId node, StepFeatures& out) override {
    const std::int32_t t = tree[node].depth - 1;
    const ActionId label = tree[node].action;
    const ActionId before = t > 0 ? tree[tree[node].parent].action : 0;
    steps_.rows().nodes(sentence_, t, [&](std::int64_t row, float value) { out.push_back({row + label, value}); });
    steps_.rows().edges(
        sentence_, t, [&](std::int64_t row, float value) { out.push_back({row + std::int64_t{before} * layout_.stride + label, value}); });
    if (history_.order() > 0) history_features(tree, node, out);
  }

  void looking_aside(bool is) override { aside_ = is; }
  void weights_changed() override {  // cached rows store the version of the weights with which they were computed
    for (auto& position : expanded_) position.clear();
  }

 private:
  static bool lets_all_follow(const Constraint<Real>& constraint, std::int32_t labels) noexcept {
    const auto rows = static_cast<std::size_t>(labels), stride = constraint.end.size();
    for (std::size_t before = 0; before < rows; ++before) {
      for (std::size_t label = 0; label < rows; ++label) {
        if (constraint.follow[before * stride + label] != 0) return false;
      }
    }
    return true;
  }

  // Expands nodes for queues that take nodes one by one and can reach a state again. A state is expanded again only if its score is better;
  // blind queues never expand a state again. The y-good path is never merged into another one.
  void expand_new(const Tree& tree, std::span<const NodeId> nodes, const Ranking& ranking, bool learning, std::vector<Candidate>& out) {
    for (const NodeId id : nodes) {
      const Node& node = tree[id];
      const auto [place, fresh] = expanded_[static_cast<std::size_t>(node.depth)].emplace(key(tree, id), node.score);
      if (!fresh && (blind_ || place->second >= node.score) && !node.good) continue;
      place->second = std::max(place->second, node.score);
      const std::size_t before = out.size();
      expand_position(tree, {&id, 1}, ranking, learning, out);
      const auto& next = expanded_[static_cast<std::size_t>(node.depth) + 1];
      const auto reached = [&](const Candidate& candidate) {
        const auto same = next.find(candidate.key);
        return !candidate.good && same != next.end() && (blind_ || same->second >= candidate.score);
      };
      out.erase(std::remove_if(out.begin() + static_cast<std::ptrdiff_t>(before), out.end(), reached), out.end());
    }
  }

  // The key of a node, equal to the key of the candidate that it was made from.
  std::int64_t key(const Tree& tree, NodeId id) override {
    if (!tree[id].parent) return -1;
    if (alike_) return 0;
    look_back(tree, tree[id].parent);
    return group() * (layout_.labels + 1) + tree[id].action;
  }

  void expand_position(const Tree& tree, std::span<const NodeId> nodes, const Ranking& ranking, bool learning,
                       std::vector<Candidate>& out) {
    const std::int32_t t = tree[nodes.front()].depth;
    const Real* own = steps_.node(t);
    const ActionId truth = learning ? gold(t) : -1;
    // Scores of one position differ little, so single precision suffices for their differences from the first score.
    const double base = sizeof(Real) < sizeof(double) ? tree[nodes.front()].score : 0;
    level_.open(nodes.size());
    make_rows(nodes.size());
    if (!merges_) groups_.resize(std::max(groups_.size(), nodes.size()));
    double margin = ranking.margin;
    for (std::size_t i = 0; i < nodes.size(); ++i) {
      const Node& node = tree[nodes[i]];
      const Real* row = step_row(tree, nodes[i], i);
      if (!merges_) groups_[i] = group();
      level_.set(i, static_cast<Real>(node.score - base), row, merges_ ? group() : static_cast<std::int64_t>(i), node.good);
      if (node.good && truth >= 0)
        // The same term for rounding errors as in Ranking::rank.
        margin += Ranking::roundings * std::max(1.0, std::abs(node.score + double(row[truth] + own[truth])));
    }
    for (const auto& step : level_.best(own, truth, static_cast<Real>(margin), ranking.width)) {
      const NodeId from = nodes[step.from];
      const double score = tree[from].score + double(step.row[step.label] + own[step.label]);
      const double regret = tree[from].regret + (learning && step.label != truth);
      const std::int64_t key = alike_ ? 0 : (merges_ ? step.group : groups_[step.from]) * (layout_.labels + 1) + step.label;
      out.push_back({score, 0, key, regret, from, step.label, step.good});
    }
  }

  // What a step from a node adds for every label, without the scores of the input alone. Row i of the buffer is used if the row must be
  // computed.
  const Real* step_row(const Tree& tree, NodeId id, std::size_t i) {
    const std::int32_t t = tree[id].depth;
    const Real* edge = steps_.edge(t, LabelId(tree[id].action));  // action is -1 at the start
    if (history_.order() == 0) return edge;
    look_back(tree, id);
    Real* row = summed_.data() + i * layout_.stride;
    steps_.with_history(t, before_, edge, row);
    return row;
  }

  void make_rows(std::size_t nodes) {
    if (history_.order() > 0 && summed_.size() < nodes * layout_.stride) summed_.resize(nodes * layout_.stride);
  }

  // Writes the labels before the step out of a node to before_, the last label first, as far back as the order of the model.
  void look_back(const Tree& tree, NodeId id) {
    for (std::int32_t& value : before_) {
      const bool inside = id && tree[id].parent;
      value = inside ? tree[id].action + 1 : HistoryIndex::outside;
      if (inside) id = tree[id].parent;
    }
  }

  // The group of the node that look_back has read. Nodes of one group have the same continuations once the next label is chosen: they agree
  // in all labels but the oldest one that is read.
  std::int64_t group() const noexcept {
    std::int64_t code = 0;
    for (std::size_t k = 0; k + 1 < before_.size(); ++k) code = code * (layout_.labels + 1) + before_[k];
    return code;
  }

  void history_features(const Tree& tree, NodeId node, StepFeatures& out) {
    const std::int32_t t = tree[node].depth - 1;
    look_back(tree, tree[node].parent);
    for (SlotId s(0); s.place() < history_.slots().size(); ++s) {
      const NgramId ngram = steps_.ngram(s, t);
      if (ngram == unseen) continue;
      const RowId row = grows_ ? history_.add(s, ngram, before_) : history_.find(s, ngram, before_);
      if (!row) continue;
      if (grows_) weights_.grow(static_cast<std::size_t>(layout_.history_row(RowId(history_.rows()))));
      out.push_back({layout_.history_row(row) + tree[node].action, 1.0});
    }
  }

  ActionId gold(std::int32_t t) const noexcept { return gold_[static_cast<std::size_t>(t)]; }

  Corpus corpus_;
  Codes gold_;
  const Layout& layout_;
  const Constraint<Real>& constraint_;
  Vector<Real>& weights_;
  HistoryIndex& history_;
  bool grows_;
  bool merges_;
  bool alike_;  // nothing is merged, but all states of one position have the same continuations: no label is scored beside another
  bool remembers_;
  bool blind_;
  bool aside_ = false;
  std::vector<std::unordered_map<std::int64_t, double>> expanded_;  // [T + 1] by key, the best score with which a state was expanded
  std::int64_t sentence_ = 0;
  ChainSteps<Real> steps_;
  ChainLevel<Real> level_;
  std::vector<std::int32_t> before_;  // [order] earlier labels, as look_back writes them
  std::vector<std::int64_t> groups_;  // [nodes] if nothing is merged: the group that each node would be in
  std::vector<Real> summed_;          // [nodes][stride] rows of steps with features of earlier labels
};

}  // namespace riata
