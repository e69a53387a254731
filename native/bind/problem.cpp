// Search problems written in Python: learning and decoding with the engine that native spaces use.
#include <nanobind/nanobind.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include "bind/arrays.hpp"
#include "bind/module.hpp"
#include "bind/problem_model.hpp"
#include "bind/problem_trainer.hpp"
#include "bind/search.hpp"
#include "bind/trace.hpp"

namespace riata::bind {
namespace {

nb::dict counts_of(const ProblemPass& pass) {
  nb::dict out;
  out["examples"] = pass.examples;
  out["updates"] = pass.updates;
  out["unreachable"] = pass.unreachable;
  out["skipped"] = pass.skipped;
  out["first_skipped"] = nb::make_tuple(pass.first_skipped, pass.remedy);
  return out;
}

void bind_model(nb::module_& m) {
  nb::class_<ProblemModel>(m, "ProblemModel", "Weights by name, for a search problem written in Python.")
      .def(nb::init<const std::vector<std::string>&, const nb::list&, const std::vector<std::int32_t>&, const std::vector<double>&>(),
           nb::arg("names"), nb::arg("actions"), nb::arg("actions_of"), nb::arg("weights"))
      .def("decode", &ProblemModel::decode, nb::arg("problem"), nb::arg("defined"), nb::arg("inputs"), nb::arg("settings"),
           "The actions and the final state that the search finds for every input.")
      .def("nbest", &ProblemModel::nbest, nb::arg("problem"), nb::arg("defined"), nb::arg("inputs"), nb::arg("settings"),
           "Of every input the goals of the last front, best first: actions, final state and score.")
      .def("confidences", &ProblemModel::confidences, nb::arg("problem"), nb::arg("defined"), nb::arg("inputs"), nb::arg("settings"),
           nb::arg("temperature"),
           "Of every input the same with probabilities for scores, and the probability of each step of the first: (goals, steps).")
      .def("errors", &ProblemModel::errors, nb::arg("problem"), nb::arg("defined"), nb::arg("inputs"), nb::arg("outputs"),
           nb::arg("settings"), "Of what the search finds: its regret, its score, and the best score of a right output.")
      .def("margins", &ProblemModel::margins, nb::arg("problem"), nb::arg("defined"), nb::arg("inputs"), nb::arg("outputs"),
           nb::arg("settings"), "What a search with these weights shows of its margins.")
      .def("trace", &ProblemModel::trace, nb::arg("problem"), nb::arg("defined"), nb::arg("x"), nb::arg("y").none(), nb::arg("learning"),
           nb::arg("settings"), nb::arg("learner").none(), nb::arg("features"), nb::arg("states_of_all") = false,
           nb::arg("bounds").none() = nb::none(), "What the search for one input did, step by step.")
      .def("parts", &ProblemModel::parts, "names, actions, actions_of and weights: what the constructor takes.")
      .def("__len__", &ProblemModel::size)
      .def("__reduce__", [](nb::handle_t<ProblemModel> self) { return nb::make_tuple(self.type(), self.attr("parts")()); });
}

void bind_trainer(nb::module_& m) {
  nb::class_<ProblemTrainer>(m, "ProblemTrainer", "Learning by search on a problem written in Python (Daumé & Marcu 2005).")
      .def(nb::init<const nb::dict&, const ProblemModel*>(), nb::arg("settings"), nb::arg("start").none() = nb::none())
      .def(
          "epoch",
          [](ProblemTrainer& self, const nb::object& problem, const std::vector<std::string>& defined, const nb::list& inputs,
             const nb::list& outputs, const std::vector<std::int64_t>& order, const In<double>& weights, const nb::object& progress) {
            return counts_of(self.epoch(problem, defined, inputs, outputs, order, view(weights), progress));
          },
          nb::arg("problem"), nb::arg("defined"), nb::arg("inputs"), nb::arg("outputs"), nb::arg("order"), nb::arg("weights"),
          nb::arg("progress").none(), "One pass over the examples in the given order; weights: of the examples, or none.")
      .def("averaged", &ProblemTrainer::averaged)
      .def("last", &ProblemTrainer::last)
      .def("untruncated", &ProblemTrainer::untruncated, "The last weights, none of them left out.")
      .def_prop_ro("norm", &ProblemTrainer::norm)
      .def_prop_ro("deepest", &ProblemTrainer::deepest, "The most steps that a true output took, among those met.")
      .def_prop_ro("alike", &ProblemTrainer::alike, "States with several operators so far; 0 where features told some of these apart.")
      .def_prop_ro("all_right", &ProblemTrainer::all_right, "Whether there were choices, and none so far was wrong.")
      .def_prop_ro("dropped", &ProblemTrainer::dropped, "Weights that truncation left out of the model made last.")
      .def("recorded_margins",
           [](const ProblemTrainer& self) { return nb::make_tuple(self.recorded_margins().raw, self.recorded_margins().normalised); })
      .def("stats", [](const ProblemTrainer& self) { return as_dict(self.stats()); });
}

void problem(nb::module_& m) {
  m.attr("most_actions") = most_actions;
  m.attr("most_features") = most_features;
  m.attr("most_value") = most_value;
  bind_model(m);
  bind_trainer(m);
}

const Bindings entered(problem);

}  // namespace
}  // namespace riata::bind
