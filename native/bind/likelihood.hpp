// What likelihoods have in common for Python: value and gradient at a point, and the way from points to weights and back.
#pragma once

#include <algorithm>
#include <utility>
#include <vector>

#include "bind/arrays.hpp"
#include "bind/chain.hpp"
#include "core/error.hpp"
#include "core/kernels.hpp"

namespace riata::bind {

template <class Likelihood, class Weights>
void define_function(nb::class_<Likelihood>& of) {
  of.def_prop_ro("size", &Likelihood::size, "How many weights there are.")
      .def(
          "__call__",
          [](Likelihood& self, const In<double>& at, std::int64_t threads, const nb::object& progress, double c2) {
            if (static_cast<std::int64_t>(at.shape(0)) != self.size()) throw Error("RiataError", "the point does not fit the weights");
            const Poll poll = as_poll(progress);
            std::vector<double> gradient(at.shape(0));
            double value = 0;
            {
              nb::gil_scoped_release release;
              value = self(view(at), gradient, std::max<std::int64_t>(threads, 1), poll);
              if (c2 != 0) {
                const auto size = static_cast<std::int64_t>(gradient.size());
                value += c2 * dot(at.data(), at.data(), size);
                add_scaled(2 * c2, at.data(), gradient.data(), size);
              }
            }
            return nb::make_tuple(value, give(std::move(gradient)));
          },
          nb::arg("at"), nb::arg("threads"), nb::arg("progress").none() = nb::none(), nb::arg("c2") = 0.0,
          "Value and gradient, with the penalty c2 times the sum of squares.")
      .def(
          "model",
          [](const Likelihood& self, const In<double>& at) {
            if (static_cast<std::int64_t>(at.shape(0)) != self.size()) throw Error("RiataError", "the point does not fit the weights");
            return self.model(view(at));
          },
          nb::arg("at"), "The weights at a point.")
      .def(
          "point", [](const Likelihood& self, const Weights& weights) { return give(self.point(weights)); }, nb::arg("weights"),
          "The point at given weights.");
}

}  // namespace riata::bind
