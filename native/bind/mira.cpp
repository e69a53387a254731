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
  nb::class_<Trainer> learner(m, ("ChainMira" + suffix).c_str(), "MIRA on chains (Crammer & Singer 2003, McDonald 2005).");
  learner.def(
      "__init__",
      [](Trainer* self, const Weights<Real>& initial, const Flags& start, const Flags& end, const Flags& follow, double c, double cost,
         std::int64_t k) { new (self) Trainer(initial, as_constraint(initial, start, end, follow), MiraSpec{c, cost, k}); },
      nb::arg("initial"), nb::arg("start"), nb::arg("end"), nb::arg("follow"), nb::arg("c"), nb::arg("cost"), nb::arg("k"));
  bind_learner<Trainer, Real>(m, learner);
}

}  // namespace

void mira(nb::module_& m) {
  bind_precision<float>(m, "");
  bind_precision<double>(m, "64");
}

}  // namespace riata::bind
