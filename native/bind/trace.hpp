// Traces of searches, as lists and tuples that riata.explaining.trace reads.
#pragma once

#include <nanobind/nanobind.h>

#include <memory>
#include <vector>

#include "bind/arrays.hpp"
#include "bind/ids.hpp"
#include "bind/settings.hpp"
#include "inference/search/engine.hpp"
#include "inference/search/trace.hpp"
#include "learning/margins.hpp"
#include "learning/trace_learner.hpp"

namespace riata::bind {

namespace nb = nanobind;

template <class Values, class Convert>
nb::list listed(const Values& values, Convert convert) {
  nb::list out;
  for (const auto& value : values) out.append(convert(value));
  return out;
}

// action(state before it, action id): the action as Python knows it. feature(place in the weight vector): (name, weight).
template <class Action, class Feature>
nb::dict as_dict(const Trace& trace, Action action, Feature feature) {
  const auto same = [](auto value) { return value; };
  const auto pair = [](const auto& entry) { return nb::make_tuple(entry.first, entry.second); };
  const auto valued = [&](const auto& entry) { return nb::make_tuple(feature(entry.first), entry.second); };
  const auto state = [&](NodeId id) { return trace.nodes[id.place()].state; };
  const auto node = [&](const Node& n) {
    const nb::object by = !n.parent ? nb::none() : nb::object(action(state(n.parent), n.action));
    return nb::make_tuple(n.parent, by, n.depth, n.score, n.heuristic, n.regret, n.goal, n.good);
  };
  const auto cut = [&](const Trace::Cut& c) {
    const Candidate& x = c.candidate;
    const bool known = trace.nodes[x.parent.place()].good;
    return nb::make_tuple(x.parent, action(state(x.parent), x.action), x.score, x.heuristic,
                          known ? nb::object(nb::float_(x.regret)) : nb::none(), x.good, c.merged);
  };
  const auto step = [&](const Trace::Step& s) {
    nb::dict out;
    out["front"] = listed(s.front, same);
    out["margin"] = s.margin;
    out["lost"] = s.lost;
    out["wrong"] = s.wrong;
    out["update"] = nb::none();
    if (s.update)
      out["update"] =
          nb::make_tuple(listed(s.update->siblings, same), listed(s.update->competitors, pair), listed(s.update->difference, valued));
    out["restart"] = listed(s.restart, pair);
    out["enqueued"] = listed(s.enqueued, same);
    out["cut"] = listed(s.cut, cut);
    out["pruned"] = listed(s.pruned, same);
    return out;
  };
  nb::dict out;
  out["nodes"] = listed(trace.nodes, node);
  out["steps"] = listed(trace.steps, step);
  nb::list of_nodes;
  for (std::size_t id = 0; id < trace.features.size(); ++id) {
    if (trace.bare[id])
      of_nodes.append(nb::none());
    else
      of_nodes.append(listed(trace.features[id], valued));
  }
  out["features"] = of_nodes;
  out["cut_left_out"] = trace.cut_left_out;
  out["goal"] = trace.goal;
  out["truth"] = listed(trace.truth, [&](const Trace::Taken& taken) {
    return nb::make_tuple(action(taken.before, taken.action), taken.score, listed(taken.features, valued));
  });
  return out;
}

// From riata.explaining.bounds.Bounds; None: those that the core has.
inline TraceBounds as_bounds(const nb::object& bounds) {
  TraceBounds out;
  if (bounds.is_none()) return out;
  out.states = nb::cast<std::int64_t>(bounds.attr("states"));
  out.features = nb::cast<std::int64_t>(bounds.attr("features"));
  out.poll = [check = nb::object(bounds.attr("check"))] {
    if (PyErr_CheckSignals() != 0) throw nb::python_error();
    check();
  };
  return out;
}

// Whether a trace that follows this learner, if there is one, shows a search of training that adds losses to scores.
inline bool shows_losses(const nb::object& followed) {
  if (followed.is_none()) return false;
  const Settings settings = as_settings(nb::cast<nb::dict>(followed));
  return settings.flag("training") && StepSpec::of(settings).how == How::subgradient;
}

// A learner with the settings of `learner`, or none if it is None. The setting "training": whether the search does everything that it does
// in training.
template <class Real>
struct Watcher {
  Watcher(const nb::object& followed, Vector<Real>& weights, TraceRecorder& recorder)
      : follows(!followed.is_none()),
        settings(follows ? as_settings(nb::cast<nb::dict>(followed)) : Settings()),
        stepper(follows ? StepSpec::of(settings) : StepSpec{}, weights),
        learner(follows ? LearnerSpec::of(settings) : LearnerSpec{}, stepper, recorder,
                !follows                    ? Shown::nothing
                : settings.flag("training") ? Shown::learning
                                            : Shown::update) {}
  bool follows;
  Settings settings;
  Stepper<Real> stepper;
  TraceLearner<Real> learner;
};

// Runs a search over the open sentence of a space and returns its trace, as as_dict does. learning: whether the truth is known; learner:
// see Watcher. action, feature: see as_dict.
template <class Real, class Action, class Feature>
nb::dict traced(Space& space, Vector<Real>& weights, const QueueSpec& spec, const nb::dict& settings, const nb::object& learner,
                bool learning, bool with_features, TraceBounds bounds, Action action, Feature feature) {
  const std::unique_ptr<Queue> queue = make_queue(spec);
  Search search(space, *queue, limits_of(as_settings(settings)));
  TraceRecorder recorder(space, spec, learning, std::move(bounds));
  Watcher<Real> watcher(learner, weights, recorder);
  const NodeId found = search.run(learning ? &watcher.learner : nullptr, &recorder);
  return as_dict(recorder.finish(search, found, with_features), action, feature);
}

// The trace of a model whose weights are one long vector. An action is (state before it, action id), a feature is the number of its weight.
template <class Real>
nb::dict traced_flat(Space& space, Vector<Real>& weights, const QueueSpec& spec, const nb::dict& settings, const nb::object& learner,
                     bool learning, bool with_features, TraceBounds bounds) {
  return traced(
      space, weights, spec, settings, learner, learning, with_features, std::move(bounds),
      [](StateId before, ActionId id) { return nb::make_tuple(before, id); },
      [&](std::int64_t entry) { return nb::make_tuple(entry, double(weights.data()[entry])); });
}

inline nb::dict as_dict(const StepStats& stats) {
  nb::dict out;
  out["updates"] = stats.updates;
  out["non_violating"] = stats.non_violating;
  out["largest_difference"] = stats.largest_difference;
  return out;
}

inline nb::dict as_dict(MarginReport&& report) {
  nb::dict out;
  out["raw"] = give(std::move(report.raw));
  out["normalised"] = give(std::move(report.normalised));
  out["survival"] = report.survival;
  out["largest_difference"] = report.largest_difference;
  out["norm"] = report.norm;
  out["losses"] = report.losses;
  out["most_good"] = report.most_good;
  out["merges"] = report.merges;
  out["uneven"] = report.uneven;
  return out;
}

}  // namespace riata::bind
