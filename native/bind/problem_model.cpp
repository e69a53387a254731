#include "bind/problem_model.hpp"

#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <memory>
#include <span>
#include <utility>

#include "bind/problem_search.hpp"
#include "bind/search.hpp"
#include "bind/trace.hpp"
#include "core/error.hpp"
#include "inference/search/lattice.hpp"
#include "learning/trace_learner.hpp"

namespace riata::bind {
namespace {

nb::list path_to(const Tree& tree, const PythonSpace& space, NodeId node) {
  std::vector<nb::handle> actions;
  for (; tree[node].parent; node = tree[node].parent) actions.push_back(space.action(tree[tree[node].parent].state, tree[node].action));
  nb::list path;
  for (auto action = actions.rbegin(); action != actions.rend(); ++action) path.append(*action);
  return path;
}

// (actions, final state, number) of every goal.
template <class Number>
nb::list valued(const Tree& tree, const PythonSpace& space, const std::vector<NodeId>& goals, Number number) {
  nb::list out;
  for (const NodeId id : goals) out.append(nb::make_tuple(path_to(tree, space, id), space.state(tree[id].state), number(tree[id])));
  return out;
}

// A lattice that keeps the last front.
class LastFront : public Lattice {
 public:
  using Lattice::Lattice;
  void at_front(const Search& search, std::span<const NodeId> front) override {
    Lattice::at_front(search, front);
    last_.assign(front.begin(), front.end());
  }
  const std::vector<NodeId>& last() const noexcept { return last_; }

 private:
  std::vector<NodeId> last_;
};

// The probability of each step of a path: of all paths that take the same action at the same place. The place of a step is the number of
// steps before it or, if prefixes of equal length compete, how much of the input is covered.
std::vector<double> of_steps(const Tree& tree, NodeId goal, const Lattice& lattice, const PythonSpace& space, bool by_prefix) {
  const auto place = [&](const Node& node) { return by_prefix ? space.covered_by(node.state) : node.depth; };
  std::vector<std::int32_t> places;  // [nodes of the lattice] place of each
  for (const Node& node : lattice.nodes()) places.push_back(place(node));
  std::map<std::pair<std::int32_t, ActionId>, double> shares;  // (place, action) -> probability
  for (const Lattice::Edge& edge : lattice.edges())
    shares[{places[static_cast<std::size_t>(edge.from)], edge.action}] += lattice.probability(edge.from) * edge.probability;
  std::vector<double> out;
  for (NodeId id = goal; tree[id].parent; id = tree[id].parent)
    out.push_back(std::min(shares[{place(tree[tree[id].parent]), tree[id].action}], 1.0));
  return {out.rbegin(), out.rend()};
}

void check_pairs(const nb::list& inputs, const nb::list& outputs) {
  if (nb::len(outputs) != nb::len(inputs)) throw Error("RiataError", "the outputs do not fit the inputs");
}

}  // namespace

ProblemModel::ProblemModel(const Vocabulary& all, const Numbers<double>& weights) {
  for (nb::handle action : all.actions) add_action(action);
  for (WeightId i(0); i.place() < weights.size(); ++i) {
    if (weights[i.place()] != 0) add(all.features.name_of(i), all.features.action_of(i), weights[i.place()]);
  }
}

ProblemModel::ProblemModel(const std::vector<std::string>& names, const nb::list& actions, const std::vector<std::int32_t>& actions_of,
                           const std::vector<double>& weights) {
  for (nb::handle action : actions) add_action(action);
  bool ok = names.size() == weights.size() && actions_of.size() == weights.size();
  for (const std::int32_t action : actions_of) ok = ok && action >= -1 && action < static_cast<std::int32_t>(nb::len(actions));
  if (!ok) throw Error("DataError", "names, actions and weights do not fit each other");
  for (std::size_t i = 0; i < names.size(); ++i) add(names[i], actions_of[i], weights[i]);
}

nb::tuple ProblemModel::parts() const {
  nb::list names, of, values;
  for (WeightId i(0); i.number() < vocabulary_.features.weights(); ++i) {
    const std::string_view name = vocabulary_.features.name_of(i);
    names.append(nb::str(name.data(), name.size()));
    of.append(vocabulary_.features.action_of(i));
    values.append(weights_[i.place()]);
  }
  return nb::make_tuple(names, nb::list(vocabulary_.actions), of, values);
}

Vocabulary ProblemModel::vocabulary() const {
  return {vocabulary_.features, nb::steal<nb::list>(PySequence_List(vocabulary_.actions.ptr())),
          nb::steal<nb::dict>(PyDict_Copy(vocabulary_.action_ids.ptr()))};
}

void ProblemModel::add_action(nb::handle action) {
  vocabulary_.action_ids[action] = nb::len(vocabulary_.actions);
  vocabulary_.actions.append(action);
}

void ProblemModel::add(std::string_view name, std::int32_t action, double weight) {
  const std::size_t id = vocabulary_.features.add(vocabulary_.features.add_name(name), action).place();
  if (id == weights_.size()) weights_.push_back(0);
  weights_[id] += weight;
}

template <class Truth, class What>
nb::list ProblemModel::of_every_input(const nb::object& problem, const std::vector<std::string>& defined, const nb::list& inputs,
                                      Truth truth_of, const nb::dict& settings, What what_of) {
  const Methods methods = methods_of(problem, defined);
  const QueueSpec spec = queue_of(settings);
  Vector<double> weights(weights_);
  PythonSpace space(methods, vocabulary_, weights, options_of(spec, false));
  const std::unique_ptr<Queue> queue = make_queue(spec);
  Search search(space, *queue, limits_of(settings));
  const DepthLimit depth(settings);
  nb::list out;
  for (std::size_t i = 0; i < nb::len(inputs); ++i) {
    space.open(inputs[i], truth_of(i));
    search.limit_depth(depth.of(inputs[i]));
    at_example(static_cast<std::int64_t>(i), space, [&] { out.append(what_of(search, space)); });
  }
  return out;
}

nb::list ProblemModel::decode(const nb::object& problem, const std::vector<std::string>& defined, const nb::list& inputs,
                              const nb::dict& settings) {
  const auto no_truth = [](std::size_t) { return nb::object(); };
  return of_every_input(problem, defined, inputs, no_truth, settings, [](Search& search, PythonSpace& space) {
    const NodeId goal = check_found(search.run());
    return nb::make_tuple(path_to(search.tree(), space, goal), space.state(search.tree()[goal].state));
  });
}

template <class What>
nb::list ProblemModel::of_every_lattice(const nb::object& problem, const std::vector<std::string>& defined, const nb::list& inputs,
                                        const nb::dict& settings, What what_of) {
  const QueueSpec spec = queue_of(settings);
  check_keeps_levels(spec);
  const auto no_truth = [](std::size_t) { return nb::object(); };
  return of_every_input(problem, defined, inputs, no_truth, settings, [&](Search& search, PythonSpace& space) {
    LastFront lattice(space, spec, space.merges());
    const NodeId goal = check_found(search.run(nullptr, &lattice));
    const bool ended = search.at_goal();  // otherwise the time was over
    return what_of(search, space, lattice, ended ? lattice.last() : std::vector<NodeId>{goal}, ended);
  });
}

nb::list ProblemModel::nbest(const nb::object& problem, const std::vector<std::string>& defined, const nb::list& inputs,
                             const nb::dict& settings) {
  const auto of = [](Search& search, PythonSpace& space, Lattice&, const std::vector<NodeId>& goals, bool) {
    return valued(search.tree(), space, goals, [](const Node& goal) { return goal.score; });
  };
  return of_every_lattice(problem, defined, inputs, settings, of);
}

nb::list ProblemModel::confidences(const nb::object& problem, const std::vector<std::string>& defined, const nb::list& inputs,
                                   const nb::dict& settings, double temperature) {
  if (!(temperature > 0 && std::isfinite(temperature))) throw Error("SettingError", "a temperature must be above 0");
  const bool by_prefix = queue_of(settings).name == "beam" && queue_of(settings).by == "prefix";
  const auto of = [&](Search& search, PythonSpace& space, Lattice& lattice, const std::vector<NodeId>& goals, bool ended) {
    if (!ended)
      throw Error("SearchError", "the time was over before the search had ended, so nothing is known of other outputs.",
                  "Give more seconds, or use a narrower beam.");
    lattice.build(search);
    lattice.weigh(temperature);
    const auto share = [&](const Node& goal) { return std::min(std::exp(goal.score / temperature - lattice.log_sum()), 1.0); };
    nb::list steps;
    for (const double step : of_steps(search.tree(), goals.front(), lattice, space, by_prefix)) steps.append(step);
    return nb::make_tuple(valued(search.tree(), space, goals, share), steps);
  };
  return of_every_lattice(problem, defined, inputs, settings, of);
}

nb::list ProblemModel::errors(const nb::object& problem, const std::vector<std::string>& defined, const nb::list& inputs,
                              const nb::list& outputs, const nb::dict& settings) {
  check_pairs(inputs, outputs);
  const auto truth_of = [&](std::size_t i) { return nb::object(outputs[i]); };
  return of_every_input(problem, defined, inputs, truth_of, settings, [](Search& search, PythonSpace& space) {
    const NodeId goal = check_found(search.run());
    const double regret = space.regret(search.tree(), goal) - space.initial_regret(), found = search.tree()[goal].score;
    double truth = -std::numeric_limits<double>::infinity();
    try {
      for (const NodeId id : search.forced()) truth = std::max(truth, search.tree()[id].score);
    } catch (const NoGoodChild&) {  // the regret is not exact: no right output is known, so none counts as missed
    }
    return nb::make_tuple(regret, found, truth);
  });
}

nb::dict ProblemModel::margins(const nb::object& problem, const std::vector<std::string>& defined, const nb::list& inputs,
                               const nb::list& outputs, const nb::dict& settings) const {
  check_pairs(inputs, outputs);
  ProblemModel copy(vocabulary_, weights_);
  const Methods methods = methods_of(problem, defined);
  const QueueSpec spec = queue_of(settings);
  Vector<double> weights(copy.weights_, nb::cast<double>(settings["p"]));
  PythonSpace space(methods, copy.vocabulary_, weights, options_of(spec, true));
  Margins<double> margins(spec, weights);
  const std::unique_ptr<Queue> queue = make_queue(spec);
  Search search(space, *queue, limits_of(settings));
  const DepthLimit depth(settings);
  for (std::size_t i = 0; i < nb::len(inputs); ++i) {
    space.open(inputs[i], outputs[i]);
    search.limit_depth(depth.of(inputs[i]));
    at_example(static_cast<std::int64_t>(i), space, [&] { check_found(search.run(&margins)); });
  }
  return as_dict(margins.report());
}

nb::dict ProblemModel::trace(const nb::object& problem, const std::vector<std::string>& defined, const nb::object& x, const nb::object& y,
                             bool learning, const nb::dict& settings, const nb::object& learner, bool with_features, bool states_of_all,
                             const nb::object& bounds) const {
  const Methods methods = methods_of(problem, defined);
  const QueueSpec spec = queue_of(settings);
  Vocabulary vocabulary = this->vocabulary();
  Vector<double> weights(weights_);
  SpaceOptions options = options_of(spec, learning || with_features);  // features that the model has dropped have names too
  options.width = unbounded;                                           // so that candidates that a beam would not look at are shown
  options.adds_losses = learning && shows_losses(learner);
  PythonSpace space(methods, vocabulary, weights, options);
  const std::unique_ptr<Queue> queue = make_queue(spec);
  Search search(space, *queue, limits_of(settings));
  TraceRecorder recorder(space, spec, learning, as_bounds(bounds));
  Watcher<double> watcher(learner, weights, recorder);
  Trace done;
  space.open(x, y);
  search.limit_depth(DepthLimit(settings).of(x));
  at_example(0, space, [&] {
    const NodeId found = search.run(learning ? &watcher.learner : nullptr, &recorder);
    done = recorder.finish(search, found, with_features);
  });
  nb::dict out = as_dict(
      done, [&](StateId before, ActionId action) { return nb::borrow(space.action(before, action)); },
      [&](std::int64_t entry) {
        const WeightId id(static_cast<std::int32_t>(entry));
        const std::string_view name = vocabulary.features.name_of(id);
        const std::int32_t action = vocabulary.features.action_of(id);
        const nb::object with = action < 0 ? nb::none() : nb::object(vocabulary.actions[static_cast<std::size_t>(action)]);
        return nb::make_tuple(nb::make_tuple(nb::str(name.data(), name.size()), action >= 0, with), weights.data()[entry]);
      });
  nb::dict states;  // by node
  for (std::size_t id = 0; id < done.nodes.size(); ++id) {
    if (states_of_all || done.nodes[id].goal) states[nb::int_(id)] = space.state(done.nodes[id].state);
  }
  out["states"] = states;
  return out;
}

}  // namespace riata::bind
