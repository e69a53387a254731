// Max-margin learning for Python, on models of any structure.
#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/unique_ptr.h>
#include <nanobind/stl/vector.h>

#include <cmath>
#include <string>

#include "bind/arrays.hpp"
#include "bind/model.hpp"
#include "bind/module.hpp"
#include "bind/poll.hpp"
#include "bind/settings.hpp"
#include "learning/margin/simplex.hpp"
#include "learning/margin/trainer.hpp"

namespace riata::bind {
namespace {

nb::object if_known(double value) { return std::isnan(value) ? nb::object(nb::none()) : nb::object(nb::float_(value)); }

template <class Real>
void bind_precision(nb::module_& m, const char* name) {
  using Trainer = MarginTrainer<Real>;
  const nb::call_guard<nb::gil_scoped_release> alone;
  nb::class_<Trainer>(m, name, "Minimises 1/2 |w|^2 + C times the sum of hinge losses.")
      .def(
          "__init__",
          [](Trainer* self, const std::string& solver, const Model<Real>& initial, const nb::dict& given) {
            const Settings settings = as_settings(given);
            const bool scales_slack = settings.has("scales_slack") && settings.flag("scales_slack");
            new (self)
                Trainer(initial, MarginSolvers<Real>::make(solver, settings), ChosenLoss(settings), scales_slack, settings.number("C"));
          },
          nb::arg("solver"), nb::arg("initial"), nb::arg("settings"), "settings: C, loss, costs, scales_slack, and those of the solver.")
      .def(
          "epoch",
          [](Trainer& self, const FeatureIndex& index, const Instances& instances, const std::optional<Outputs>& gold,
             const In<std::int64_t>& order, const In<double>& sentence_weights, const In<double>& class_weights,
             const nb::object& progress) {
            const typename Trainer::Data data{as_corpus(index, instances, gold), view(sentence_weights), view(class_weights)};
            const Poll poll = as_poll(progress);
            typename MarginSolver<Real>::Pass pass;
            {
              nb::gil_scoped_release release;
              pass = self.epoch(data, view(order), poll);
            }
            nb::dict out;
            out["updates"] = pass.updates;
            out["primal"] = if_known(pass.primal);
            out["gap"] = if_known(pass.gap);
            out["finished"] = pass.finished;
            return out;
          },
          nb::arg("index"), nb::arg("instances"), nb::arg("gold").none(), nb::arg("order"), nb::arg("sentence_weights"),
          nb::arg("class_weights"), nb::arg("progress").none() = nb::none(), "One pass over all sentences in the given order.")
      .def(
          "certify",
          [](Trainer& self, const FeatureIndex& index, const Instances& instances, const std::optional<Outputs>& gold,
             const In<double>& sentence_weights, const In<double>& class_weights, bool average, const nb::object& progress) {
            const typename Trainer::Data data{as_corpus(index, instances, gold), view(sentence_weights), view(class_weights)};
            const Poll poll = as_poll(progress);
            Certificate found;
            {
              nb::gil_scoped_release release;
              found = self.certify(data, average, poll);
            }
            return nb::make_tuple(found.primal, if_known(found.dual));
          },
          nb::arg("index"), nb::arg("instances"), nb::arg("gold").none(), nb::arg("sentence_weights"), nb::arg("class_weights"),
          nb::arg("average"), nb::arg("progress").none() = nb::none(), "The objective and a lower bound of its minimum, if one is known.")
      .def("dual", [](const Trainer& self) { return if_known(self.dual()); })
      .def("set_c", &Trainer::set_c, nb::arg("c"), alone, "Goes on with another C.")
      .def("averaged", &Trainer::averaged, alone)
      .def("last", &Trainer::last, alone)
      .def_prop_ro("stored", [](const Trainer& self) { return self.solver().stored(); }, "Numbers that are stored beside the weights.");
}

void margin(nb::module_& m) {
  bind_precision<float>(m, "MarginTrainer");
  bind_precision<double>(m, "MarginTrainer64");
  m.def(
      "ascend_in_simplex",
      [](const In<double>& b, const In<double>& g, double cap, double precise) {
        if (g.shape(0) != b.shape(0) * b.shape(0)) throw Error("RiataError", "the products do not fit");
        std::vector<double> a(b.shape(0), 0.0);
        ascend_in_simplex(view(b), view(g), cap, precise, a);
        return give(std::move(a));
      },
      nb::arg("b"), nb::arg("g"), nb::arg("cap"), nb::arg("precise"),
      "Maximises b.a - a'ga/2 over a >= 0 with a sum of at most cap. g: [n * n].");
}

const Bindings entered(margin);

}  // namespace
}  // namespace riata::bind
