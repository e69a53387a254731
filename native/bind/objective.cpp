// Batch objectives for Python: value and gradient at a point, over the potentials of any structure; and vector operations of minimisers.
#include <nanobind/nanobind.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <algorithm>
#include <cmath>
#include <string>
#include <utility>
#include <vector>

#include "bind/module.hpp"
#include "bind/poll.hpp"
#include "bind/potentials.hpp"
#include "core/kernels.hpp"
#include "learning/batch/objective.hpp"
#include "learning/batch/stochastic.hpp"
#include "losses/output_loss.hpp"

namespace riata::bind {
namespace {

void bind_objective(nb::module_& m) {
  nb::class_<Potentials>(m, "Potentials", "The scores of a structure's parts on given sentences, as functions of a point.")
      .def_prop_ro("size", &Potentials::size, "How many weights there are.")
      .def_prop_ro("sentences", &Potentials::sentences);
  m.def("output_losses", &output_loss_names, "The names of losses that are functions of log P of the truth, or of its labels.");
  m.def(
      "is_exponential", [](const std::string& loss) { return output_loss(loss).exponential; }, nb::arg("loss"),
      "Whether a loss grows as 1 / P, so that its logarithm is minimised.");
  nb::class_<BatchObjective>(m, "BatchObjective", "The sum of a loss over sentences, and its gradient.")
      .def(
          "__init__",
          [](BatchObjective* self, Potentials& potentials, const In<double>& weights, const std::string& loss) {
            check_sentence_weights(potentials, weights);
            new (self) BatchObjective(potentials, view(weights), output_loss(loss));
          },
          nb::arg("potentials"), nb::arg("weights"), nb::arg("loss") = "log", nb::keep_alive<1, 2>(),
          "weights: of sentences, or empty. The potentials serve no other objective.")
      .def_prop_ro("size", &BatchObjective::size, "How many weights there are.")
      .def_prop_ro("scale", &BatchObjective::scale, "Of the last evaluation: 0, unless the loss is exponential.")
      .def(
          "__call__",
          [](BatchObjective& self, const In<double>& at, std::int64_t threads, const nb::object& progress, double c2) {
            if (static_cast<std::int64_t>(at.shape(0)) != self.size()) throw Error("RiataError", "the point does not fit the weights");
            const Poll poll = as_poll(progress);
            std::vector<double> gradient(at.shape(0));
            BatchObjective::Found found{};
            {
              nb::gil_scoped_release release;
              found = self(view(at), gradient, std::max<std::int64_t>(threads, 1), poll);
              if (c2 != 0) {
                const auto size = static_cast<std::int64_t>(gradient.size());
                const double scaled = c2 * std::exp(-found.scale);
                found.value += scaled * dot(at.data(), at.data(), size);
                add_scaled(2 * scaled, at.data(), gradient.data(), size);
              }
            }
            return nb::make_tuple(found.value, give(std::move(gradient)));
          },
          nb::arg("at"), nb::arg("threads"), nb::arg("progress").none() = nb::none(), nb::arg("c2") = 0.0,
          "Value and gradient, with the penalty c2 times the sum of squares; both divided by e^scale.")
      .def(
          "value",
          [](BatchObjective& self, const In<double>& at, std::int64_t threads, const nb::object& progress, double c2) {
            if (static_cast<std::int64_t>(at.shape(0)) != self.size()) throw Error("RiataError", "the point does not fit the weights");
            const Poll poll = as_poll(progress);
            nb::gil_scoped_release release;
            const BatchObjective::Found found = self.value(view(at), std::max<std::int64_t>(threads, 1), poll);
            return found.value + c2 * std::exp(-found.scale) * dot(at.data(), at.data(), static_cast<std::int64_t>(at.shape(0)));
          },
          nb::arg("at"), nb::arg("threads"), nb::arg("progress").none() = nb::none(), nb::arg("c2") = 0.0, "The value alone.");
}

template <class Real>
void bind_stochastic(nb::module_& m, const char* name) {
  using Kind = Stochastic<Real>;
  nb::class_<Kind>(m, name, "Averaged stochastic gradient descent, over the potentials of any structure that make it.")
      .def_prop_ro("size", &Kind::size, "How many weights there are.")
      .def(
          "set",
          [](Kind& self, const In<double>& at) {
            if (static_cast<std::int64_t>(at.shape(0)) != self.size()) throw Error("RiataError", "the point does not fit the weights");
            self.set(view(at));
          },
          nb::arg("at"), "Starts anew from a point.")
      .def(
          "epoch",
          [](Kind& self, const In<std::int64_t>& order, double eta, bool averaging, const nb::object& progress) {
            for (const std::int64_t s : view(order)) {
              if (s < 0 || s >= self.sentences()) throw Error("RiataError", "the order does not fit the sentences");
            }
            const Poll poll = as_poll(progress);
            nb::gil_scoped_release release;
            return self.epoch(view(order), eta, averaging, poll);
          },
          nb::arg("order"), nb::arg("eta"), nb::arg("averaging"), nb::arg("progress").none() = nb::none(),
          "One pass; the sum of the losses of the sentences, each before its step.")
      .def(
          "point", [](const Kind& self) { return give(self.point()); }, "The mean of the weights, once there is one.")
      .def_prop_ro("skipped", &Kind::skipped, "Visits since `set` that moved nothing: scores were beyond what factors can hold.");
}

void objective(nb::module_& m) {
  bind_objective(m);
  bind_stochastic<float>(m, "Stochastic");
  bind_stochastic<double>(m, "Stochastic64");
  m.def(
      "dot",
      [](const In<double>& x, const In<double>& y) {
        if (x.shape(0) != y.shape(0)) throw Error("RiataError", "the vectors differ in length");
        return dot(x.data(), y.data(), static_cast<std::int64_t>(x.shape(0)));
      },
      nb::arg("x"), nb::arg("y"), "The product of two vectors, always added up in the same order.");
  m.def(
      "add_scaled",
      [](double a, const In<double>& x, nb::ndarray<double, nb::ndim<1>, nb::c_contig, nb::device::cpu> y) {
        if (x.shape(0) != y.shape(0)) throw Error("RiataError", "the vectors differ in length");
        add_scaled(a, x.data(), y.data(), static_cast<std::int64_t>(x.shape(0)));
      },
      nb::arg("a"), nb::arg("x"), nb::arg("y"), "y += a x, in place.");
}

const Bindings entered(objective, Bindings::Part::bases);

}  // namespace
}  // namespace riata::bind
