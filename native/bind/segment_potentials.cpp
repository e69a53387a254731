// The potentials of segments for Python, and probabilities of tags.
#include <nanobind/nanobind.h>
#include <nanobind/stl/string.h>

#include <string>

#include "bind/arrays.hpp"
#include "bind/chain.hpp"
#include "bind/module.hpp"
#include "bind/potentials.hpp"
#include "bind/segments.hpp"
#include "inference/structures/segment_potentials.hpp"
#include "learning/segment_search.hpp"
#include "models/segment_posteriors.hpp"

namespace riata::bind {
namespace {

template <class Real>
void bind_precision(nb::module_& m, const std::string& suffix) {
  using Kind = SegmentPotentials<Real>;
  define_potentials<Kind, Real, SegmentWeights>(m, "SegmentPotentials" + suffix, "The potentials of labelled segments.")
      .def(
          "__init__",
          [](Kind* self, const FeatureIndex& index, const SegmentTemplates& templates, const SegmentWeights<Real>& like,
             const Instances& instances, const In<std::int32_t>& gold, bool all_pairs) {
            if (!covers(like.kinds, instances.starts, view(gold), true)) throw Error("RiataError", "the segments do not fit the sentences");
            check_fit(index, templates, SegmentWeights<Real>{like.kinds, GrownRows(templates.slots()), {}}, instances);
            nb::gil_scoped_release release;
            new (self) Kind(templates, like.kinds, instances, view(gold), as_pairs(all_pairs));
          },
          nb::arg("index"), nb::arg("templates"), nb::arg("like"), nb::arg("instances"), nb::arg("gold"), nb::arg("all_pairs"),
          nb::keep_alive<1, 5>(), "like: weights with the same labels and lengths of segments.")
      .def_prop_ro("left_out", &Kind::left_out, "Sentences whose truth has a segment that is too long.");

  m.def(
      "segment_probabilities",
      [](const SegmentWeights<Real>& weights, const FeatureIndex& index, const SegmentTemplates& templates, const Instances& instances,
         const In<std::int32_t>& tag_of, std::int32_t tags, double temperature, const nb::object& progress) {
        bool ok = temperature > 0 && tags > 0 &&
                  static_cast<std::int64_t>(tag_of.shape(0)) == std::int64_t{weights.kinds.labels} * 2 * segment_roles;
        for (const std::int32_t tag : view(tag_of)) ok = ok && tag >= 0 && tag < tags;
        if (!ok) throw Error("RiataError", "the tags or the temperature do not fit");
        const Poll poll = as_poll(progress);
        SegmentProbabilities out;
        {
          nb::gil_scoped_release release;
          out = segment_probabilities(index, templates, weights, instances, view(tag_of), tags, temperature, poll);
        }
        return nb::make_tuple(give(std::move(out.log_z)), give(std::move(out.tags)));
      },
      nb::arg("weights"), nb::arg("index"), nb::arg("templates"), nb::arg("instances"), nb::arg("tag_of"), nb::arg("tags"),
      nb::arg("temperature"), nb::arg("progress").none() = nb::none(),
      "(log Z [S], probabilities of tags [N x tags]); tag_of: of every label, touching one of its own or not, and role.");
}

}  // namespace

void segment_potentials(nb::module_& m) {
  bind_precision<float>(m, "");
  bind_precision<double>(m, "64");
}

}  // namespace riata::bind
