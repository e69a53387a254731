// Sequence boosting for Python.
#include <nanobind/stl/optional.h>
#include <nanobind/stl/unique_ptr.h>

#include <algorithm>
#include <optional>
#include <vector>

#include "bind/arrays.hpp"
#include "bind/model.hpp"
#include "bind/module.hpp"
#include "bind/poll.hpp"
#include "learning/boosting/booster.hpp"

namespace riata::bind {
namespace {

template <class Real>
nb::dict run(Booster<Real>& self, std::int64_t rounds, std::int64_t threads, const nb::object& progress) {
  using Round = typename Booster<Real>::Round;
  const Poll poll = as_poll(progress);
  std::vector<Round> found;
  {
    nb::gil_scoped_release release;
    found = self.run(rounds, std::max<std::int64_t>(threads, 1), poll);
  }
  nb::dict out;
  const auto column = [&](const char* name, auto field) {
    std::vector<std::remove_cvref_t<decltype(Round{}.*field)>> values;
    for (const Round& round : found) values.push_back(round.*field);
    out[name] = give(std::move(values));
  };
  column("places", &Round::place);
  column("steps", &Round::step);
  column("bounds", &Round::bound);
  column("objectives", &Round::objective);
  column("sentences", &Round::sentences);
  column("tokens", &Round::tokens);
  return out;
}

template <class Real>
void bind_precision(nb::module_& m, const char* name) {
  using Kind = Booster<Real>;
  nb::class_<Kind>(m, name, "Sequence boosting: every round changes one weight, for which a bound of the exponential loss falls most.")
      .def(
          "__init__",
          [](Kind* self, const Model<Real>& initial, const FeatureIndex& index, const Instances& instances, const In<double>& weights,
             bool over_corpus, double cap, const std::optional<In<std::int32_t>>& gold) {
            nb::gil_scoped_release release;
            const BoundOver over = over_corpus ? BoundOver::corpus : BoundOver::sentences;
            new (self) Kind(initial, {index, instances, gold ? view(*gold) : Codes(instances.labels)}, view(weights), {over, cap});
          },
          nb::arg("initial"), nb::arg("index"), nb::arg("instances"), nb::arg("sentence_weights"), nb::arg("over_corpus"), nb::arg("cap"),
          nb::arg("gold") = nb::none(), nb::keep_alive<1, 3>(), nb::keep_alive<1, 4>(), nb::keep_alive<1, 8>())
      .def("run", &run<Real>, nb::arg("rounds"), nb::arg("threads") = 1, nb::arg("progress").none() = nb::none(),
           "Runs so many rounds, or fewer if no weight lowers the loss. By round: the place of the weight, its change, a bound of the "
           "logarithm of the loss, this logarithm, and how many sentences and tokens were evaluated again.")
      .def(
          "model", [](const Kind& self) { return self.model(); }, nb::call_guard<nb::gil_scoped_release>(), "The weights.")
      .def(
          "places", [](const Kind& self) { return give(self.places()); }, "Where the weights to choose from stand in the long vector.")
      .def_prop_ro("features", &Kind::features, "How many weights there are to choose from.")
      .def_prop_ro("used", &Kind::used, "How many weights are not 0.")
      .def_prop_ro("objective", &Kind::objective, "The logarithm of the loss.")
      .def_prop_ro("finished", &Kind::finished, "Whether no weight lowers the loss any further.");
}

void boosting(nb::module_& m) {
  bind_precision<float>(m, "Booster");
  bind_precision<double>(m, "Booster64");
}

const Bindings entered(boosting);

}  // namespace
}  // namespace riata::bind
