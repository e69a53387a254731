// The space of labelled segments from left to right: an operator appends a segment of any length that the coding allows (Daumé & Marcu
// 2005, Sec. 4.1).
#pragma once

#include <algorithm>
#include <cstdint>
#include <limits>
#include <span>
#include <vector>

#include "inference/corpus.hpp"
#include "inference/search/corpus_space.hpp"
#include "inference/search/queue.hpp"
#include "inference/spaces/best_ranks.hpp"
#include "inference/spaces/expanded.hpp"
#include "inference/structures/segment_model.hpp"
#include "inference/structures/segment_steps.hpp"
#include "losses/segments.hpp"

namespace riata {

// A state is a position; the segments are stored in the tree. States of one position that agree in all that templates read of earlier
// segments have the same continuations and are merged, unless the queue asks for no merging. An operator is the code of a segment.
template <class Real>
class SegmentSpace : public CorpusSpace {
 public:
  // grows: whether features that an update touches for the first time are added to the model and to the weights.
  SegmentSpace(const Corpus& corpus, SegmentModel<Real>& model, Vector<Real>& weights, bool grows, const QueueSpec& queue)
      : corpus_(corpus),
        order_(model.templates.order()),
        looks_back_(model.templates.looks_back()),
        reads_start_(model.templates.reads_start()),
        stride_(model.weights.coding.stride()),
        coding_(model.weights.coding),
        weights_(weights),
        grown_(model.weights.grown),
        grows_(grows),
        merges_(queue.merge),
        remembers_(queue.remembers()),
        steps_(model.templates, coding_, grown_, corpus.instances, weights),
        loss_(coding_),
        label_unit_(key_after(0, Length(1), LabelId(1)) - key_after(0, Length(1), LabelId(0))),
        length_unit_(key_after(0, Length(2), LabelId(0)) - key_after(0, Length(1), LabelId(0))),
        expanded_(queue.blind()) {}

  void open(std::int64_t sentence, bool with_truth) override {
    steps_.open(sentence);
    if (with_truth) loss_.open(corpus_.gold_of(sentence));
    expanded_.clear();
  }

  void codes(std::span<const ActionId> path, std::span<std::int32_t> out) const override {
    std::fill(out.begin(), out.end(), -1);
    std::size_t t = 0;
    for (const ActionId code : path) {
      out[t] = code;
      t += coding_.length(code).place();
    }
  }

  void parts(StateId from, ActionId code, std::vector<Part>& out) const override {
    out.push_back({from.number(), coding_.label(code).number()});
  }
  std::int32_t decided(StateId state) const override { return state.number(); }

  void regrets(std::span<const std::int32_t> output, std::vector<double>& out) override {
    std::int32_t sum = 0, end = 0;
    for (std::int32_t t = 0; t < static_cast<std::int32_t>(output.size()); ++t) {
      const std::int32_t code = output[static_cast<std::size_t>(t)];
      if (code < 0) continue;
      out.push_back(sum + loss_.least(t));
      sum += loss_.of(t, coding_.length(code), coding_.label(code));
      end = t + coding_.length(code);
    }
    out.push_back(sum + loss_.least(end));
  }

  // Every token gets the probability of its segment.
  void units(const Lattice& lattice, std::span<const std::int32_t> output, const ChunkFlags&, std::int64_t, double* out) override {
    for (const Lattice::Edge& edge : lattice.edges()) {  // edges that are segments of the output count
      const std::int32_t start = lattice.nodes()[static_cast<std::size_t>(edge.from)].state.number();
      if (output[static_cast<std::size_t>(start)] == edge.action) out[start] += lattice.probability(edge.from) * edge.probability;
    }
    for (std::size_t t = 0; t < output.size(); ++t) out[t] = output[t] < 0 ? out[t - 1] : std::min(out[t], 1.0);
  }

  StateId initial() override { return StateId(0); }
  bool is_goal(StateId state) override { return state.number() == steps_.length(); }
  StateId apply(StateId state, ActionId action) override { return StateId(state.number() + coding_.length(action)); }
  std::int32_t covered(const Tree& tree, NodeId node) const override { return tree[node].state.number(); }

  double initial_regret() override { return loss_.least(0); }
  double regret(const Tree& tree, NodeId node) override {
    std::int32_t sum = loss_.least(tree[node].state.number());
    for (; tree[node].parent; node = tree[node].parent) {
      const ActionId code = tree[node].action;
      sum += loss_.of(start(tree, node), coding_.length(code), coding_.label(code));
    }
    return sum;
  }

  bool merges() const override { return merges_; }
  std::int64_t key(const Tree& tree, NodeId node) override {
    if (!tree[node].parent) return -1;
    look_back(tree, tree[node].parent);
    return key_after(start(tree, node), coding_.length(tree[node].action), coding_.label(tree[node].action));
  }

  void expand(const Tree& tree, std::span<const NodeId> frontier, const Ranking& ranking, bool learning,
              std::vector<Candidate>& out) override {
    ranks_.begin();
    const auto key_of_state = [&](NodeId id) { return key(tree, id); };
    const auto expand_one = [&](NodeId id) { expand_node(tree, id, ranking, learning, out); };
    expanded_.each(tree, frontier, remembers_ && !aside_, key_of_state, expand_one, out);
  }

  double step_score(const Tree& tree, NodeId node) override {
    const std::int32_t t = start(tree, node);
    look_back(tree, tree[node].parent);
    const Real* history = looks_back_ ? steps_.history(t, before_) : nullptr;
    const Real* row = steps_.spans(t) + (coding_.length(tree[node].action).place() - 1) * stride_;
    return step(row, history, coding_.label(tree[node].action));
  }

  void features(const Tree& tree, NodeId node, StepFeatures& out) override {
    look_back(tree, tree[node].parent);
    features_of(start(tree, node), coding_.length(tree[node].action), coding_.label(tree[node].action), before_, out);
  }

  // Appends the features of a segment that starts at token t.
  void features_of(std::int32_t t, Length length, LabelId label, const Before& before, StepFeatures& out) {
    const auto visit = [&](RowId row) { out.push_back({weight_place(row, label, stride_), 1.0}); };
    if (!grows_) return steps_.each_row(t, length, before, KnownRows{grown_}, visit);
    steps_.each_row(t, length, before, AddedRows{grown_}, visit);
    weights_.grow(std::size_t(grown_.rows()) * stride_);
  }

  // -1, which stands for an unknown identity, if there are too many labels for one number.
  std::int64_t step_identity(const Tree& tree, NodeId node) override {
    const std::int32_t t = start(tree, node);
    look_back(tree, tree[node].parent);
    const std::int64_t back = key_of(t, before_.start, before_.labels, order_);
    const std::int64_t codes = std::int64_t{coding_.labels} * coding_.most.number();
    return back >= std::numeric_limits<std::int64_t>::max() / codes - 1 ? -1 : back * codes + tree[node].action;
  }

  void looking_aside(bool is) override { aside_ = is; }
  void weights_changed() override { expanded_.clear(); }  // cached rows store the version of the weights with which they were computed

 private:
  static constexpr std::int64_t few = 64;  // largest width of a queue for which selecting the best early saves time
  static constexpr Real never = -std::numeric_limits<Real>::infinity();

  std::int32_t start(const Tree& tree, NodeId node) const noexcept { return tree[node].state.number() - coding_.length(tree[node].action); }
  static double step(const Real* row, const Real* history, LabelId label) noexcept {
    return double(history == nullptr ? row[label.place()] : row[label.place()] + history[label.place()]);
  }
  // The label with the highest score; the first one of several.
  LabelId highest(const Real* row, const Real* history) const noexcept {
    LabelId best(0);
    for (LabelId label(1); label.number() < coding_.labels; ++label) {
      if (step(row, history, label) > step(row, history, best)) best = label;
    }
    return best;
  }

  // If templates read no earlier labels, all segments of one length lead to the same state, and only the best is listed. If all keys
  // differ, or nothing is merged, candidates that cannot survive are left out: as many better ones are known as the queue keeps.
  void expand_node(const Tree& tree, NodeId id, const Ranking& ranking, bool learning, std::vector<Candidate>& out) {
    const Node& node = tree[id];
    const std::int32_t t = node.state.number();
    look_back(tree, id);
    const Real* spans = steps_.spans(t);
    const Real* history = looks_back_ ? steps_.history(t, before_) : nullptr;
    const Real* peaks = steps_.peaks(t);
    const Real history_peak = history == nullptr ? Real{0} : *std::max_element(history, history + coding_.labels);
    const bool choosy = ranking.width <= few && !aside_, merged = order_ == 0 && merges_ && !aside_;
    const std::size_t first = out.size();
    ranks_.begin_node();
    const bool simple = merged && !(learning && node.good);  // no label can be y-good, so the highest score is the best
    const std::int64_t first_key = key_after(t, Length(1), LabelId(0));
    for (Length l(1); l <= steps_.lengths(t); ++l) {
      const Real* row = spans + (l.place() - 1) * stride_;
      const Real peak = peaks[l.place() - 1];
      if (peak == never || (choosy && node.score + double(peak + history_peak) < ranks_.least())) continue;
      const std::int32_t code = coding_.code(l, LabelId(0));  // of the first label
      const std::int64_t key = first_key + (l.number() - 1) * length_unit_;
      const Judged judged = learning ? judge(node, t, l) : Judged{};
      const auto candidate_of = [&](LabelId label) {
        const double score = node.score + step(row, history, label);
        Candidate candidate{score, 0, key + label.number() * label_unit_, 0, id, code + label.number(), false};
        if (learning) judged(candidate);
        return candidate;
      };
      if (simple) {
        take(candidate_of(highest(row, history)), ranking, choosy, out);
        continue;
      }
      Candidate best;
      best.action = -1;
      for (LabelId label(0); label.number() < coding_.labels; ++label) {
        if (row[label.place()] == never || (choosy && node.score + step(row, history, label) < ranks_.least())) continue;
        const Candidate candidate = candidate_of(label);
        if (!merged)
          take(candidate, ranking, choosy, out);
        else if (best.action < 0 || ranking.beats(candidate, best))
          best = candidate;
      }
      if (best.action >= 0) take(best, ranking, choosy, out);
    }
    if (choosy) ranks_.drop_hopeless(ranking, first, out);
  }

  // Fills in the regret of a candidate; and whether it is y-good, if it is the child of a y-good node.
  struct Judged {
    std::int32_t gold = -1;  // the true segment that starts at the token
    double right = 0, wrong = 0, least = 0;
    bool good = false;
    void operator()(Candidate& candidate) const noexcept {
      candidate.regret = candidate.action == gold ? right : wrong;
      candidate.good = good && candidate.regret == least;
    }
  };
  // The regrets of the segments of one length after a node: of the true one, and of all others.
  Judged judge(const Node& node, std::int32_t t, Length length) const noexcept {
    const double right = node.regret - loss_.least(t) + loss_.least(t + length);
    return {loss_.gold(t), right, right + loss_.of_wrong(t, length), double(loss_.least(0)), node.good};
  }

  void take(const Candidate& candidate, const Ranking& ranking, bool choosy, std::vector<Candidate>& out) {
    if (!choosy || ranks_.takes(ranking, candidate)) out.push_back(candidate);
  }

  // Writes the segments before the step out of a node to before_.
  void look_back(const Tree& tree, NodeId id) {
    if (!looks_back_) return;
    before_ = {};
    if (tree[id].parent) before_.start = start(tree, id);
    for (std::int32_t k = 0; k < order_ && tree[id].parent; ++k, id = tree[id].parent)
      before_.labels[k] = coding_.label(tree[id].action).value();
  }

  // The key of the state to which a segment from token t leads, after the segments that look_back has read.
  std::int64_t key_after(std::int32_t t, Length length, LabelId label) const noexcept {
    std::int32_t labels[SegmentTemplates::most_back + 1] = {label.value()};
    std::copy(before_.labels, before_.labels + SegmentTemplates::most_back, labels + 1);
    return key_of(t + length, t, labels, order_);
  }

  // States with the same key have the same continuations: it contains the position, labels, and a start if templates read it. BackCodes
  // checks that the number does not overflow.
  std::int64_t key_of(std::int32_t position, std::int32_t start, const std::int32_t* labels, std::int32_t count) const noexcept {
    std::int64_t key = position;
    for (std::int32_t k = 0; k < count; ++k) key = key * (coding_.labels + 1) + labels[k];
    return reads_start_ ? key * (coding_.most.number() + 1) + (start < 0 ? 0 : position - start) : key;
  }

  Corpus corpus_;
  std::int32_t order_;
  bool looks_back_, reads_start_;
  std::int32_t stride_;
  const SegmentCoding& coding_;
  Vector<Real>& weights_;
  GrownRows& grown_;
  bool grows_;
  bool merges_, remembers_;
  bool aside_ = false;
  SegmentSteps<Real> steps_;
  SegmentLoss loss_;
  Before before_;                          // as look_back writes it
  std::int64_t label_unit_, length_unit_;  // differences of keys: from a label to the next, and from a length to the next
  BestRanks ranks_;
  Expanded expanded_;
};

}  // namespace riata
