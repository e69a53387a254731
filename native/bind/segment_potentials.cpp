// The potentials of segments for Python.
#include <nanobind/nanobind.h>
#include <nanobind/stl/string.h>

#include <string>

#include "bind/arrays.hpp"
#include "bind/module.hpp"
#include "bind/potentials.hpp"
#include "inference/structures/segment_model.hpp"
#include "inference/structures/segment_potentials.hpp"

namespace riata::bind {
namespace {

template <class Real>
void bind_precision(nb::module_& m, const std::string& suffix) {
  using Kind = SegmentPotentials<Real>;
  const auto made = [](const Kind& self, auto weights) {
    using Out = typename decltype(weights.flat)::value_type;
    return SegmentModel<Out>(self.templates(), std::move(weights));
  };
  define_potentials<Kind, Real, SegmentModel>(m, "SegmentPotentials" + suffix, "The potentials of labelled segments.", made)
      .def(
          "__init__",
          [](Kind* self, const FeatureIndex& index, const SegmentModel<Real>& like, const Instances& instances,
             const In<std::int32_t>& gold, const std::string& pairs) {
            const SegmentCoding& coding = like.weights.coding;
            if (!covers(coding, instances.starts, view(gold), true)) throw Error("RiataError", "the segments do not fit the sentences");
            check_fit(index, like.templates, coding, GrownRows(like.templates.slots()), 0, instances);
            nb::gil_scoped_release release;
            new (self) Kind(like.templates, coding, instances, view(gold), as_feature_labels(pairs));
          },
          nb::arg("index"), nb::arg("like"), nb::arg("instances"), nb::arg("gold"), nb::arg("pairs"), nb::keep_alive<1, 4>(),
          "like: weights with the same labels and lengths of segments.")
      .def_prop_ro("left_out", &Kind::left_out, "Sentences whose truth has a segment that is too long.");
}

void segment_potentials(nb::module_& m) {
  bind_precision<float>(m, "");
  bind_precision<double>(m, "64");
}

const Bindings entered(segment_potentials);

}  // namespace
}  // namespace riata::bind
