// A search problem written in Python as a space of the engine: states, actions, keys and features are numbered.
#pragma once

#include <nanobind/nanobind.h>

#include <cstdint>
#include <limits>
#include <span>
#include <string>
#include <vector>

#include "features/name_index.hpp"
#include "inference/search/queue.hpp"
#include "inference/search/space.hpp"
#include "models/vector.hpp"

namespace riata::bind {

namespace nb = nanobind;

inline constexpr std::size_t most_actions = 1'000'000;   // actions of one state: more come from a method that yields for ever
inline constexpr std::size_t most_features = 1'000'000;  // of one state or step
inline constexpr double most_value = 1e100;              // largest value of a feature or a loss: scores and norms must stay finite

// The names that a model knows.
struct Vocabulary {
  NameIndex features;
  nb::list actions;     // [ActionId]
  nb::dict action_ids;  // action -> ActionId
};

// The methods of a problem; methods that it does not define are null.
struct Methods {
  nb::object initial, actions, apply, is_goal;  // always defined
  nb::object features, observe, regret, key, heuristic, covered, parts, loss_increment;
};

struct SpaceOptions {
  bool grows = false;              // learning: whether new names and actions are added to the vocabulary
  std::int64_t width = unbounded;  // of a beam over operations: the states of worse candidates are never asked for
  bool complete_start = false;     // hill-climb: the initial state must be a goal
  bool by_level = false;           // whether only states of the last level are continued
  bool adds_losses = false;        // whether loss_increment is added to the score of every step; the truth must be known
  bool merge = true;               // whether only the best of the states of equal key is kept
};

// Python is asked for each thing once: for a state's operators and features when it is first expanded, for a child when it may survive, for
// regret and key when they are needed.
//
// If the problem has keys, the space remembers the states that this search has expanded: a path that reaches a known key with no better
// score is not continued, nor is a path that returns to one of its own states. So searches of cyclic spaces end. During learning, y-good
// steps are exempt: an update against the path that was there first needs the truth in the queue. Without merging, only paths that return
// to one of their own states are not continued.
//
// A state may contain its whole history, so memory could grow with the square of the depth. If the stored states get large, states that
// will not be continued are dropped, oldest first. A dropped state that is needed after all is created again by the operators that led to
// it.
class PythonSpace : public Space {
 public:
  PythonSpace(const Methods& methods, Vocabulary& vocabulary, Vector<double>& weights, const SpaceOptions& options)
      : methods_(methods), vocabulary_(vocabulary), weights_(weights), options_(options) {}

  // Must be called before every example; y may be null during decoding.
  void open(nb::handle x, nb::handle y);

  // While true, expand lists every operator, and the memory of visited states is neither read nor changed.
  void looking_aside(bool is) override { aside_ = is; }

  // The Python objects that the numbers stand for.
  const nb::object& state(StateId id) const;
  nb::handle action(StateId id, ActionId action) const;

  // The state that was expanded last, in words, for error messages.
  std::string last_state() const;

  // Whether the features of some state differed between its operators; and how many states with several operators were asked until then.
  bool tells_apart() const noexcept { return tells_apart_; }
  std::int64_t choices() const noexcept { return choices_; }
  // Whether some step was wrong.
  bool tells_wrong() const noexcept { return tells_wrong_; }

  StateId initial() override;
  bool is_goal(StateId state) override;
  void expand(const Tree& tree, std::span<const NodeId> frontier, const Ranking& ranking, bool learning,
              std::vector<Candidate>& out) override;
  StateId apply(StateId state, ActionId action) override { return child(state, place(state, action)); }
  double initial_regret() override { return regret_of(StateId(0)); }
  double regret(const Tree& tree, NodeId node) override { return regret_of(tree[node].state); }
  bool merges() const override { return options_.merge && methods_.key.is_valid(); }
  std::int64_t key(const Tree& tree, NodeId node) override { return merges() ? key_of(tree[node].state) : 0; }
  std::int32_t covered(const Tree& tree, NodeId node) const override { return covered_by(tree[node].state); }
  std::int32_t covered_by(StateId state) const;
  double step_score(const Tree& tree, NodeId node) override;
  void features(const Tree& tree, NodeId node, StepFeatures& out) override;
  void weights_changed() override { best_.assign(best_.size(), never); }

 private:
  static constexpr double never = -std::numeric_limits<double>::infinity();
  static constexpr std::int64_t most_held = 1 << 24;  // in pointers: 128 MB
  static constexpr double unasked = std::numeric_limits<double>::quiet_NaN();

  struct Value {
    NameId name;
    double value;
    bool operator==(const Value&) const = default;
  };
  struct Range {
    std::size_t from = 0, to = 0;
  };
  struct State {
    nb::object value = {};  // null if it was dropped and must be created again
    StateId parent;         // the state from which an operator leads here
    std::size_t operation = 0;
    std::int32_t depth = 0;
    std::int64_t size = 0;      // size of `value`, in pointers
    nb::object operators = {};  // a tuple, once it has been asked for
    Range actions = {};         // in actions_: the ids of the operators
    Range observed = {};        // observed features, in values_
    std::size_t steps = 0;      // first of the operators in steps_
    std::int64_t key = -1;
    double regret = unasked;
    double heuristic = unasked;
    std::int8_t goal = -1;
  };
  struct Step {  // an operator of a state
    StateId child;
    Range features = {};    // in values_: the features of features(x, s, a)
    double loss = unasked;  // loss_increment(x, s, a, y)
  };
  struct Draft {  // a candidate, before it is decided whether Python is asked about it
    Candidate candidate;
    std::size_t operation;
  };

  State& at(StateId id) { return states_[id.place()]; }
  const State& at(StateId id) const { return states_[id.place()]; }

  StateId add_state(State state);
  nb::object operator_of(StateId state, std::size_t operation) const;
  void hold(StateId id, nb::object value) const;
  void drop_old() const;
  template <class Over>
  void drop_if(Over over) const;
  void note_choice(std::size_t steps, std::size_t count, bool observed);
  StateId child(StateId state, std::size_t operation);
  std::size_t place(StateId state, ActionId action) const;
  void ask_operators(StateId state);
  ActionId action_id(nb::handle action);
  void ask_parts(ActionId id, nb::handle action);
  std::span<const ActionId> parts_of(ActionId action) const noexcept {
    if (!methods_.parts.is_valid()) return {};
    return parts_[static_cast<std::size_t>(action)];
  }
  Range read_features(const nb::object& list, const char* method);
  Value read_feature(nb::handle item, const char* method);

  std::int64_t key_of(StateId state);
  double regret_of(StateId state);
  double heuristic_of(StateId state);
  double loss_of(StateId state, std::size_t operation);

  void draft(const Tree& tree, NodeId node);
  void sum_observed(const Range& actions, const Range& observed);
  bool complete(const Tree& tree, bool learning, Draft& draft);
  void select(const Tree& tree, bool learning, std::vector<Candidate>& out);
  bool visited(const Tree& tree, const Candidate& candidate);
  bool comes_back(const Tree& tree, const Candidate& candidate);
  double score_of(const State& state, std::size_t operation, ActionId action) const;

  const Methods& methods_;
  Vocabulary& vocabulary_;
  Vector<double>& weights_;
  SpaceOptions options_;
  bool aside_ = false;

  nb::object x_, y_;
  nb::dict new_actions_;               // actions that the vocabulary does not have, during decoding
  nb::dict keys_;                      // key -> number
  mutable std::vector<State> states_;  // values are dropped and created again
  mutable std::vector<StateId> held_;  // states that have a value, oldest first
  // Size of the stored states; size above which some are dropped; size of the state measured last.
  mutable std::int64_t size_ = 0, most_ = 0, last_size_ = 0;
  std::vector<ActionId> actions_;
  // [actions] parts other than the action itself, without repetition; only those that have weights.
  std::vector<std::vector<ActionId>> parts_;
  std::vector<std::uint8_t> has_parts_;  // [actions] whether the parts have been asked for
  std::vector<Step> steps_;
  std::vector<Value> values_;
  std::vector<double> best_;  // [keys] the best score of an expanded state; `never`: not expanded
  StateId last_;
  std::int64_t choices_ = 0;  // number of states with several operators
  bool tells_apart_ = false, tells_wrong_ = false;

  std::vector<Draft> drafts_;                // of one expansion
  std::vector<double> by_action_;            // [actions] scores of the present state, by action or part of an action
  std::vector<ActionId> joined_with_;        // the actions of the present state and their parts, without repetition
  std::vector<std::size_t> order_, chosen_;  // numbers of drafts_
  std::vector<std::uint64_t> seen_;          // [keys] number of the last expansion that chose the key
  std::uint64_t expansion_ = 0;
};

}  // namespace riata::bind
