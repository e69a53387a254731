// Regularised Winnow for Python.
#include <string>

#include "bind/arrays.hpp"
#include "bind/model.hpp"
#include "bind/module.hpp"
#include "bind/poll.hpp"
#include "learning/winnow.hpp"

namespace riata::bind {
namespace {

template <class Real>
nb::dict run_pass(Winnow<Real>& self, const In<std::int64_t>& order, const nb::object& progress) {
  const Poll poll = as_poll(progress);
  typename Winnow<Real>::Pass found;
  {
    nb::gil_scoped_release release;
    found = self.pass(view(order), poll);
  }
  nb::dict out;
  out["sentences"] = found.sentences;
  out["updates"] = found.updates;
  out["tokens"] = found.tokens;
  out["wrong_tokens"] = found.wrong_tokens;
  out["objective"] = found.objective;
  return out;
}

template <class Real>
Out<double> scores_of_steps(const ChainModel<Real>& model, const FeatureIndex& index, const Instances& instances, const Outputs& labels) {
  std::vector<double> out;
  {
    nb::gil_scoped_release release;
    out = step_scores(model, {index, instances, view(labels)});
  }
  return give(std::move(out));
}

template <class Real>
void bind_winnow(nb::module_& m, const std::string& suffix) {
  using Kind = Winnow<Real>;
  nb::class_<Kind>(m, ("Winnow" + suffix).c_str(), "Regularised Winnow on the tokens of a chain, learnt in the dual.")
      .def(
          "__init__",
          [](Kind* self, const ChainModel<Real>& blank, const FeatureIndex& index, const Instances& instances,
             const In<double>& sentence_weights, const In<double>& class_weights, double mu, double c, double eta) {
            new (self) Kind(blank, {index, instances, instances.labels}, view(sentence_weights), view(class_weights), {mu, c, eta});
          },
          nb::arg("blank"), nb::arg("index"), nb::arg("instances"), nb::arg("sentence_weights"), nb::arg("class_weights"), nb::arg("mu"),
          nb::arg("c"), nb::arg("eta"), nb::keep_alive<1, 3>(), nb::keep_alive<1, 4>())
      .def("run", &run_pass<Real>, nb::arg("order"), nb::arg("progress").none() = nb::none(),
           "One pass over the sentences, and what came of it.")
      .def(
          "model",
          [](const Kind& self) {
            nb::gil_scoped_release release;
            return self.model();
          },
          "The weights.");
  m.def("step_scores", &scores_of_steps<Real>, nb::arg("model"), nb::arg("index"), nb::arg("instances"), nb::arg("labels"),
        "What the weights of every label add up to at every token of a chain, [tokens * labels], after the given labels.");
}

void winnow(nb::module_& m) {
  bind_winnow<float>(m, "");
  bind_winnow<double>(m, "64");
}

const Bindings entered(winnow);

}  // namespace
}  // namespace riata::bind
