// What the bindings of chains share.
#pragma once

#include <cstdint>

#include "bind/arrays.hpp"
#include "core/error.hpp"
#include "learning/chain_perceptron.hpp"
#include "learning/mixing.hpp"
#include "models/chain.hpp"

namespace riata::bind {

using Flags = In<std::uint8_t>;

// Which labels may start, end and follow: flags of [L], [L] and [L * L].
template <class Real>
Constraint<Real> as_constraint(const Weights<Real>& weights, const Flags& start, const Flags& end, const Flags& follow) {
  const auto L = static_cast<std::size_t>(weights.labels);
  if (start.shape(0) != L || end.shape(0) != L || follow.shape(0) != L * L)
    throw Error("RiataError", "the constraint does not fit the labels");
  return Constraint<Real>(weights.labels, weights.stride, copy(start), copy(end), copy(follow));
}

// Lets Python see Ctrl-C and, where asked, how far a long loop has come.
inline Poll as_poll(const nb::object& progress) {
  return [progress_ = progress.ptr()](std::int64_t done) {
    nb::gil_scoped_acquire acquire;
    if (PyErr_CheckSignals() != 0) throw nb::python_error();
    if (progress_ != Py_None) nb::borrow<nb::object>(progress_)(done);
    return true;
  };
}

inline nb::dict as_dict(const EpochResult& result) {
  nb::dict out;
  out["sentences"] = result.sentences;
  out["updates"] = result.updates;
  out["tokens"] = result.tokens;
  out["wrong_tokens"] = result.wrong_tokens;
  return out;
}

// One epoch of a learner that compares whole outputs. It says no more than that something does not fit: Python checks first.
template <class Trainer>
nb::dict run_epoch(Trainer& trainer, const FeatureIndex& index, const Instances& instances, const In<std::int64_t>& order,
                   const In<double>& sentence_weights, const In<double>& class_weights, const nb::object& progress) {
  const std::int32_t labels = trainer.last().labels;
  bool ok = static_cast<std::int64_t>(instances.labels.size()) == instances.tokens() &&
            (sentence_weights.shape(0) == 0 || static_cast<std::int64_t>(sentence_weights.shape(0)) == instances.sentences()) &&
            (class_weights.shape(0) == 0 || class_weights.shape(0) == static_cast<std::size_t>(labels));
  for (const std::int64_t s : view(order)) ok = ok && s >= 0 && s < instances.sentences();
  for (const std::int32_t label : instances.labels) ok = ok && label >= 0 && label < labels;
  if (!ok) throw Error("RiataError", "order, labels and weights do not fit the instances");
  const Poll poll = as_poll(progress);
  EpochResult result;
  {
    nb::gil_scoped_release release;
    result = trainer.epoch(index, instances, view(order), view(sentence_weights), view(class_weights), poll);
  }
  return as_dict(result);
}

// Several learners over one feature index, each of which has seen a part of the data.
template <class Trainer, class Real>
void bind_mixing(nb::module_& m) {
  const auto weights_of = [](const std::vector<Trainer*>& trainers) {
    std::vector<Averaged<Real>*> all;
    for (Trainer* trainer : trainers) all.push_back(&trainer->weights());
    if (all.empty()) throw Error("RiataError", "there are no weights to mix");
    return all;
  };
  m.def(
      "mix",
      [=](const std::vector<Trainer*>& trainers, const std::vector<double>& shares, std::int64_t threads) {
        const auto all = weights_of(trainers);
        nb::gil_scoped_release release;
        mix<Real>(all, shares, threads);
      },
      nb::arg("trainers"), nb::arg("shares"), nb::arg("threads") = 1, "Gives all learners the sum of their weights, each times its share.");
  m.def(
      "average_of_all",
      [=](const std::vector<Trainer*>& trainers, std::int64_t threads) {
        const auto all = weights_of(trainers);
        nb::gil_scoped_release release;
        return average_of_all<Real>(all, threads);
      },
      nb::arg("trainers"), nb::arg("threads") = 1, "The mean of all weights that the learners went through.");
}

// What every learner that compares whole outputs can do.
template <class Trainer, class Real>
void bind_learner(nb::module_& m, nb::class_<Trainer>& learner) {
  using Weighted = Weights<Real>;
  const nb::call_guard<nb::gil_scoped_release> alone;
  learner
      .def("epoch", &run_epoch<Trainer>, nb::arg("index"), nb::arg("instances"), nb::arg("order"), nb::arg("sentence_weights"),
           nb::arg("class_weights"), nb::arg("progress").none() = nb::none(), "One pass over the sentences in the given order.")
      .def(
          "averaged", [](const Trainer& self) { return self.averaged(); }, alone)
      .def(
          "average_into", [](const Trainer& self, Weighted& mean) { self.average_into(mean); }, nb::arg("weights"), alone,
          "The same in the memory of other weights.")
      .def(
          "finish", [](Trainer& self) { return self.finish(); }, alone, "The average, in the memory of the learner, which starts anew.")
      .def("last", [](const Trainer& self) { return Weighted(self.last()); }, alone);
  bind_mixing<Trainer, Real>(m);
}

}  // namespace riata::bind
