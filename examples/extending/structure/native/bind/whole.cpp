// One label for a whole sentence: how its weights are made. All else is asked of weights of any structure (bind/model.cpp).
#include <nanobind/stl/string.h>

#include <string>
#include <utility>
#include <vector>

#include "bind/arrays.hpp"
#include "bind/module.hpp"
#include "inference/structures/whole_structure.hpp"

namespace riata::bind {
namespace {

template <class Real>
void bind_precision(nb::module_& m, const std::string& suffix) {
  nb::class_<WholeModel<Real>, Model<Real>>(m, ("WholeWeights" + suffix).c_str(), "The weights of labels of whole sentences.")
      .def(
          "__init__",
          [](WholeModel<Real>* self, const FeatureIndex& index, std::int32_t labels) {
            Weights<Real> weights(labels);
            weights.grow(index, 0);
            new (self) WholeModel<Real>(std::move(weights), Constraint<Real>::free(labels));
          },
          nb::arg("index"), nb::arg("labels"))
      .def(
          "rows",
          [](const WholeModel<Real>& self, const FeatureIndex& index, std::size_t number) {
            const Slot& slot = index.node_slots()[number];
            std::vector<std::int64_t> places;
            for (std::int32_t id = 0; id < index.size(slot.family); ++id)
              places.push_back(self.weights.layout.node_row(slot.family, std::size_t(id) * slot.slots + slot.slot));
            return give(std::move(places));
          },
          nb::arg("index"), nb::arg("number"), "Where the weights of each n-gram of a template begin, one per label.");
}

void whole(nb::module_& m) {
  bind_precision<float>(m, "");
  bind_precision<double>(m, "64");
}

const Bindings entered(whole);

}  // namespace
}  // namespace riata::bind
