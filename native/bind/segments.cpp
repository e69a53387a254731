// Labelled segments: weights, learning and decoding.
#include <nanobind/stl/string.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/vector.h>

#include <string>
#include <tuple>

#include "bind/arrays.hpp"
#include "bind/chain.hpp"
#include "bind/module.hpp"
#include "bind/search.hpp"
#include "core/error.hpp"
#include "learning/segment_search.hpp"

namespace riata::bind {
namespace {

using AnchoredTuple = std::tuple<std::int32_t, std::int32_t, std::int32_t>;
using GrownTuple = std::tuple<std::int32_t, std::int32_t, std::int32_t, std::vector<std::int32_t>>;

// Python checks first what users can do wrong, so this says no more than that something does not fit.
void check(bool ok) {
  if (!ok) throw Error("RiataError", "the segments do not fit the sentences or the weights");
}

SegmentKinds kinds_of(std::int32_t labels, std::int32_t outside, std::int32_t most) {
  check(labels >= 1 && outside >= -1 && outside < labels && most >= 1 && std::int64_t{labels} * most < (std::int64_t{1} << 31));
  return {labels, outside, most};
}

// Whether codes cover every sentence without gaps. free: segments may be longer than the most, as those of the truth.
bool covers(const SegmentKinds& kinds, std::span<const std::int64_t> starts, std::span<const std::int32_t> codes, bool free) {
  if (starts.empty() || static_cast<std::int64_t>(codes.size()) != starts.back()) return false;
  for (std::size_t s = 0; s + 1 < starts.size(); ++s) {
    std::int64_t next = starts[s];
    for (std::int64_t t = starts[s]; t < starts[s + 1]; ++t) {
      const std::int32_t code = codes[static_cast<std::size_t>(t)];
      if ((code >= 0) != (t == next)) return false;
      if (code < 0) continue;
      const std::int32_t length = kinds.length(code);
      if (length > 1 && kinds.label(code) == kinds.outside) return false;
      if (!free && length > kinds.most) return false;
      next = t + length;
      if (next > starts[s + 1]) return false;
    }
  }
  return true;
}

template <class Real>
void bind_precision(nb::module_& m, const std::string& suffix) {
  using Kind = SegmentWeights<Real>;
  nb::class_<Kind>(m, ("SegmentWeights" + suffix).c_str(), "The weights of a model of labelled segments.")
      .def("__init__", [](Kind* self, const SegmentTemplates& templates, std::int32_t labels, std::int32_t outside, std::int32_t most) {
             new (self) Kind{kinds_of(labels, outside, most), GrownRows(static_cast<std::int32_t>(templates.grown().size())), {}};
           }, nb::arg("templates"), nb::arg("labels"), nb::arg("outside"), nb::arg("most"))
      .def("__copy__", [](const Kind& self) { return Kind(self); })
      .def_prop_ro("labels", [](const Kind& self) { return self.kinds.labels; })
      .def_prop_ro("outside", [](const Kind& self) { return self.kinds.outside; })
      .def_prop_ro("most", [](const Kind& self) { return self.kinds.most; })
      .def("flat", [](const Kind& self) { return give(std::vector<Real>(self.flat.begin(), self.flat.end())); }, "All weights, row by row.")
      .def("set_flat", [](Kind& self, const In<Real>& flat) { self.flat.assign(flat.data(), flat.data() + flat.shape(0)); }, nb::arg("flat"))
      .def("grown", [](const Kind& self) {
             std::vector<std::int32_t> parents, values;
             for (std::int32_t row = 0; row < self.grown.rows(); ++row) {
               parents.push_back(self.grown.parent(row));
               values.push_back(self.grown.value(row));
             }
             return nb::make_tuple(give(std::move(parents)), give(std::move(values)));
           }, "The rows that grow: for each the row it is a step from (-1: a root), and the step.")
      .def("set_grown", [](Kind& self, const In<std::int32_t>& parents, const In<std::int32_t>& values) {
             check(parents.shape(0) == values.shape(0));
             const std::int32_t roots = self.grown.rows();
             GrownRows grown(roots);
             for (std::int32_t row = 0; row < static_cast<std::int32_t>(parents.shape(0)); ++row) {
               const std::int32_t parent = view(parents)[row], value = view(values)[row];
               if (row < roots) check(parent == -1 && value == row);
               else check(parent >= 0 && parent < row && value >= 0 && grown.add(parent, value) == row);
             }
             check(grown.rows() >= roots && static_cast<std::size_t>(grown.rows()) == parents.shape(0));
             self.grown = std::move(grown);
           }, nb::arg("parents"), nb::arg("values"));

  using Trainer = SegmentSearch<Real>;
  nb::class_<Trainer>(m, ("SegmentSearch" + suffix).c_str(), "Learning on segments, by search (Daumé & Marcu 2005) or from the exact best.")
      .def("__init__", [](Trainer* self, const FeatureIndex& index, const SegmentTemplates& templates, const Kind& initial, const nb::dict& settings) {
             new (self) Trainer(index, templates, initial, queue_of(settings), learner_of(settings), limits_of(settings));
           }, nb::arg("index"), nb::arg("templates"), nb::arg("initial"), nb::arg("settings"))
      .def("epoch", [](Trainer& self, const FeatureIndex& index, const Instances& instances, const In<std::int32_t>& gold, const In<std::int64_t>& order,
                       const In<double>& sentence_weights, const nb::object& progress) {
             check(covers(self.kinds(), instances.starts, view(gold), true));
             check(sentence_weights.shape(0) == 0 || static_cast<std::int64_t>(sentence_weights.shape(0)) == instances.sentences());
             for (const std::int64_t s : view(order)) check(s >= 0 && s < instances.sentences());
             const Poll poll = as_poll(progress);
             EpochResult result;
             {
               nb::gil_scoped_release release;
               result = self.epoch(index, instances, view(gold), view(order), view(sentence_weights), poll);
             }
             return as_dict(result);
           }, nb::arg("index"), nb::arg("instances"), nb::arg("gold"), nb::arg("order"), nb::arg("sentence_weights"),
           nb::arg("progress").none() = nb::none())
      .def("averaged", &Trainer::averaged, nb::call_guard<nb::gil_scoped_release>())
      .def("average_into", &Trainer::average_into, nb::arg("weights"), nb::call_guard<nb::gil_scoped_release>(), "The same in the memory of other weights.")
      .def("last", &Trainer::last, nb::call_guard<nb::gil_scoped_release>())
      .def_prop_ro("most", [](const Trainer& self) { return self.kinds().most; })
      .def_prop_ro("norm", &Trainer::norm)
      .def_prop_ro("dropped", &Trainer::dropped, "Weights that truncation left out of the model made last.")
      .def("stats", [](const Trainer& self) { return as_dict(self.stats()); });

  m.def("segment_weight_count", [](const FeatureIndex& index, const SegmentTemplates& templates, const Kind& weights) {
          return SegmentLayout(index, templates, weights.kinds.labels).grown_row(weights.grown.rows());
        }, nb::arg("index"), nb::arg("templates"), nb::arg("weights"), "How many numbers the weights of these features are.");

  m.def("decode_segments", [](const Kind& weights, const FeatureIndex& index, const SegmentTemplates& templates, const Instances& instances,
                              const nb::dict& settings, const nb::object& progress) {
          const QueueSpec queue = queue_of(settings);
          const Limits limits = limits_of(settings);
          const Poll poll = as_poll(progress);
          std::vector<std::int32_t> codes;
          {
            nb::gil_scoped_release release;
            codes = decode_segments(index, templates, weights, instances, queue, limits, poll);
          }
          return give(std::move(codes));
        }, nb::arg("weights"), nb::arg("index"), nb::arg("templates"), nb::arg("instances"), nb::arg("settings"), nb::arg("progress").none() = nb::none(),
        "The segments that exact search or a queue finds: at each token the code of the segment that starts there, or -1.");

  m.def("segment_scores", [](const Kind& weights, const FeatureIndex& index, const SegmentTemplates& templates, const Instances& instances,
                             const In<std::int32_t>& codes) {
          check(covers(weights.kinds, instances.starts, view(codes), true));
          return give(segment_scores(index, templates, weights, instances, view(codes)));
        }, nb::arg("weights"), nb::arg("index"), nb::arg("templates"), nb::arg("instances"), nb::arg("codes"), "The score of given segments, sentence by sentence.");

  m.def("segment_rows", [](Kind& weights, const FeatureIndex& index, const SegmentTemplates& templates, const Instances& instances,
                           const In<std::int32_t>& codes) {
          check(covers(weights.kinds, instances.starts, view(codes), true));
          SegmentRows found = segment_rows(index, templates, weights, instances, view(codes));
          return nb::make_tuple(give(std::move(found.counts)), give(std::move(found.rows)));
        }, nb::arg("weights"), nb::arg("index"), nb::arg("templates"), nb::arg("instances"), nb::arg("codes"),
        "The rows of the features of given segments, and how many each segment has; features that are new are added to the weights, as zeros.");
}

}  // namespace

void segments(nb::module_& m) {
  m.attr("most_exact_segments_back") = most_exact_segments_back;
  nb::class_<SegmentTemplates>(m, "SegmentTemplates", "What the features of a segment read.")
      .def("__init__", [](SegmentTemplates* self, const FeatureIndex& index, const std::vector<AnchoredTuple>& anchored, const std::vector<GrownTuple>& grown) {
             std::vector<AnchoredSlot> slots;
             for (const auto& [role, family, offset] : anchored) {
               check(role >= 0 && role <= static_cast<std::int32_t>(Role::inside));
               slots.push_back({static_cast<Role>(role), family, offset});
             }
             std::vector<GrownSlot> others;
             for (const auto& [kind, family, offset, back] : grown) {
               check(kind >= 0 && kind <= static_cast<std::int32_t>(Grown::history));
               others.push_back({static_cast<Grown>(kind), family, offset, back});
             }
             new (self) SegmentTemplates(index, std::move(slots), std::move(others));
           }, nb::arg("index"), nb::arg("anchored"), nb::arg("grown"));

  m.def("segment_regrets", [](std::int32_t labels, std::int32_t outside, std::int32_t most, const In<std::int64_t>& starts, const In<std::int32_t>& gold,
                              const In<std::int32_t>& codes) {
          const SegmentKinds kinds = kinds_of(labels, outside, most);
          check(covers(kinds, view(starts), view(gold), true) && covers(kinds, view(starts), view(codes), true));
          return give(segment_regrets(kinds, view(starts), view(gold), view(codes)));
        }, nb::arg("labels"), nb::arg("outside"), nb::arg("most"), nb::arg("starts"), nb::arg("gold"), nb::arg("codes"),
        "The least loss that the states before each of the given segments can still reach, at the tokens where they start; -1 elsewhere.");
  bind_precision<float>(m, "");
  bind_precision<double>(m, "64");
}

}  // namespace riata::bind
