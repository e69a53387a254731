// Outputs that have exactly so many of all parts, for Python. All else is asked of sets of parts (bind/parts.cpp).
#include "inference/parts/selection.hpp"

#include <nanobind/stl/shared_ptr.h>

#include "bind/arrays.hpp"
#include "bind/module.hpp"

namespace riata::bind {
namespace {

void bind_selection(nb::module_& m) {
  m.def("selection", &selection, nb::arg("parts"), nb::arg("count"), "The outputs that have so many of the parts.");
}

const Bindings entered(bind_selection);

}  // namespace
}  // namespace riata::bind
