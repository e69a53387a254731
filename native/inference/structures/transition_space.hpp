// The space of a parser that builds a dependency tree by moves from left to right.
#pragma once

#include <algorithm>
#include <cstdint>
#include <span>
#include <unordered_map>
#include <vector>

#include "inference/corpus.hpp"
#include "inference/search/corpus_space.hpp"
#include "inference/search/queue.hpp"
#include "inference/spaces/best_ranks.hpp"
#include "inference/spaces/expanded.hpp"
#include "inference/structures/closest_projective.hpp"
#include "inference/structures/given_arcs.hpp"
#include "inference/structures/projective_order.hpp"
#include "inference/structures/transition_model.hpp"
#include "inference/structures/transition_oracle.hpp"
#include "inference/structures/transition_scorer.hpp"

namespace riata {

// The operators are moves, with a relation where they add an arc: one that training saw with the tags of head and child. If tags are
// chosen, a shift gives the token a tag, one of those that it may have, unless it was put back and has one. Several paths may lead to one
// tree. States that have the same arcs, stack and next token are merged, unless the queue asks for no merging.
//
// The regret is that of TransitionOracle. If the truth has crossing arcs that the system cannot build, or another relation of the root, the
// closest tree that can be built counts as the truth, and the tokens in which it differs are added: an upper bound. A wrong tag adds 1 to
// the regret and to the loss, whatever the token's arc.
template <class Real>
class TransitionSpace : public CorpusSpace {
 public:
  // grows: whether features that an update touches for the first time are added to the model and to the weights.
  TransitionSpace(const Corpus& corpus, TransitionModel<Real>& model, Vector<Real>& weights, bool grows, const QueueSpec& queue)
      : corpus_(corpus),
        coding_(model.weights.coding),
        grown_(grows ? &model.weights.rows.own() : nullptr),
        rows_(*model.weights.rows),
        weights_(weights),
        merges_(queue.merge),
        remembers_(queue.remembers()),
        states_(coding_.system),
        oracle_(states_),
        given_(states_, coding_),
        scorer_(model.templates, rows_, corpus.instances, weights, coding_.stride()),
        scores_(static_cast<std::size_t>(coding_.stride())),
        expanded_(queue.blind()) {}

  void open(std::int64_t sentence, bool with_truth) override { open(sentence, with_truth ? corpus_.gold_of(sentence) : Codes{}); }

  // Opens a sentence with any output as its truth; empty: there is none.
  void open(std::int64_t sentence, Codes truth) {
    sentence_ = sentence;
    states_.open(static_cast<std::int32_t>(corpus_.length(sentence)));
    scorer_.open(sentence);
    given_.open(corpus_, sentence);
    expanded_.clear();
    has_truth_ = !truth.empty();
    if (has_truth_) set_truth(truth);
  }

  // The output that counts as the truth, and in how many tokens the truth differs from it.
  std::span<const std::int32_t> target() const noexcept { return target_; }
  std::int32_t missed() const noexcept { return missed_; }

  void add_losses() override { adds_losses_ = true; }

  StateId initial() override {
    known_.clear();
    indexed_ = 0;
    return states_.open(states_.length());
  }
  bool is_goal(StateId state) override { return states_.is_goal(states_[state]); }

  // While learners or lattices look aside, a state that was reached before has the number that it had then.
  StateId apply(StateId from, ActionId action) override {
    Costs costs{states_[from].regret, states_[from].lost};
    if (has_truth_) costs = after(states_[from], action);
    if (aside_) {
      for (; indexed_ < states_.size(); ++indexed_) known_.emplace(known_as(states_[StateId(indexed_)]), StateId(indexed_));
      const auto same = known_.find(known_as(states_.mark_after(states_[from], action), costs.loses));
      if (same != known_.end()) return same->second;
    }
    const StateId to = states_.apply(from, action);
    states_[to].regret = costs.regret;
    states_[to].lost = costs.loses;
    states_[to].wrong += has_truth_ && gives_wrong(states_[from], action);
    return to;
  }

  double initial_regret() override { return missed_; }
  double regret(const Tree& tree, NodeId node) override { return regret_of(states_[tree[node].state]); }

  bool merges() const override { return merges_; }
  std::int64_t key(const Tree& tree, NodeId node) override { return static_cast<std::int64_t>(states_[tree[node].state].mark); }
  std::int32_t covered(const Tree& tree, NodeId node) const override { return states_[tree[node].state].next; }

  void expand(const Tree& tree, std::span<const NodeId> frontier, const Ranking& ranking, bool learning,
              std::vector<Candidate>& out) override {
    ranks_.begin();
    const auto key_of_state = [&](NodeId id) { return key(tree, id); };
    const auto expand_one = [&](NodeId id) { expand_node(tree[id], id, ranking, learning, out); };
    expanded_.each(tree, frontier, remembers_ && !aside_, key_of_state, expand_one, out);
  }

  double step_score(const Tree& tree, NodeId node) override {
    const ParserState& from = states_[tree[tree[node].parent].state];
    const ActionId action = tree[node].action;
    score(from);
    const double loss = adds_losses_ && has_truth_ ? cost_of(from, action).regret : 0;
    return loss + score_of(action);
  }

  void features(const Tree& tree, NodeId node, StepFeatures& out) override {
    features_of(states_[tree[tree[node].parent].state], tree[node].action, out);
  }

  std::int64_t step_identity(const Tree& tree, NodeId node) override {
    const std::uint64_t mark = states_[tree[tree[node].parent].state].mark;
    return static_cast<std::int64_t>(mix(mark + static_cast<std::uint64_t>(tree[node].action)) >> 1);
  }

  void codes(std::span<const ActionId> path, std::span<std::int32_t> out) const override { coding_.follow(path, out); }

  // The best path to an output, among those that a beam of `most` states finds; empty if there is none. The path of a tree that cannot
  // be built is that of the closest one. Opens the sentence again, with the output as its truth.
  std::vector<ActionId> path_to(std::int64_t sentence, Codes output);

  // Whether a search without the truth may give the relations of the target.
  bool allows_target() const {
    for (std::int32_t t = 0; t < static_cast<std::int32_t>(heads_.size()); ++t) {
      const std::int32_t head = heads_[static_cast<std::size_t>(t)];
      if (true_tag(t) >= 0 && std::ranges::find(tags_of(t), true_tag(t)) == tags_of(t).end()) return false;
      if (head < 0) continue;
      const std::span<const std::int32_t> allowed = coding_.pairs.of(tag(head), tag(t));
      if (std::ranges::find(allowed, oracle_.relation(t)) == allowed.end()) return false;
    }
    return true;
  }

  void regrets(std::span<const std::int32_t> output, std::vector<double>& out) override {
    const std::vector<ActionId> path = path_to(sentence_, output);
    open(sentence_, true);
    StateId at = initial();
    out.push_back(initial_regret());
    for (const ActionId action : path) {
      at = apply(at, action);
      out.push_back(regret_of(states_[at]));
    }
  }

  // Appends the features of all steps of a path; returns its score.
  double features_of(std::span<const ActionId> path, StepFeatures& out) {
    StateId at = initial();
    double sum = 0;
    for (const ActionId action : path) {
      const ParserState from = states_[at];
      score(from);
      sum += score_of(action);
      features_of(from, action, out);
      at = states_.apply(at, action);
    }
    return sum;
  }

  // Two tracks: the probability of the head of every token, and that of its head with its relation. That of the root is what is left of its
  // arcs.
  std::size_t tracks() const override { return 2; }
  void units(const Lattice& lattice, std::span<const std::int32_t> output, const ChunkFlags&, std::int64_t apart, double* out) override {
    for (std::size_t t = 0; t < output.size(); ++t) out[t] = out[t + apart] = coding_.head(output[t]) < 0 ? 1 : 0;
    for (const Lattice::Edge& edge : lattice.edges()) {
      const Move move = moves::of(edge.action);
      if (!moves::adds_arc(move)) continue;
      const Arc arc = states_.arc(states_[lattice.nodes()[static_cast<std::size_t>(edge.from)].state], move);
      const std::int32_t given = output[static_cast<std::size_t>(arc.child)], head = coding_.head(given);
      const double share = lattice.probability(edge.from) * edge.probability, change = head < 0 ? -share : share;
      if (head < 0 || head == arc.head) out[arc.child] += change;
      if (head < 0 || coding_.tree(given) == coding_.tree(coding_.code(arc.head, moves::relation(edge.action))))
        out[arc.child + apart] += change;
    }
    for (double* track : {out, out + apart}) {
      for (std::size_t t = 0; t < output.size(); ++t) track[t] = std::clamp(track[t], 0.0, 1.0);
    }
  }

  // An arc gives the child its relation, and the head a child. The last move also gives the root its relation.
  void parts(StateId from, ActionId action, std::vector<Part>& out) const override {
    const ParserState& state = states_[from];
    const Move move = moves::of(action);
    if (moves::adds_arc(move)) {
      const Arc arc = states_.arc(state, move);
      out.push_back({arc.child, moves::relation(action)});
      out.push_back({arc.head, coding_.relations + moves::relation(action)});
    }
    if (states_.leads_to_goal(state, move)) out.push_back({states_.left_over(state, move), coding_.root});
  }
  std::int32_t number_of(ActionId action) const override { return coding_.number(action); }
  Order order() const override { return Order::any; }
  std::int32_t decided(StateId state) const override { return states_.is_goal(states_[state]) ? states_.length() : 0; }
  std::int32_t decided_after(StateId from, ActionId action) override {
    return states_.leads_to_goal(states_[from], moves::of(action)) ? states_.length() : 0;
  }
  std::int32_t place(StateId) const override { return 0; }
  std::int32_t place_after(StateId, ActionId) override { return 0; }
  bool lists_states() const override { return false; }

  void looking_aside(bool is) override { aside_ = is; }
  void weights_changed() override { expanded_.clear(); }

 private:
  static constexpr std::int64_t few = 64;  // largest width of a queue for which selecting the best early saves time

  struct Costs {
    std::int32_t regret;
    bool loses;
  };
  Costs cost_of(const ParserState& state, ActionId action) const {
    const Move move = moves::of(action);
    const TransitionOracle::Cost cost = oracle_.cost(state, move);
    const bool wrong =
        moves::adds_arc(move) ? oracle_.is_wrong(states_.arc(state, move), moves::relation(action)) : gives_wrong_tag(state, action);
    return {cost.regret + wrong, cost.loses || wrong};
  }
  bool gives_wrong_tag(const ParserState& state, ActionId action) const noexcept {
    return moves::tag(action) >= 0 && coding_.is_wrong(true_tag(state.next), moves::tag(action));
  }
  bool gives_wrong(const ParserState& state, ActionId action) const {
    if (!moves::adds_arc(moves::of(action))) return gives_wrong_tag(state, action);
    const Arc arc = states_.arc(state, moves::of(action));
    return !oracle_.is_arc(arc) || oracle_.relation(arc.child) != moves::relation(action);
  }
  // The regret of the state that an operator leads to, and whether it is not y-good. With swaps, a state may have left the ways of the
  // oracle and lead to the truth nevertheless.
  Costs after(const ParserState& state, ActionId action) const {
    const Costs costs = cost_of(state, action);
    const std::int32_t regret = state.regret + costs.regret;
    return {regret, ends(state, moves::of(action)) ? regret > 0 : state.lost || costs.loses};
  }
  // Whether a move leads to a goal, where there are swaps.
  bool ends(const ParserState& state, Move move) const noexcept {
    return coding_.system == TransitionSystem::swap && state.size == 2 && moves::adds_arc(move) && states_.front(state) < 0;
  }
  // By what a state is found again: ways that have lost the truth stay apart from others.
  static std::uint64_t known_as(std::uint64_t mark, bool lost) noexcept { return lost ? ~mark : mark; }
  static std::uint64_t known_as(const ParserState& state) noexcept { return known_as(state.mark, state.lost); }
  double regret_of(std::int32_t regret, bool lost) const noexcept { return missed_ + (lost ? std::max(regret, 1) : regret); }
  double regret_of(const ParserState& state) { return regret_of(oracle_.regret(state), state.lost); }

  void set_truth(Codes truth) {
    std::vector<std::int32_t> relations;
    heads_.clear();
    for (const std::int32_t code : truth) {
      heads_.push_back(coding_.head(code));
      relations.push_back(heads_.back() < 0 ? coding_.root : coding_.relation(code));
    }
    if (coding_.system != TransitionSystem::swap && !order_.is_projective(heads_)) lose_crossing();
    oracle_.open(heads_, relations);
    target_.clear();
    missed_ = 0;
    for (std::size_t t = 0; t < truth.size(); ++t) {
      target_.push_back(coding_.code(heads_[t], relations[t], coding_.tag(truth[t])));
      missed_ += target_.back() != truth[t];
    }
  }

  void lose_crossing() {
    for (std::int32_t& head : heads_) ++head;  // 0: the root
    closest_projective(heads_);
    for (std::int32_t& head : heads_) --head;
  }

  // Computes the scores of all operators of a state.
  void score(const ParserState& state) { scorer_.score(states_, state, scores_.data()); }
  double score_of(ActionId action) const noexcept {
    return weights_.scale() * double(scores_[static_cast<std::size_t>(coding_.number(action))]);
  }

  // The tags that a token may have, and the tag of the target; -1: it is open.
  std::span<const std::int32_t> tags_of(std::int32_t token) const noexcept {
    return given_.tags(token, corpus_.instances.choices.of_token(corpus_.instances.starts[static_cast<std::size_t>(sentence_)] + token));
  }
  std::int32_t true_tag(std::int32_t token) const noexcept { return coding_.tag(target_[static_cast<std::size_t>(token)]); }
  bool chooses_tag(const ParserState& state) const noexcept { return coding_.tags > 0 && states_.is_fresh(state); }

  std::int32_t tag(std::int32_t token) const noexcept {
    if (coding_.tag_family < 0) return -1;
    return corpus_.instances
        .ngrams[static_cast<std::size_t>(coding_.tag_family)][static_cast<std::size_t>(corpus_.instances.origin(sentence_) + token)];
  }

  void expand_node(const Node& node, NodeId id, const Ranking& ranking, bool learning, std::vector<Candidate>& out) {
    const ParserState state = states_[node.state];
    score(state);
    const bool choosy = ranking.width <= few && !aside_;
    const std::size_t first = out.size();
    ranks_.begin_node();
    const bool judges = learning && (node.good || adds_losses_ || ends(state, Move::left));
    const auto list = [&](ActionId action, TransitionOracle::Cost cost, bool wrong) {
      const double added = learning && adds_losses_ ? cost.regret + wrong : 0;
      const double rank = node.score + score_of(action) + added;
      if (choosy && rank < ranks_.least()) return;
      Candidate candidate{rank, 0, static_cast<std::int64_t>(states_.mark_after(state, action)), 0, id, action, false};
      if (judges) {
        const std::int32_t regret = state.regret + cost.regret + wrong;
        const bool ending = ends(state, moves::of(action)), lost = ending ? regret > 0 : state.lost || cost.loses || wrong;
        candidate.regret = regret_of(regret, lost);
        candidate.good = (node.good || ending) && !lost;
      }
      if (!choosy || ranks_.takes(ranking, candidate)) out.push_back(candidate);
    };
    for (const Move move : all_moves) {
      if (!states_.allows(state, move) || given_.forbids(state, move)) continue;
      const TransitionOracle::Cost cost = judges ? oracle_.cost(state, move) : TransitionOracle::Cost{};
      if (move == Move::shift && chooses_tag(state)) {
        const std::int32_t truth = has_truth_ ? true_tag(state.next) : -1;
        bool listed = truth < 0;  // the true tag is allowed, even if the token would not have it otherwise
        for (const std::int32_t tag : tags_of(state.next)) {
          list(moves::shift(tag), cost, coding_.is_wrong(truth, tag));
          listed = listed || tag == truth;
        }
        if (!listed) list(moves::shift(truth), cost, false);
        continue;
      }
      if (!moves::adds_arc(move)) {
        list(moves::action(move), cost, false);
        continue;
      }
      const Arc arc = states_.arc(state, move);
      const std::int32_t truth = has_truth_ && oracle_.is_arc(arc) ? oracle_.relation(arc.child) : -1;
      bool listed = truth < 0;  // the true relation is allowed, even if training has not seen it with these tags
      for (const std::int32_t relation : given_.relations(arc.child, coding_.pairs.of(tag(arc.head), tag(arc.child)))) {
        list(moves::action(move, relation), cost, truth >= 0 && relation != truth);
        listed = listed || relation == truth;
      }
      if (!listed) list(moves::action(move, truth), cost, false);
    }
    if (choosy) ranks_.drop_hopeless(ranking, first, out);
  }

  // Appends the features of a step from a state.
  void features_of(const ParserState& from, ActionId action, StepFeatures& out) {
    const std::int32_t operation = coding_.number(action);
    const auto set_number = [&](std::uint64_t set) { return grown_ != nullptr ? grown_->add_set(set) : rows_.find_set(set); };
    for (const RowKey& key : scorer_.look(states_, from, set_number)) {
      const std::int64_t place = grown_ != nullptr ? grown_->add(key, operation) : rows_.find(key, operation);
      if (place >= 0) out.push_back({place, 1.0});
    }
    if (grown_ != nullptr) weights_.grow(static_cast<std::size_t>(rows_.size()));
  }

  Corpus corpus_;
  const TransitionCoding& coding_;
  BlockRows* grown_;  // if features that an update touches for the first time are added
  const BlockRows& rows_;
  Vector<Real>& weights_;
  bool merges_, remembers_;
  bool aside_ = false, adds_losses_ = false, has_truth_ = false;
  std::int64_t sentence_ = 0;
  TransitionStates states_;
  TransitionOracle oracle_;
  GivenArcs given_;
  TransitionScorer<Real> scorer_;
  ProjectiveOrder order_;
  std::vector<std::int32_t> heads_, target_;  // [tokens] heads of the target, from 0; codes of the target
  std::int32_t missed_ = 0;
  std::vector<Real> scores_;  // [stride] of the present state, without the scale of the weights
  BestRanks ranks_;
  Expanded expanded_;
  std::unordered_map<std::uint64_t, StateId> known_;  // states by mark, up to the number indexed_
  std::int32_t indexed_ = 0;
};

}  // namespace riata

#include "inference/structures/transition_path.hpp"
