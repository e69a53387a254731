// Learners that take one sentence after another, on models of any structure; and groups of learners that are mixed.
#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/unique_ptr.h>
#include <nanobind/stl/vector.h>

#include <string>

#include "bind/arrays.hpp"
#include "bind/model.hpp"
#include "bind/module.hpp"
#include "bind/poll.hpp"
#include "bind/settings.hpp"
#include "bind/trace.hpp"
#include "learning/mixing.hpp"
#include "learning/online/trainer.hpp"

namespace riata::bind {
namespace {

nb::dict in_words(const EpochResult& result) {
  nb::dict out;
  out["sentences"] = result.sentences;
  out["updates"] = result.updates;
  out["tokens"] = result.tokens;
  out["wrong_tokens"] = result.wrong_tokens < 0 ? nb::object(nb::none()) : nb::object(nb::int_(result.wrong_tokens));
  return out;
}

template <class Real>
nb::dict run_epoch(OnlineTrainer<Real>& self, const FeatureIndex& index, const Instances& instances, const std::optional<Outputs>& gold,
                   const In<std::int64_t>& order, const In<double>& sentence_weights, const In<double>& class_weights,
                   const nb::object& progress, const Rules* rules) {
  const Corpus corpus = as_corpus(index, instances, gold);
  const Poll poll = as_poll(progress);
  EpochResult result;
  {
    nb::gil_scoped_release release;
    result = self.epoch(corpus, view(order), view(sentence_weights), view(class_weights), poll, rules);
  }
  return in_words(result);
}

// Several learners over one feature index, each of which has learnt from a part of the data.
template <class Real>
void bind_mixing(nb::module_& m) {
  using Trainer = OnlineTrainer<Real>;
  const auto weights_of = [](const std::vector<Trainer*>& trainers) {
    std::vector<Vector<Real>*> all;
    for (Trainer* trainer : trainers) all.push_back(&trainer->weights());
    if (all.empty()) throw Error("RiataError", "there are no weights to mix");
    return all;
  };
  m.def(
      "mix",
      [=](const std::vector<Trainer*>& trainers, const std::vector<double>& shares, std::int64_t threads) {
        const auto all = weights_of(trainers);
        nb::gil_scoped_release release;
        align<Real>(trainers);
        mix<Real>(all, shares, threads);
      },
      nb::arg("trainers"), nb::arg("shares"), nb::arg("threads") = 1, "Gives all learners the sum of their weights, each times its share.");
  m.def(
      "average_of_all",
      [=](const std::vector<Trainer*>& trainers, std::int64_t threads) {
        const auto all = weights_of(trainers);
        nb::gil_scoped_release release;
        std::unique_ptr<Model<Real>> out = trainers[0]->model().copy();
        out->flat() = average_of_all<Real>(all, threads);
        return out;
      },
      nb::arg("trainers"), nb::arg("threads") = 1, "The mean of all weights that the learners went through.");
}

template <class Real>
void bind_precision(nb::module_& m, const std::string& suffix) {
  using Trainer = OnlineTrainer<Real>;
  const nb::call_guard<nb::gil_scoped_release> alone;
  nb::class_<Trainer>(m, ("OnlineTrainer" + suffix).c_str(), "Learns from one sentence after another.")
      .def(
          "__init__",
          [](Trainer* self, const std::string& learner, const Model<Real>& initial, const nb::dict& given, double truncate) {
            const Settings settings = as_settings(given);
            new (self) Trainer(initial, OnlineLearners<Real>::make(learner, settings), truncate);
          },
          nb::arg("learner"), nb::arg("initial"), nb::arg("settings"), nb::arg("truncate") = 0.0)
      .def("epoch", &run_epoch<Real>, nb::arg("index"), nb::arg("instances"), nb::arg("gold").none(), nb::arg("order"),
           nb::arg("sentence_weights"), nb::arg("class_weights"), nb::arg("progress").none() = nb::none(),
           nb::arg("rules").none() = nb::none(),
           "One pass over the sentences in the given order. gold: the outputs, one number per token; None: the labels of the instances. "
           "rules: what the learner finds must keep them.")
      .def("averaged", &Trainer::averaged, alone)
      .def("last", &Trainer::last, alone)
      .def("untruncated", &Trainer::untruncated, alone, "The last weights, none of them left out.")
      .def("keep", &Trainer::keep, nb::arg("average"), alone,
           "Keeps the average or the last weights, in case that the next pass is broken off.")
      .def("kept", &Trainer::kept, alone, "What was kept last.")
      .def("finish", &Trainer::finish, nb::arg("and_last"), alone,
           "The average, in the memory of the learner, which learns no more. and_last: whether `untruncated` will be asked, once.")
      .def("recorded_margins",
           [](const Trainer& self) {
             const LeastMargins least = self.learner().recorded_margins();
             return nb::make_tuple(least.raw, least.normalised);
           })
      .def_prop_ro("norm", &Trainer::norm)
      .def_prop_ro("dropped", &Trainer::dropped, "Weights that truncation left out of the model made last.")
      .def("stats", [](const Trainer& self) { return as_dict(self.learner().stats()); });
  bind_mixing<Real>(m);
}

void trainer(nb::module_& m) {
  bind_precision<float>(m, "");
  bind_precision<double>(m, "64");
}

const Bindings entered(trainer);

}  // namespace
}  // namespace riata::bind
