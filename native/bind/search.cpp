// Search that learns, on chains.
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <string>

#include "bind/arrays.hpp"
#include "bind/chain.hpp"
#include "bind/module.hpp"
#include "core/error.hpp"
#include "learning/chain_search.hpp"

namespace riata::bind {
namespace {

template <class Enum>
Enum by_name(const std::string& setting, const std::string& name, const std::vector<std::pair<const char*, Enum>>& known) {
  for (const auto& [text, value] : known) {
    if (name == text) return value;
  }
  throw Error("SettingError", "setting '" + setting + "' has the value '" + name + "'");
}

QueueSpec queue_of(const nb::dict& settings) {
  return {nb::cast<std::string>(settings["queue"]), nb::cast<std::int64_t>(settings["beam"]), nb::cast<std::string>(settings["beam_by"])};
}

LearnerSpec learner_of(const nb::dict& settings) {
  LearnerSpec spec;
  spec.when = by_name<When>("when", nb::cast<std::string>(settings["when"]),
                            {{"laso", When::laso}, {"early", When::early}, {"max-violation", When::max_violation}, {"standard", When::standard}});
  spec.what = by_name<What>("update", nb::cast<std::string>(settings["update"]),
                            {{"mean", What::mean}, {"queue", What::queue}, {"best", What::best}, {"loss-weighted", What::loss_weighted}});
  spec.how = by_name<How>("step", nb::cast<std::string>(settings["step"]), {{"perceptron", How::perceptron}, {"alma", How::alma}, {"mira", How::mira}});
  spec.alpha = nb::cast<double>(settings["alpha"]);
  spec.b = nb::cast<double>(settings["B"]);
  spec.c = nb::cast<double>(settings["C"]);
  return spec;
}

template <class Real>
void bind_precision(nb::module_& m, const std::string& suffix) {
  using Trainer = ChainSearch<Real>;
  nb::class_<Trainer>(m, ("ChainSearch" + suffix).c_str(), "Learning by search on chains (Daumé & Marcu 2005).")
      .def("__init__", [](Trainer* self, const FeatureIndex& index, const Weights<Real>& initial, const Flags& start, const Flags& end,
                          const Flags& follow, std::int32_t given_size, const nb::dict& settings) {
             Weights<Real> grown = initial;
             grown.grow(index, given_size);
             new (self) Trainer(index, grown, as_constraint(initial, start, end, follow), given_size, queue_of(settings), learner_of(settings));
           }, nb::arg("index"), nb::arg("initial"), nb::arg("start"), nb::arg("end"), nb::arg("follow"), nb::arg("given_size"), nb::arg("settings"))
      .def("epoch", [](Trainer& self, const FeatureIndex& index, const Instances& instances, const In<std::int64_t>& order, const nb::object& progress) {
             bool ok = static_cast<std::int64_t>(instances.labels.size()) == instances.tokens();
             for (const std::int64_t s : view(order)) ok = ok && s >= 0 && s < instances.sentences();
             for (const std::int32_t label : instances.labels) ok = ok && label < self.labels();
             if (!ok) throw Error("RiataError", "order and labels do not fit the instances");
             const Poll poll = as_poll(progress);
             EpochResult result;
             {
               nb::gil_scoped_release release;
               result = self.epoch(index, instances, view(order), poll);
             }
             return as_dict(result);
           }, nb::arg("index"), nb::arg("instances"), nb::arg("order"), nb::arg("progress").none() = nb::none())
      .def("averaged", &Trainer::averaged, nb::arg("index"), nb::call_guard<nb::gil_scoped_release>())
      .def("last", &Trainer::last, nb::arg("index"), nb::call_guard<nb::gil_scoped_release>())
      .def_prop_ro("norm", &Trainer::norm)
      .def("stats", [](const Trainer& self) {
        nb::dict out;
        out["updates"] = self.stats().updates;
        out["non_violating"] = self.stats().non_violating;
        out["largest_difference"] = self.stats().largest_difference;
        return out;
      });

  m.def("decode_by_search", [](const Weights<Real>& weights, const FeatureIndex& index, const Instances& instances, const Flags& start, const Flags& end,
                               const Flags& follow, const nb::dict& settings, const nb::object& progress) {
          const Constraint<Real> constraint = as_constraint(weights, start, end, follow);
          const QueueSpec queue = queue_of(settings);
          const Poll poll = as_poll(progress);
          std::vector<std::int32_t> labels;
          {
            nb::gil_scoped_release release;
            labels = decode_by_search(index, weights, constraint, instances, queue, Limits{}, poll);
          }
          return give(std::move(labels));
        }, nb::arg("weights"), nb::arg("index"), nb::arg("instances"), nb::arg("start"), nb::arg("end"), nb::arg("follow"), nb::arg("settings"),
        nb::arg("progress").none() = nb::none(), "The labels that a search finds, with any queue.");
}

}  // namespace

void search(nb::module_& m) {
  bind_precision<float>(m, "");
  bind_precision<double>(m, "64");
}

}  // namespace riata::bind
