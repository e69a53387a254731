// What a search over segments shows of itself: its trace, its margins, and how sure it is.
#include <nanobind/stl/vector.h>

#include "bind/arrays.hpp"
#include "bind/chain.hpp"
#include "bind/confidences.hpp"
#include "bind/margins.hpp"
#include "bind/module.hpp"
#include "bind/search.hpp"
#include "bind/segments.hpp"
#include "bind/trace.hpp"
#include "core/error.hpp"
#include "learning/segment_margins.hpp"

namespace riata::bind {
namespace {

// instances holds one sentence; gold: its segments, where y-good is to be known, or nothing. learner: the settings of a learner to follow,
// or None. An action is (first token, code), a feature the number of its weight; `roots` and `rows` are all there are, those that came with
// the trace included.
template <class Real>
nb::dict trace(const SegmentWeights<Real>& weights, const FeatureIndex& index, const SegmentTemplates& templates,
               const Instances& instances, const In<std::int32_t>& gold, const nb::dict& settings, const nb::object& learner,
               bool with_features) {
  const bool learning = gold.shape(0) > 0;
  const bool fits = !learning || covers(weights.kinds, instances.starts, view(gold), true);
  if (instances.sentences() != 1 || instances.tokens() == 0 || !fits)
    throw Error("RiataError", "a trace is of one sentence, with its segments or none");
  check_fit(index, templates, weights, instances);
  const QueueSpec spec = queue_of(settings);
  Linear<Real> flat(weights.flat);
  GrownRows grown = weights.grown;
  SegmentSpace<Real> space(templates, weights.kinds, instances, flat, grown, learning || with_features ? &grown : nullptr, spec);
  space.open(0, view(gold));
  nb::dict out = traced_flat(space, flat, spec, settings, learner, learning, with_features);
  out["roots"] = roots_of(grown);
  out["rows"] = rows_of(grown);
  return out;
}

template <class Real>
void bind_precision(nb::module_& m) {
  m.def("trace_segments", &trace<Real>, nb::arg("weights"), nb::arg("index"), nb::arg("templates"), nb::arg("instances"), nb::arg("gold"),
        nb::arg("settings"), nb::arg("learner").none(), nb::arg("features"),
        "What a search over the segments of one sentence did, step by step.");
  m.def(
      "segment_confidences",
      [](const SegmentWeights<Real>& weights, const FeatureIndex& index, const SegmentTemplates& templates, const Instances& instances,
         const nb::dict& settings, const In<double>& temperatures, const In<std::int32_t>& given, const nb::object& progress) {
        const bool none = given.shape(0) == 0;
        if (!none && !covers(weights.kinds, instances.starts, view(given), true))
          throw Error("RiataError", "the segments do not fit the sentences");
        return confident(settings, temperatures, progress,
                         [&](const QueueSpec& queue, const Limits& limits, std::span<const double> at, const Poll& poll) {
                           return segment_confidences(index, templates, weights, instances, queue, limits, at, view(given), poll);
                         });
      },
      nb::arg("weights"), nb::arg("index"), nb::arg("templates"), nb::arg("instances"), nb::arg("settings"), nb::arg("temperatures"),
      nb::arg("given"), nb::arg("progress").none() = nb::none(),
      "What a search finds, or is given, and what share of what it kept has the same segment there.");
  m.def(
      "segment_margins",
      [](const SegmentWeights<Real>& weights, const FeatureIndex& index, const SegmentTemplates& templates, const Instances& instances,
         const In<std::int32_t>& gold, const nb::dict& settings) {
        if (!covers(weights.kinds, instances.starts, view(gold), true)) throw Error("RiataError", "the segments do not fit the sentences");
        return measured(settings, nb::none(), [&](const QueueSpec& queue, double p, const Poll& poll) {
          return segment_margins(index, templates, weights, instances, view(gold), queue, p, poll);
        });
      },
      nb::arg("weights"), nb::arg("index"), nb::arg("templates"), nb::arg("instances"), nb::arg("gold"), nb::arg("settings"),
      "What a search with these weights shows of its margins.");
}

}  // namespace

void segment_views(nb::module_& m) {
  bind_precision<float>(m);
  bind_precision<double>(m);
}

}  // namespace riata::bind
