// What a search for tags and chunk labels shows of itself: its trace, its margins, and how sure it is.
#include <nanobind/stl/vector.h>

#include "bind/arrays.hpp"
#include "bind/chain.hpp"
#include "bind/confidences.hpp"
#include "bind/joint.hpp"
#include "bind/margins.hpp"
#include "bind/module.hpp"
#include "bind/search.hpp"
#include "bind/trace.hpp"
#include "learning/joint_margins.hpp"

namespace riata::bind {
namespace {

// instances holds one sentence; gold: its codes, where y-good is to be known, or nothing. learner: the settings of a learner to follow, or
// None. An action is (operators before it, code), a feature the number of its weight; `rows` are all that grew, those that came with the
// trace included.
template <class Real>
nb::dict trace(const JointWeights<Real>& weights, const FeatureIndex& index, const JointTemplates& templates, const Instances& instances,
               const In<std::int32_t>& gold, const nb::dict& settings, const nb::object& learner, bool with_features) {
  const bool learning = gold.shape(0) > 0;
  check(instances.sentences() == 1 && instances.tokens() > 0 && (!learning || fits(weights.kinds, instances, view(gold))));
  const JointLayout layout(index, templates, weights.kinds);
  check_fit(index, layout, weights.kinds, weights.rows, weights.flat.size(), instances);
  const QueueSpec spec = queue_of(settings);
  Linear<Real> flat(weights.flat);
  JointRows rows = weights.rows;
  JointSpace<Real> space(templates, layout, weights.kinds, instances, flat, rows, learning || with_features ? &rows : nullptr, spec);
  space.open(0, view(gold));
  nb::dict out = traced_flat(space, flat, spec, settings, learner, learning, with_features);
  out["rows"] = rows_of(rows, templates, weights.kinds);
  return out;
}

template <class Real>
void bind_precision(nb::module_& m) {
  m.def("trace_joint", &trace<Real>, nb::arg("weights"), nb::arg("index"), nb::arg("templates"), nb::arg("instances"), nb::arg("gold"),
        nb::arg("settings"), nb::arg("learner").none(), nb::arg("features"),
        "What a search for the tags and chunk labels of one sentence did, step by step.");
  m.def(
      "joint_confidences",
      [](const JointWeights<Real>& weights, const FeatureIndex& index, const JointTemplates& templates, const Instances& instances,
         const nb::dict& settings, const In<std::int32_t>& kinds, const Flags& continues, const In<double>& temperatures,
         const nb::object& progress) {
        const ChunkFlags flags = chunk_flags(kinds, continues, weights.kinds.chunks);
        return confident(settings, temperatures, progress,
                         [&](const QueueSpec& queue, const Limits& limits, std::span<const double> at, const Poll& poll) {
                           return joint_confidences(index, templates, weights, instances, queue, limits, flags, at, poll);
                         });
      },
      nb::arg("weights"), nb::arg("index"), nb::arg("templates"), nb::arg("instances"), nb::arg("settings"), nb::arg("kinds"),
      nb::arg("continues"), nb::arg("temperatures"), nb::arg("progress").none() = nb::none(),
      "What a search finds, and what share of what it kept has the same tag, and the same chunk, there.");
  m.def(
      "joint_margins",
      [](const JointWeights<Real>& weights, const FeatureIndex& index, const JointTemplates& templates, const Instances& instances,
         const In<std::int32_t>& gold, const nb::dict& settings) {
        check(fits(weights.kinds, instances, view(gold)));
        return measured(settings, nb::none(), [&](const QueueSpec& queue, double p, const Poll& poll) {
          return joint_margins(index, templates, weights, instances, view(gold), queue, p, poll);
        });
      },
      nb::arg("weights"), nb::arg("index"), nb::arg("templates"), nb::arg("instances"), nb::arg("gold"), nb::arg("settings"),
      "What a search with these weights shows of its margins.");
}

}  // namespace

void joint_views(nb::module_& m) {
  bind_precision<float>(m);
  bind_precision<double>(m);
}

}  // namespace riata::bind
