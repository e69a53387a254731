// What the potentials of every structure have in common for Python: the way from points to weights and back.
#pragma once

#include <string>

#include "bind/arrays.hpp"
#include "core/error.hpp"
#include "inference/potentials.hpp"
#include "inference/structures/chain_pairs.hpp"

namespace riata::bind {

inline void check_point(const Potentials& potentials, const In<double>& at) {
  if (static_cast<std::int64_t>(at.shape(0)) != potentials.size()) throw Error("RiataError", "the point does not fit the weights");
}

inline Pairs as_pairs(bool all) { return all ? Pairs::all : Pairs::seen; }

// Kind: potentials. ModelOf: their models, in any precision; made(potentials, weights): one with these weights.
template <class Kind, class Real, template <class> class ModelOf, class Made>
nb::class_<Kind, Potentials> define_potentials(nb::module_& m, const std::string& name, const char* says, Made made) {
  nb::class_<Kind, Potentials> out(m, name.c_str(), says);
  out.def(
         "model",
         [made](const Kind& self, const In<double>& at) {
           check_point(self, at);
           return made(self, self.points().template model<Real>(view(at)));
         },
         nb::arg("at"), "The weights at a point.")
      .def(
          "single_model",
          [made](const Kind& self, const In<double>& at) {
            check_point(self, at);
            return made(self, self.points().template model<float>(view(at)));
          },
          nb::arg("at"), "The weights at a point, in single precision.")
      .def(
          "point", [](const Kind& self, const ModelOf<Real>& model) { return give(self.points().point(model.weights)); },
          nb::arg("weights"), "The point at given weights.");
  return out;
}

}  // namespace riata::bind
