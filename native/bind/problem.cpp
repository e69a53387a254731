// Search problems written in Python: learning and decoding on the engine that native spaces use. Holds the GIL.
#include "bind/module.hpp"

#include <nanobind/nanobind.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <limits>
#include <memory>
#include <string>
#include <vector>

#include "bind/arrays.hpp"
#include "bind/margins.hpp"
#include "bind/problem_search.hpp"
#include "bind/search.hpp"
#include "bind/trace.hpp"
#include "core/error.hpp"
#include "learning/trace_learner.hpp"
#include "learning/truncate.hpp"

namespace riata::bind {
namespace {

class ProblemModel {
 public:
  ProblemModel() = default;

  // The weights that are not zero, with the names that they need.
  ProblemModel(const Vocabulary& all, const Numbers<double>& weights) {
    for (nb::handle action : all.actions) add_action(action);
    for (std::int32_t i = 0; i < static_cast<std::int32_t>(weights.size()); ++i) {
      if (weights[static_cast<std::size_t>(i)] == 0) continue;
      add(all.features.names().text(all.features.name_of(i)), all.features.action_of(i), weights[static_cast<std::size_t>(i)]);
    }
  }

  // Feature i has the name names[i] and stands alone (actions_of[i] < 0) or with actions[actions_of[i]].
  ProblemModel(const std::vector<std::string>& names, const nb::list& actions, const std::vector<std::int32_t>& actions_of,
               const std::vector<double>& weights) {
    for (nb::handle action : actions) add_action(action);
    bool ok = names.size() == weights.size() && actions_of.size() == weights.size();
    for (const std::int32_t action : actions_of) ok = ok && action >= -1 && action < static_cast<std::int32_t>(nb::len(actions));
    if (!ok) throw Error("DataError", "names, actions and weights do not fit each other");
    for (std::size_t i = 0; i < names.size(); ++i) add(names[i], actions_of[i], weights[i]);
  }

  nb::tuple parts() const {
    nb::list names;
    std::vector<std::int32_t> actions_of;
    for (std::int32_t i = 0; i < vocabulary_.features.weights(); ++i) {
      const std::string_view name = vocabulary_.features.names().text(vocabulary_.features.name_of(i));
      names.append(nb::str(name.data(), name.size()));
      actions_of.push_back(vocabulary_.features.action_of(i));
    }
    nb::list values;
    for (const double weight : weights_) values.append(weight);
    nb::list of;
    for (const std::int32_t action : actions_of) of.append(action);
    return nb::make_tuple(names, nb::list(vocabulary_.actions), of, values);
  }

  // (actions, final state) of every input.
  nb::list decode(const nb::object& problem, const std::vector<std::string>& defined, const nb::list& inputs, const nb::dict& settings) {
    const auto no_truth = [](std::size_t) { return nb::object(); };
    return of_every_input(problem, defined, inputs, no_truth, settings, [](Search& search, PythonSpace& space, NodeId goal) {
      return nb::make_tuple(path_to(search.tree(), space, goal), space.state(search.tree()[goal].state));
    });
  }

  // (regret above that of the start, score, best score of a right output) of what the search finds for every input.
  nb::list errors(const nb::object& problem, const std::vector<std::string>& defined, const nb::list& inputs, const nb::list& outputs,
                  const nb::dict& settings) {
    if (nb::len(outputs) != nb::len(inputs)) throw Error("RiataError", "the outputs do not fit the inputs");
    const auto truth_of = [&](std::size_t i) { return nb::object(outputs[i]); };
    return of_every_input(problem, defined, inputs, truth_of, settings, [](Search& search, PythonSpace& space, NodeId goal) {
      const double regret = space.regret(search.tree(), goal) - space.initial_regret(), found = search.tree()[goal].score;
      double truth = -std::numeric_limits<double>::infinity();
      for (const NodeId id : search.forced()) truth = std::max(truth, search.tree()[id].score);
      return nb::make_tuple(regret, found, truth);
    });
  }

  // The margins of the search with these weights. Features that have no weight count in norms, so they enter a vocabulary: a copy.
  nb::dict margins(const nb::object& problem, const std::vector<std::string>& defined, const nb::list& inputs, const nb::list& outputs,
                   const nb::dict& settings) const {
    if (nb::len(outputs) != nb::len(inputs)) throw Error("RiataError", "the outputs do not fit the inputs");
    ProblemModel copy(vocabulary_, weights_);
    const Methods methods = methods_of(problem, defined);
    const QueueSpec spec = queue_of(settings);
    Linear<double> weights(copy.weights_, nb::cast<double>(settings["p"]));
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

  // What the search for one input did. With y, y-good is known, and the learner's settings, where given, are followed.
  nb::dict trace(const nb::object& problem, const std::vector<std::string>& defined, const nb::object& x, const nb::object& y,
                 bool learning, const nb::dict& settings, const nb::object& learner, bool with_features) const;

  std::int32_t size() const noexcept { return vocabulary_.features.weights(); }

 private:
  // Searches every input with these weights; what_of(search, space, goal) says what to give for it.
  template <class Truth, class What>
  nb::list of_every_input(const nb::object& problem, const std::vector<std::string>& defined, const nb::list& inputs, Truth truth_of,
                          const nb::dict& settings, What what_of) {
    const Methods methods = methods_of(problem, defined);
    const QueueSpec spec = queue_of(settings);
    Linear<double> weights(weights_);
    PythonSpace space(methods, vocabulary_, weights, options_of(spec, false));
    const std::unique_ptr<Queue> queue = make_queue(spec);
    Search search(space, *queue, limits_of(settings));
    const DepthLimit depth(settings);
    nb::list out;
    for (std::size_t i = 0; i < nb::len(inputs); ++i) {
      space.open(inputs[i], truth_of(i));
      search.limit_depth(depth.of(inputs[i]));
      at_example(static_cast<std::int64_t>(i), space, [&] {
        const NodeId goal = search.run();
        check_found(goal);
        out.append(what_of(search, space, goal));
      });
    }
    return out;
  }

  void add_action(nb::handle action) {
    vocabulary_.action_ids[action] = nb::len(vocabulary_.actions);
    vocabulary_.actions.append(action);
  }
  void add(std::string_view name, std::int32_t action, double weight) {
    const auto id = static_cast<std::size_t>(vocabulary_.features.add(vocabulary_.features.add_name(name), action));
    if (id == weights_.size()) weights_.push_back(0);
    weights_[id] += weight;
  }
  static nb::list path_to(const Tree& tree, const PythonSpace& space, NodeId node) {
    std::vector<nb::handle> actions;
    for (; tree[node].parent >= 0; node = tree[node].parent)
      actions.push_back(space.action(tree[tree[node].parent].state, tree[node].action));
    nb::list path;
    for (auto action = actions.rbegin(); action != actions.rend(); ++action) path.append(*action);
    return path;
  }

  Vocabulary vocabulary_;
  Numbers<double> weights_;
};

nb::dict ProblemModel::trace(const nb::object& problem, const std::vector<std::string>& defined, const nb::object& x, const nb::object& y,
                             bool learning, const nb::dict& settings, const nb::object& learner, bool with_features) const {
  const Methods methods = methods_of(problem, defined);
  const QueueSpec spec = queue_of(settings);
  Vocabulary vocabulary{vocabulary_.features, nb::steal<nb::list>(PySequence_List(vocabulary_.actions.ptr())),
                        nb::steal<nb::dict>(PyDict_Copy(vocabulary_.action_ids.ptr()))};
  Linear<double> weights(weights_);
  SpaceOptions options = options_of(spec, learning || with_features);  // features that the model has dropped have names too
  options.width = unbounded;                                           // candidates that a beam would not look at are to be seen
  PythonSpace space(methods, vocabulary, weights, options);
  const std::unique_ptr<Queue> queue = make_queue(spec);
  Search search(space, *queue, limits_of(settings));
  TraceRecorder recorder(space, spec, learning);
  TraceLearner<double> follower = watcher(learner, weights, recorder);
  Trace done;
  space.open(x, y);
  search.limit_depth(DepthLimit(settings).of(x));
  at_example(0, space, [&] {
    const NodeId found = search.run(learning ? &follower : nullptr, &recorder);
    done = recorder.finish(search, found, with_features);
  });
  nb::dict out = as_dict(
      done, [&](StateId before, ActionId action) { return nb::borrow(space.action(before, action)); },
      [&](std::int64_t entry) {
        const auto id = static_cast<std::int32_t>(entry);
        const std::string_view name = vocabulary.features.names().text(vocabulary.features.name_of(id));
        const std::int32_t action = vocabulary.features.action_of(id);
        const nb::object with = action < 0 ? nb::none() : nb::object(vocabulary.actions[static_cast<std::size_t>(action)]);
        return nb::make_tuple(nb::make_tuple(nb::str(name.data(), name.size()), action >= 0, with), weights.data()[entry]);
      });
  nb::dict states;  // of goals, by node
  for (std::size_t id = 0; id < done.nodes.size(); ++id) {
    if (done.nodes[id].goal) states[nb::int_(id)] = space.state(done.nodes[id].state);
  }
  out["states"] = states;
  return out;
}

class ProblemTrainer {
 public:
  explicit ProblemTrainer(const nb::dict& settings)
      : queue_spec_(queue_of(settings)),
        limits_(limits_of(settings)),
        depth_(settings),
        learner_spec_(learner_of(settings)),
        weights_({}, learner_spec_.p),
        learner_(learner_spec_, weights_) {}

  nb::dict epoch(const nb::object& problem, const std::vector<std::string>& defined, const nb::list& inputs, const nb::list& outputs,
                 const std::vector<std::int64_t>& order) {
    const auto size = static_cast<std::int64_t>(nb::len(inputs));
    bool ok = nb::len(outputs) == nb::len(inputs);
    for (const std::int64_t i : order) ok = ok && i >= 0 && i < size;
    if (!ok) throw Error("RiataError", "order and outputs do not fit the inputs");

    const Methods methods = methods_of(problem, defined);
    PythonSpace space(methods, vocabulary_, weights_, options_of(queue_spec_, true));
    const std::unique_ptr<Queue> queue = make_queue(queue_spec_);
    Search search(space, *queue, limits_);
    std::int64_t updates = 0, unreachable = 0;
    for (const std::int64_t i : order) {
      space.open(inputs[static_cast<std::size_t>(i)], outputs[static_cast<std::size_t>(i)]);
      search.limit_depth(depth_.of(inputs[static_cast<std::size_t>(i)]));
      learner_.begin();
      at_example(i, space, [&] {
        const NodeId found = search.run(&learner_);
        if (!(learns_from_dead_ends() && learner_.updated())) check_found(found);
        unreachable += space.initial_regret() > 0;
      });
      depth_.note(search.tree());
      updates += learner_.updated();
      weights_.tick();
    }
    nb::dict out;
    out["examples"] = order.size();
    out["updates"] = updates;
    out["unreachable"] = unreachable;
    choices_ += space.choices();
    tells_apart_ = tells_apart_ || space.tells_apart();
    tells_wrong_ = tells_wrong_ || space.tells_wrong();
    return out;
  }

  ProblemModel averaged() { return model(weights_.average()); }
  ProblemModel last() { return model(weights_.last()); }
  ProblemModel untruncated() const { return {vocabulary_, weights_.last()}; }
  std::int64_t dropped() const noexcept { return dropped_; }
  std::int64_t deepest() const noexcept { return depth_.deepest(); }
  std::int64_t alike() const noexcept { return tells_apart_ ? 0 : choices_; }
  bool all_right() const noexcept { return choices_ > 0 && !tells_wrong_; }
  const SearchStats& stats() const noexcept { return learner_.stats(); }
  double norm() const noexcept { return weights_.norm(); }
  LeastMargins recorded_margins() const noexcept { return learner_.recorded_margins(); }

 private:
  // Where the whole search comes first, a dead end is a wrong output like others; else the truth itself is in one.
  bool learns_from_dead_ends() const noexcept { return learner_spec_.when == When::standard || learner_spec_.when == When::max_violation; }

  ProblemModel model(Numbers<double> weights) {
    dropped_ = truncate(weights, learner_spec_.truncate);
    return {vocabulary_, weights};
  }

  QueueSpec queue_spec_;
  Limits limits_;
  DepthLimit depth_;
  LearnerSpec learner_spec_;
  Vocabulary vocabulary_;
  Linear<double> weights_;
  SearchLearner<double> learner_;
  std::int64_t choices_ = 0;  // states with several operators
  bool tells_apart_ = false;  // features of one of them were not the same for all its operators
  bool tells_wrong_ = false;  // a step was wrong
  std::int64_t dropped_ = 0;  // weights that truncation left out of the model made last
};

}  // namespace

void problem(nb::module_& m) {
  m.attr("most_actions") = most_actions;
  m.attr("most_features") = most_features;
  nb::class_<ProblemModel>(m, "ProblemModel", "Weights by name, for a search problem written in Python.")
      .def(nb::init<const std::vector<std::string>&, const nb::list&, const std::vector<std::int32_t>&, const std::vector<double>&>(),
           nb::arg("names"), nb::arg("actions"), nb::arg("actions_of"), nb::arg("weights"))
      .def("decode", &ProblemModel::decode, nb::arg("problem"), nb::arg("defined"), nb::arg("inputs"), nb::arg("settings"),
           "The actions and the final state that the search finds for every input.")
      .def("errors", &ProblemModel::errors, nb::arg("problem"), nb::arg("defined"), nb::arg("inputs"), nb::arg("outputs"),
           nb::arg("settings"), "Of what the search finds: its regret, its score, and the best score of a right output.")
      .def("margins", &ProblemModel::margins, nb::arg("problem"), nb::arg("defined"), nb::arg("inputs"), nb::arg("outputs"),
           nb::arg("settings"), "What a search with these weights shows of its margins.")
      .def("trace", &ProblemModel::trace, nb::arg("problem"), nb::arg("defined"), nb::arg("x"), nb::arg("y").none(), nb::arg("learning"),
           nb::arg("settings"), nb::arg("learner").none(), nb::arg("features"), "What the search for one input did, step by step.")
      .def("parts", &ProblemModel::parts, "names, actions, actions_of and weights: what the constructor takes.")
      .def("__len__", &ProblemModel::size)
      .def("__reduce__", [](nb::handle_t<ProblemModel> self) { return nb::make_tuple(self.type(), self.attr("parts")()); });

  nb::class_<ProblemTrainer>(m, "ProblemTrainer", "Learning by search on a problem written in Python (Daumé & Marcu 2005).")
      .def(nb::init<const nb::dict&>(), nb::arg("settings"))
      .def("epoch", &ProblemTrainer::epoch, nb::arg("problem"), nb::arg("defined"), nb::arg("inputs"), nb::arg("outputs"), nb::arg("order"),
           "One pass over the examples in the given order.")
      .def("averaged", &ProblemTrainer::averaged)
      .def("last", &ProblemTrainer::last)
      .def("untruncated", &ProblemTrainer::untruncated, "The last weights, none of them left out.")
      .def_prop_ro("norm", &ProblemTrainer::norm)
      .def_prop_ro("deepest", &ProblemTrainer::deepest, "The most steps that a true output took, among those met.")
      .def_prop_ro("alike", &ProblemTrainer::alike, "States with several operators so far; 0 where features told some of these apart.")
      .def_prop_ro("all_right", &ProblemTrainer::all_right, "Whether there were choices, and none so far was wrong.")
      .def_prop_ro("dropped", &ProblemTrainer::dropped, "Weights that truncation left out of the model made last.")
      .def("recorded_margins", [](const ProblemTrainer& self) { return as_tuple(self.recorded_margins()); })
      .def("stats", [](const ProblemTrainer& self) { return as_dict(self.stats()); });
}

}  // namespace riata::bind
