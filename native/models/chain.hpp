// A linear chain model: scores of the parts of one sentence, and decoding of a corpus.
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "features/index.hpp"
#include "features/instances.hpp"
#include "inference/constraint.hpp"
#include "inference/exact/viterbi.hpp"
#include "models/weights.hpp"

namespace riata {

// Called now and then from long loops with the number of sentences done; returns false to stop.
using Poll = std::function<bool(std::int64_t)>;

// Says when to poll: after a fixed amount of work, however long the sentences and however many the labels.
class PollClock {
 public:
  explicit PollClock(std::int32_t labels) noexcept : per_token_(std::int64_t{labels} * labels + 500) {}
  bool due(std::int64_t tokens) noexcept {
    left_ -= tokens * per_token_;
    if (left_ > 0) return false;
    left_ = work;
    return true;
  }

 private:
  static constexpr std::int64_t work = 2'000'000;  // about a millisecond
  std::int64_t per_token_;
  std::int64_t left_ = 0;  // the first question is always due
};

// Throws Error unless the instances were made with this index and fit these weights.
template <class Real>
void check_fit(const FeatureIndex& index, const Weights<Real>& weights, const Instances& instances);

// Throws Error where templates read labels further back than dynamic programming here does.
void check_first_order(const FeatureIndex& index);

// Fills `chain` with the scores of sentence s, constraints included.
template <class Real>
void score_sentence(const FeatureIndex& index, const Weights<Real>& weights, const Constraint<Real>& constraint,
                    const Instances& instances, std::int64_t s, ChainScores<Real>& chain);

// The best labels of every sentence: [N]. Stops early, leaving -1, when poll says so.
template <class Real>
std::vector<std::int32_t> decode(const FeatureIndex& index, const Weights<Real>& weights, const Constraint<Real>& constraint,
                                 const Instances& instances, const Poll& poll);

// The score of given labels [N], sentence by sentence: [S]; minus infinity where they are not allowed.
template <class Real>
std::vector<double> scores_of(const FeatureIndex& index, const Weights<Real>& weights, const Constraint<Real>& constraint,
                              const Instances& instances, std::span<const std::int32_t> labels);

// Visit the rows that fire at token t of sentence s: node(row of [stride], value) and, for t > 0, edge(row of
// [labels][stride], value). A row is whatever `rows` makes of its place: a pointer into weights, or a number.
template <class Rows, class Visit>
void for_each_node_row(const FeatureIndex& index, Rows& rows, const Instances& instances, std::int64_t s, std::int64_t t, Visit visit) {
  const std::int64_t at = instances.origin(s) + t;
  for (const Slot& slot : index.node_slots()) {
    const std::int32_t id = instances.ngrams[slot.family][at + slot.offset];
    if (id >= 0) visit(rows.node_row(slot.family, std::size_t(id) * slot.slots + slot.slot), 1.0f);
  }
  if (instances.given_starts.empty()) return;
  const std::int64_t token = instances.starts[s] + t;
  for (std::int64_t k = instances.given_starts[token]; k < instances.given_starts[token + 1]; ++k)
    visit(rows.given_row(std::size_t(instances.given_ids[k])), instances.given_values[k]);
}

template <class Rows, class Visit>
void for_each_edge_row(const FeatureIndex& index, Rows& rows, const Instances& instances, std::int64_t s, std::int64_t t, Visit visit) {
  if (t == 0) return;
  if (index.transitions()) visit(rows.transition_row(), 1.0f);
  const std::int64_t at = instances.origin(s) + t;
  for (const Slot& slot : index.edge_slots()) {
    const std::int32_t id = instances.ngrams[slot.family][at + slot.offset];
    if (id >= 0) visit(rows.edge_row(slot.family, std::size_t(id) * slot.slots + slot.slot), 1.0f);
  }
}

template <class Rows, class Node, class Edge>
void for_each_row(const FeatureIndex& index, Rows& rows, const Instances& instances, std::int64_t s, std::int64_t t, Node node, Edge edge) {
  for_each_node_row(index, rows, instances, s, t, node);
  for_each_edge_row(index, rows, instances, s, t, edge);
}

}  // namespace riata
