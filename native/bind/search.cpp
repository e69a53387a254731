// Search that learns, on chains.
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <algorithm>
#include <string>

#include "bind/arrays.hpp"
#include "bind/chain.hpp"
#include "bind/confidences.hpp"
#include "bind/module.hpp"
#include "bind/search.hpp"
#include "core/error.hpp"
#include "learning/chain_search.hpp"

namespace riata::bind {
namespace {

template <class Real>
Out<std::int32_t> decode(const ChainDecoder<Real>& decoder, const Instances& instances, const Flags& start, const Flags& end,
                         const Flags& follow, const nb::dict& settings, const nb::object& progress) {
  const Constraint<Real> constraint = as_constraint(decoder.weights(), start, end, follow);
  const QueueSpec queue = queue_of(settings);
  const Limits limits = limits_of(settings);
  const Poll poll = as_poll(progress);
  std::vector<std::int32_t> labels;
  {
    nb::gil_scoped_release release;
    labels = decoder.decode(constraint, instances, queue, limits, poll);
  }
  return give(std::move(labels));
}

template <class Real>
void bind_precision(nb::module_& m, const std::string& suffix) {
  using Trainer = ChainSearch<Real>;
  nb::class_<Trainer>(m, ("ChainSearch" + suffix).c_str(), "Learning by search on chains (Daumé & Marcu 2005).")
      .def(
          "__init__",
          [](Trainer* self, const FeatureIndex& index, const Weights<Real>& initial, const Flags& start, const Flags& end,
             const Flags& follow, std::int32_t given_size, const nb::dict& settings) {
            Weights<Real> grown = initial;
            grown.grow(index, given_size);
            new (self) Trainer(index, grown, as_constraint(initial, start, end, follow), given_size, queue_of(settings),
                               learner_of(settings), limits_of(settings));
          },
          nb::arg("index"), nb::arg("initial"), nb::arg("start"), nb::arg("end"), nb::arg("follow"), nb::arg("given_size"),
          nb::arg("settings"))
      .def(
          "epoch",
          [](Trainer& self, const FeatureIndex& index, const Instances& instances, const In<std::int64_t>& order,
             const In<double>& sentence_weights, const nb::object& progress) {
            bool ok = static_cast<std::int64_t>(instances.labels.size()) == instances.tokens() &&
                      (sentence_weights.shape(0) == 0 || static_cast<std::int64_t>(sentence_weights.shape(0)) == instances.sentences());
            for (const std::int64_t s : view(order)) ok = ok && s >= 0 && s < instances.sentences();
            for (const std::int32_t label : instances.labels) ok = ok && label >= 0 && label < self.labels();
            if (!ok) throw Error("RiataError", "order and labels do not fit the instances");
            const Poll poll = as_poll(progress);
            EpochResult result;
            {
              nb::gil_scoped_release release;
              result = self.epoch(index, instances, view(order), view(sentence_weights), poll);
            }
            return as_dict(result);
          },
          nb::arg("index"), nb::arg("instances"), nb::arg("order"), nb::arg("sentence_weights"), nb::arg("progress").none() = nb::none())
      .def("averaged", &Trainer::averaged, nb::arg("index"), nb::call_guard<nb::gil_scoped_release>())
      .def("last", &Trainer::last, nb::arg("index"), nb::call_guard<nb::gil_scoped_release>())
      .def("untruncated", &Trainer::untruncated, nb::arg("index"), nb::call_guard<nb::gil_scoped_release>(),
           "The last weights, none of them left out.")
      .def_prop_ro("norm", &Trainer::norm)
      .def_prop_ro("dropped", &Trainer::dropped, "Weights that truncation left out of the model made last.")
      .def("recorded_margins", [](const Trainer& self) { return as_tuple(self.recorded_margins()); })
      .def("stats", [](const Trainer& self) { return as_dict(self.stats()); });

  using Decoder = ChainDecoder<Real>;
  nb::class_<Decoder>(m, ("ChainDecoder" + suffix).c_str(), "Decoding by search, with any queue.")
      .def(nb::init<const FeatureIndex&, const Weights<Real>&>(), nb::arg("index"), nb::arg("weights"), nb::keep_alive<1, 2>(),
           nb::keep_alive<1, 3>())
      .def(
          "confidences",
          [](const ChainDecoder<Real>& self, const Instances& instances, const Flags& start, const Flags& end, const Flags& follow,
             const nb::dict& settings, const In<std::int32_t>& kinds, const Flags& continues, const In<double>& temperatures,
             const In<std::int32_t>& given, const nb::object& progress) {
            const Constraint<Real> constraint = as_constraint(self.weights(), start, end, follow);
            const ChunkFlags flags = chunk_flags(kinds, continues, self.weights().labels);
            const auto known = [&](std::int32_t label) { return label >= 0 && label < self.weights().labels; };
            const bool sized = given.shape(0) == 0 || given.shape(0) == static_cast<std::size_t>(instances.tokens());
            if (!sized || !std::ranges::all_of(view(given), known)) throw Error("RiataError", "the labels do not fit the sentences");
            return confident(settings, temperatures, progress,
                             [&](const QueueSpec& queue, const Limits& limits, std::span<const double> at, const Poll& poll) {
                               return self.confidences(constraint, instances, queue, limits, flags, at, view(given), poll);
                             });
          },
          nb::arg("instances"), nb::arg("start"), nb::arg("end"), nb::arg("follow"), nb::arg("settings"), nb::arg("kinds"),
          nb::arg("continues"), nb::arg("temperatures"), nb::arg("given"), nb::arg("progress").none() = nb::none(),
          "What a search finds, or is given, and what share of what it kept has the same chunk there.")
      .def("decode", &decode<Real>, nb::arg("instances"), nb::arg("start"), nb::arg("end"), nb::arg("follow"), nb::arg("settings"),
           nb::arg("progress").none() = nb::none(), "The labels that a search finds.");
}

}  // namespace

void search(nb::module_& m) {
  m.attr("unbounded") = unbounded;  // the width of a beam that keeps everything
  m.def("searches_run", &searches_run, "How often the search engine has run in this process.");
  bind_precision<float>(m, "");
  bind_precision<double>(m, "64");
}

}  // namespace riata::bind
