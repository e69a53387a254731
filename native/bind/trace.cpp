// Tracing a search on a chain.
#include "bind/trace.hpp"

#include <nanobind/stl/vector.h>

#include <algorithm>

#include "bind/arrays.hpp"
#include "bind/chain.hpp"
#include "bind/module.hpp"
#include "bind/search.hpp"
#include "core/error.hpp"
#include "inference/spaces/chain.hpp"
#include "models/place.hpp"

namespace riata::bind {
namespace {

// (kind, family, slot, values of the n-gram or the number of the given feature, values of the labels before, label)
nb::tuple as_tuple(const FeatureIndex& index, const Place& place) {
  nb::list values;
  const char* kind = "transition";
  if (place.kind == Place::Kind::given) {
    kind = "given";
    values.append(place.ngram);
  } else if (place.kind != Place::Kind::transition) {
    kind = place.kind == Place::Kind::node ? "node" : place.kind == Place::Kind::edge ? "edge" : "history";
    auto id = static_cast<std::int32_t>(place.ngram);
    for (std::int32_t f = place.family; f >= 0; id = index.parent(f, id), f = index.spec(f).parent) values.append(index.value(f, id));
    values.reverse();
  }
  return nb::make_tuple(kind, place.family, place.slot, values, nb::cast(place.before), place.label);
}

// instances holds one sentence; with labels, where y-good is to be known. learner: the settings of a learner to follow, or None.
template <class Real>
nb::dict trace(const Weights<Real>& weights, const FeatureIndex& index, const Instances& instances, const Flags& start, const Flags& end,
               const Flags& follow, const nb::dict& settings, const nb::object& learner, bool with_features) {
  const bool learning = !instances.labels.empty();
  bool ok = instances.sentences() == 1 && instances.tokens() > 0;
  for (const std::int32_t label : instances.labels) ok = ok && label >= 0 && label < weights.labels;
  if (!ok) throw Error("RiataError", "a trace is of one sentence, with labels that the model knows or none");
  check_fit(index, weights, instances);
  const Constraint<Real> constraint = as_constraint(weights, start, end, follow);
  const QueueSpec spec = queue_of(settings);
  const Layout layout(index, weights);
  Linear<Real> flat(layout.flat(weights));
  HistoryIndex history = weights.history;
  ChainSpace<Real> space(index, layout, constraint, instances, flat, history, learning || with_features, spec);
  space.open(0);
  return traced(
      space, flat, spec, settings, learner, learning, with_features, [](StateId, ActionId action) { return nb::int_(action); },
      [&](std::int64_t entry) {
        return nb::make_tuple(as_tuple(index, place_of(index, layout, history, entry)), double(flat.data()[entry]));
      });
}

template <class Real>
void bind_precision(nb::module_& m) {
  m.def("trace_by_search", &trace<Real>, nb::arg("weights"), nb::arg("index"), nb::arg("instances"), nb::arg("start"), nb::arg("end"),
        nb::arg("follow"), nb::arg("settings"), nb::arg("learner").none(), nb::arg("features"),
        "What a search of one sentence did, step by step.");
}

}  // namespace

void trace(nb::module_& m) {
  bind_precision<float>(m);
  bind_precision<double>(m);
}

}  // namespace riata::bind
