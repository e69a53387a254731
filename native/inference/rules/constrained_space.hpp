// A search space under rules: any space of a corpus, without the operators that lead to no output that keeps the rules.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <unordered_map>
#include <unordered_set>
#include <utility>
#include <vector>

#include "inference/corpus.hpp"
#include "inference/rules/check.hpp"
#include "inference/rules/monitors.hpp"
#include "inference/search/corpus_space.hpp"
#include "inference/search/queue.hpp"
#include "inference/spaces/expanded.hpp"

namespace riata {

// States are those of the inner space; what rules remember belongs to nodes. Penalties of rules are subtracted from scores as soon as they
// are due. States are merged if the inner space would merge them and rules remember the same, so an unbounded beam is exact.
//
// During learning, the truth must be reachable. Rules that it breaks do not count for its sentence. If the inner space cannot reach the
// truth itself, it is unknown which rules the closest outputs keep, so that no rule counts.
class ConstrainedSpace : public CorpusSpace {
 public:
  // Appends the parts of an output.
  using PartsOf = std::function<void(Codes, std::vector<Part>&)>;

  // make: gives the space that a queue searches. It is asked for one that merges nothing. number: of a sentence in the rules; empty: its
  // own.
  ConstrainedSpace(const Corpus& corpus, const Rules& rules, PartsOf parts_of, const QueueSpec& queue,
                   const std::function<std::unique_ptr<CorpusSpace>(const QueueSpec&)>& make, std::span<const std::int64_t> numbers = {})
      : corpus_(corpus),
        rules_(rules),
        parts_of_(std::move(parts_of)),
        merges_(queue.merge),
        remembers_(queue.remembers()),
        inner_(make({queue.name, queue.width, queue.by, false})),
        check_(rules),
        monitors_(rules),
        numbers_(numbers),
        expanded_(queue.blind()) {
    rules.check_order(inner_->order() == Order::by_position, inner_->order() == Order::any);
  }

  void open(std::int64_t sentence, bool with_truth) override;
  // To be called after open: computes how much the rest of an output can add to the score of each state, if there were no rules. From then
  // on it is the heuristic of candidates, so that a search by A* is exact. Returns false, and changes nothing, if the inner space has more
  // than `most` steps between states that it would not merge.
  bool look_ahead(std::size_t most);

  // To be called after open: what every output has to pay. Scores of nodes do not say it.
  double due() const noexcept { return monitors_.start().penalty; }

  // A candidate that rules forbid, and the origin of a rule that does.
  struct Forbidden {
    Candidate candidate;
    StateId from;  // the state before it
    std::int32_t origin;
  };
  // Records candidates that rules forbid from now on, if they are all to be seen.
  void watch(std::size_t most) { watched_ = most; }
  std::int64_t unwatched() const noexcept { return unwatched_; }
  const std::vector<Forbidden>& forbidden() const noexcept { return forbidden_; }

  void add_losses() override { inner_->add_losses(); }
  void check_truth(std::int64_t sentence) const override { inner_->check_truth(sentence); }
  void codes(std::span<const ActionId> path, std::span<std::int32_t> out) const override { inner_->codes(path, out); }
  void regrets(std::span<const std::int32_t> output, std::vector<double>& out) override { inner_->regrets(output, out); }
  std::size_t tracks() const override { return inner_->tracks(); }
  void units(const Lattice& lattice, std::span<const std::int32_t> output, const ChunkFlags& chunks, std::int64_t apart,
             double* out) override {
    inner_->units(lattice, output, chunks, apart, out);
  }
  void parts(StateId from, ActionId action, std::vector<Part>& out) const override { inner_->parts(from, action, out); }
  std::int32_t number_of(ActionId action) const override { return inner_->number_of(action); }
  std::int32_t decided(StateId state) const override { return inner_->decided(state); }

  StateId initial() override;
  bool is_goal(StateId state) override { return inner_->is_goal(state); }
  void expand(const Tree& tree, std::span<const NodeId> frontier, const Ranking& ranking, bool learning,
              std::vector<Candidate>& out) override;
  StateId apply(StateId state, ActionId action) override { return inner_->apply(state, action); }
  double initial_regret() override { return inner_->initial_regret(); }
  double regret(const Tree& tree, NodeId node) override { return inner_->regret(tree, node); }
  bool merges() const override { return merges_; }
  std::int64_t key(const Tree& tree, NodeId node) override;
  std::int32_t covered(const Tree& tree, NodeId node) const override { return inner_->covered(tree, node); }
  double step_score(const Tree& tree, NodeId node) override;
  void features(const Tree& tree, NodeId node, StepFeatures& out) override { inner_->features(tree, node, out); }
  std::int64_t step_identity(const Tree& tree, NodeId node) override { return inner_->step_identity(tree, node); }
  void looking_aside(bool is) override {
    aside_ = is;
    inner_->looking_aside(is);
  }
  void weights_changed() override {
    expanded_.clear();
    inner_->weights_changed();
  }

 private:
  // What is known of a step: not asked yet, or where it leads.
  struct Known {
    bool asked = false;
    Monitors::Step step = {};
    std::int32_t forbidden_by = 0;
  };
  struct State {
    std::int32_t number;
    MonitorId monitor;
    bool operator==(const State&) const = default;
  };
  // A step of the inner space between two classes of states with the same continuations.
  struct Step {
    std::int32_t from, to;
    double score;
  };
  struct Merged {
    std::int64_t inner;
    State state;
    bool operator==(const Merged&) const = default;
  };
  struct Hash {
    std::size_t operator()(const State& state) const noexcept;
    std::size_t operator()(const Merged& merged) const noexcept;
  };

  void list(const Tree& tree, std::span<const NodeId> nodes, const Ranking& ranking, bool learning, std::vector<Candidate>& out);
  void list_best(const Tree& tree, const Ranking& ranking, std::vector<Candidate>& out);
  bool looks_ahead(const Tree& tree, Candidate& candidate);
  bool keeps(const Tree& tree, Candidate& candidate);
  bool list_steps(std::size_t most);
  MonitorId monitor(const Tree& tree, NodeId node);
  std::int32_t steps_from(StateId state, MonitorId monitor);
  Monitors::Step step(std::int32_t steps, StateId from, MonitorId monitor, ActionId action);
  std::int64_t key_of(std::int64_t inner, std::int32_t place, MonitorId monitor);

  Corpus corpus_;
  const Rules& rules_;
  PartsOf parts_of_;
  bool merges_, remembers_, aside_ = false;
  std::size_t watched_ = 0;     // how many forbidden steps are recorded at most
  std::int64_t unwatched_ = 0;  // how many more there were
  std::vector<Forbidden> forbidden_;
  std::unique_ptr<CorpusSpace> inner_;
  RuleCheck check_;
  Monitors monitors_;
  std::span<const std::int64_t> numbers_;
  Expanded expanded_;
  std::vector<MonitorId> of_nodes_;  // [nodes] what rules remember at a node; none: not asked yet
  std::unordered_map<State, std::int32_t, Hash> places_;
  std::vector<std::vector<Known>> steps_;  // [states of the sentence][operators]
  std::unordered_map<Merged, std::int64_t, Hash> keys_;
  std::unordered_map<Merged, std::int32_t, Hash> classes_;  // of states of the inner space, without what rules remember
  std::vector<Step> ahead_;                                 // in the order of positions
  std::vector<double> rest_;                                // [classes] what the rest of an output adds at most; empty: not known
  std::vector<Part> parts_;
  std::vector<Candidate> listed_;
  NodeId last_;                     // the node whose steps were looked at last,
  std::int32_t steps_of_last_ = 0;  // and their place
  std::vector<std::pair<double, std::size_t>> waiting_;
  std::vector<double> survivors_;
  std::vector<std::size_t> chosen_;
  std::unordered_set<std::int64_t> found_;
  std::vector<std::int32_t> without_;
};

}  // namespace riata
