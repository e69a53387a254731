// Traces of searches, as lists and tuples that riata.inference.trace reads.
#pragma once

#include <nanobind/nanobind.h>

#include <vector>

#include "inference/search/trace.hpp"

namespace riata::bind {

namespace nb = nanobind;

template <class Values, class Convert>
nb::list listed(const Values& values, Convert convert) {
  nb::list out;
  for (const auto& value : values) out.append(convert(value));
  return out;
}

// action(parent node, action id): the action as Python knows it. feature(entry of the weight vector): (name, its weight).
template <class Action, class Feature>
nb::dict as_dict(const Trace& trace, Action action, Feature feature) {
  const auto same = [](auto value) { return value; };
  const auto pair = [](const auto& entry) { return nb::make_tuple(entry.first, entry.second); };
  const auto valued = [&](const auto& entry) { return nb::make_tuple(feature(entry.first), entry.second); };
  const auto node = [&](const Node& n) {
    const nb::object by = n.parent < 0 ? nb::none() : nb::object(action(n.parent, n.action));
    return nb::make_tuple(n.parent, by, n.depth, n.score, n.heuristic, n.regret, n.goal, n.good);
  };
  const auto cut = [&](const Trace::Cut& c) {
    const Candidate& x = c.candidate;
    const bool known = trace.nodes[static_cast<std::size_t>(x.parent)].good;
    return nb::make_tuple(x.parent, action(x.parent, x.action), x.score, x.heuristic, known ? nb::object(nb::float_(x.regret)) : nb::none(), x.good, c.merged);
  };
  const auto step = [&](const Trace::Step& s) {
    nb::dict out;
    out["front"] = listed(s.front, same);
    out["margin"] = s.margin;
    out["lost"] = s.lost;
    out["wrong"] = s.wrong;
    out["update"] = nb::none();
    if (s.update) out["update"] = nb::make_tuple(listed(s.update->siblings, same), listed(s.update->competitors, pair), listed(s.update->difference, valued));
    out["restart"] = listed(s.restart, pair);
    out["enqueued"] = listed(s.enqueued, same);
    out["cut"] = listed(s.cut, cut);
    out["pruned"] = listed(s.pruned, same);
    return out;
  };
  nb::dict out;
  out["nodes"] = listed(trace.nodes, node);
  out["steps"] = listed(trace.steps, step);
  out["features"] = listed(trace.features, [&](const StepFeatures& features) { return listed(features, valued); });
  out["goal"] = trace.goal;
  return out;
}

}  // namespace riata::bind
