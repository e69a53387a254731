// MIRA on chains, over float (production) and double (to compare with slow twins).
#include <nanobind/stl/vector.h>

#include <string>

#include "bind/arrays.hpp"
#include "bind/chain.hpp"
#include "bind/module.hpp"
#include "learning/chain_mira.hpp"

namespace riata::bind {
namespace {

template <class Real>
void bind_precision(nb::module_& m, const std::string& suffix) {
  using Trainer = ChainMira<Real>;
  nb::class_<Trainer>(m, ("ChainMira" + suffix).c_str(), "MIRA on chains (Crammer & Singer 2003, McDonald 2005).")
      .def("__init__", [](Trainer* self, const Weights<Real>& initial, const Flags& start, const Flags& end, const Flags& follow, double c,
                          double cost, std::int64_t k) {
             new (self) Trainer(initial, as_constraint(initial, start, end, follow), MiraSpec{c, cost, k});
           }, nb::arg("initial"), nb::arg("start"), nb::arg("end"), nb::arg("follow"), nb::arg("c"), nb::arg("cost"), nb::arg("k"))
      .def("epoch", &run_epoch<Trainer>, nb::arg("index"), nb::arg("instances"), nb::arg("order"), nb::arg("sentence_weights"), nb::arg("class_weights"),
           nb::arg("progress").none() = nb::none(), "One pass over the sentences in the given order.")
      .def("averaged", &Trainer::averaged, nb::call_guard<nb::gil_scoped_release>())
      .def("average_into", &Trainer::average_into, nb::arg("weights"), nb::call_guard<nb::gil_scoped_release>(), "The same in the memory of other weights.")
      .def("finish", &Trainer::finish, nb::call_guard<nb::gil_scoped_release>(), "The average, in the memory of the learner, which starts anew.")
      .def("last", [](const Trainer& self) { return Weights<Real>(self.last()); }, nb::call_guard<nb::gil_scoped_release>());
  bind_mixing<Trainer, Real>(m);
}

}  // namespace

void mira(nb::module_& m) {
  bind_precision<float>(m, "");
  bind_precision<double>(m, "64");
}

}  // namespace riata::bind
