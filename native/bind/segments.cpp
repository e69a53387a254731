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
#include "bind/segments.hpp"
#include "core/error.hpp"
#include "learning/segment_search.hpp"
#include "models/flat_sum.hpp"
#include "models/segment_sum.hpp"

namespace riata::bind {
namespace {

using AnchoredTuple = std::tuple<std::int32_t, std::int32_t, std::int32_t>;
using SequenceTuple = std::tuple<std::int32_t, std::int32_t>;
using BackTuple = std::tuple<std::vector<std::int32_t>, bool, std::int32_t, std::int32_t, bool>;

// Python checks first what users can do wrong, so this says no more than that something does not fit.
void check(bool ok) {
  if (!ok) throw Error("RiataError", "the segments do not fit the sentences or the weights");
}

SegmentKinds kinds_of(std::int32_t labels, std::int32_t outside, std::int32_t most) {
  check(labels >= 1 && outside >= -1 && outside < labels && most >= 1 && std::int64_t{labels} * most < (std::int64_t{1} << 31));
  return {labels, outside, most};
}

template <class Real>
void bind_precision(nb::module_& m, const std::string& suffix) {
  using Kind = SegmentWeights<Real>;
  nb::class_<Kind>(m, ("SegmentWeights" + suffix).c_str(), "The weights of a model of labelled segments.")
      .def(
          "__init__",
          [](Kind* self, const SegmentTemplates& templates, std::int32_t labels, std::int32_t outside, std::int32_t most) {
            const SegmentKinds kinds = kinds_of(labels, outside, most);
            const BackCodes fits(kinds, templates);
            new (self) Kind{kinds, GrownRows(templates.slots()), {}};
          },
          nb::arg("templates"), nb::arg("labels"), nb::arg("outside"), nb::arg("most"))
      .def("__copy__", [](const Kind& self) { return Kind(self); })
      .def_prop_ro("labels", [](const Kind& self) { return self.kinds.labels; })
      .def_prop_ro("outside", [](const Kind& self) { return self.kinds.outside; })
      .def_prop_ro("most", [](const Kind& self) { return self.kinds.most; })
      .def(
          "flat", [](const Kind& self) { return give(std::vector<Real>(self.flat.begin(), self.flat.end())); }, "All weights, row by row.")
      .def(
          "set_flat", [](Kind& self, const In<Real>& flat) { self.flat.assign(flat.data(), flat.data() + flat.shape(0)); }, nb::arg("flat"))
      .def_prop_ro(
          "size", [](const Kind& self) { return std::int64_t{self.grown.rows()} * self.kinds.stride(); }, "How many numbers the rows are.")
      .def(
          "roots", [](const Kind& self) { return roots_of(self.grown); },
          "Where rows begin: slots of templates, with what is read of the segments before as one number.")
      .def(
          "rows", [](const Kind& self) { return rows_of(self.grown); },
          "Of each row what it is a step from (a row, or -1 - root), and the step.")
      .def(
          "set_rows",
          [](Kind& self, const In<std::int32_t>& slots, const In<std::int32_t>& codes, const In<std::int32_t>& parents,
             const In<std::int32_t>& values, const In<std::int32_t>& limits) {
            check(slots.shape(0) == codes.shape(0) && parents.shape(0) == values.shape(0));
            GrownRows grown(self.grown.slots());
            check(limits.shape(0) == static_cast<std::size_t>(grown.slots()));
            for (std::int32_t root = 0; root < static_cast<std::int32_t>(slots.shape(0)); ++root) {
              check(view(slots)[root] >= 0 && view(slots)[root] < grown.slots() && view(codes)[root] >= 0);
              check(grown.add_root(view(slots)[root], view(codes)[root]) == root);
            }
            for (std::int32_t row = 0; row < static_cast<std::int32_t>(parents.shape(0)); ++row) {
              const std::int32_t parent = view(parents)[row], value = view(values)[row];
              check(parent >= -grown.roots() && parent < row && value >= 0);
              if (parent < 0) check(value < view(limits)[grown.slot(-1 - parent)]);
              check((parent < 0 ? grown.add_first(-1 - parent, value) : grown.add_next(parent, value)) == row);
            }
            self.grown = std::move(grown);
          },
          nb::arg("slots"), nb::arg("codes"), nb::arg("parents"), nb::arg("values"), nb::arg("limits"),
          "The inverse of roots and rows. limits: what the first step of each slot must be below.");

  using Trainer = SegmentSearch<Real>;
  nb::class_<Trainer>(m, ("SegmentSearch" + suffix).c_str(), "Learning on segments, by search (Daumé & Marcu 2005) or from the exact best.")
      .def(
          "__init__",
          [](Trainer* self, const SegmentTemplates& templates, const Kind& initial, const nb::dict& settings) {
            new (self) Trainer(templates, initial, queue_of(settings), learner_of(settings), limits_of(settings));
          },
          nb::arg("templates"), nb::arg("initial"), nb::arg("settings"))
      .def(
          "epoch",
          [](Trainer& self, const FeatureIndex& index, const Instances& instances, const In<std::int32_t>& gold,
             const In<std::int64_t>& order, const In<double>& sentence_weights, const nb::object& progress) {
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
          },
          nb::arg("index"), nb::arg("instances"), nb::arg("gold"), nb::arg("order"), nb::arg("sentence_weights"),
          nb::arg("progress").none() = nb::none())
      .def("averaged", &Trainer::averaged, nb::call_guard<nb::gil_scoped_release>())
      .def("average_into", &Trainer::average_into, nb::arg("weights"), nb::call_guard<nb::gil_scoped_release>(),
           "The same in the memory of other weights.")
      .def("last", &Trainer::last, nb::call_guard<nb::gil_scoped_release>())
      .def("untruncated", &Trainer::untruncated, nb::call_guard<nb::gil_scoped_release>(), "The last weights, none of them left out.")
      .def("recorded_margins", [](const Trainer& self) { return as_tuple(self.recorded_margins()); })
      .def_prop_ro("most", [](const Trainer& self) { return self.kinds().most; })
      .def_prop_ro("norm", &Trainer::norm)
      .def_prop_ro("dropped", &Trainer::dropped, "Weights that truncation left out of the model made last.")
      .def("stats", [](const Trainer& self) { return as_dict(self.stats()); });

  m.def(
      "normalised_sum",
      [](const std::vector<Kind*>& parts) {
        const std::vector<const Kind*> views(parts.begin(), parts.end());
        nb::gil_scoped_release release;
        return normalised_flat_sum<Kind>(views);
      },
      nb::arg("parts"), "The sum of weights over one index, each divided by its norm, at their scale.");

  m.def(
      "decode_segments",
      [](const Kind& weights, const FeatureIndex& index, const SegmentTemplates& templates, const Instances& instances,
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
      },
      nb::arg("weights"), nb::arg("index"), nb::arg("templates"), nb::arg("instances"), nb::arg("settings"),
      nb::arg("progress").none() = nb::none(),
      "The segments that exact search or a queue finds: at each token the code of the segment that starts there, or -1.");

  m.def(
      "segment_scores",
      [](const Kind& weights, const FeatureIndex& index, const SegmentTemplates& templates, const Instances& instances,
         const In<std::int32_t>& codes) {
        check(covers(weights.kinds, instances.starts, view(codes), true));
        return give(segment_scores(index, templates, weights, instances, view(codes)));
      },
      nb::arg("weights"), nb::arg("index"), nb::arg("templates"), nb::arg("instances"), nb::arg("codes"),
      "The score of given segments, sentence by sentence.");

  m.def(
      "segment_sums",
      [](const Kind& weights, const FeatureIndex& index, const SegmentTemplates& templates, const Instances& instances, double sharpness) {
        SegmentSums found = segment_sums(index, templates, weights, instances, sharpness);
        std::vector<std::int64_t> places;
        std::vector<double> values;
        for (const auto& [place, value] : found.expected) {
          places.push_back(place);
          values.push_back(value);
        }
        return nb::make_tuple(give(std::move(found.log_z)), give(std::move(found.counts)), give(std::move(places)),
                              give(std::move(values)));
      },
      nb::arg("weights"), nb::arg("index"), nb::arg("templates"), nb::arg("instances"), nb::arg("sharpness") = 1.0,
      "Over all segmentations of each sentence: log Z; how many features are expected, which places in the weights, how often.");

  m.def(
      "best_segments",
      [](const Kind& weights, const FeatureIndex& index, const SegmentTemplates& templates, const Instances& instances, std::int64_t k) {
        check(k >= 1);
        const Poll poll = as_poll(nb::none());
        BestSegments found;
        {
          nb::gil_scoped_release release;
          found = best_segments(index, templates, weights, instances, k, poll);
        }
        return nb::make_tuple(give(std::move(found.counts)), give(std::move(found.codes)), give(std::move(found.scores)));
      },
      nb::arg("weights"), nb::arg("index"), nb::arg("templates"), nb::arg("instances"), nb::arg("k"),
      "The k best segmentations: how many of each sentence, their codes one after the other, their scores.");

  m.def(
      "segment_rows",
      [](Kind& weights, const FeatureIndex& index, const SegmentTemplates& templates, const Instances& instances,
         const In<std::int32_t>& codes) {
        check(covers(weights.kinds, instances.starts, view(codes), true));
        SegmentRows found = segment_rows(index, templates, weights, instances, view(codes));
        return nb::make_tuple(give(std::move(found.counts)), give(std::move(found.rows)));
      },
      nb::arg("weights"), nb::arg("index"), nb::arg("templates"), nb::arg("instances"), nb::arg("codes"),
      "The rows of the features of given segments, and how many each segment has; features that are new are added to the weights, as "
      "zeros.");
}

}  // namespace

void segments(nb::module_& m) {
  nb::class_<SegmentTemplates>(m, "SegmentTemplates", "What the features of a segment read.")
      .def(
          "__init__",
          [](SegmentTemplates* self, const FeatureIndex& index, const std::vector<AnchoredTuple>& anchored, bool length,
             const std::vector<SequenceTuple>& sequences, const std::vector<BackTuple>& histories) {
            std::vector<AnchoredSlot> slots;
            for (const auto& [role, family, offset] : anchored) {
              check(role >= 0 && role <= static_cast<std::int32_t>(Role::inside));
              slots.push_back({static_cast<Role>(role), family, offset});
            }
            std::vector<SequenceSlot> whole;
            for (const auto& [family, around] : sequences) whole.push_back({family, around});
            std::vector<BackSlot> back;
            for (const auto& [labels, with_length, family, offset, previous] : histories)
              back.push_back({labels, with_length, family, offset, previous});
            new (self) SegmentTemplates(index, std::move(slots), length, std::move(whole), std::move(back));
          },
          nb::arg("index"), nb::arg("anchored"), nb::arg("length"), nb::arg("sequences"), nb::arg("histories"))
      .def_prop_ro("exact", &exact_reads, "Whether exact search can be used.");

  m.def(
      "segment_regrets",
      [](std::int32_t labels, std::int32_t outside, std::int32_t most, const In<std::int64_t>& starts, const In<std::int32_t>& gold,
         const In<std::int32_t>& codes) {
        const SegmentKinds kinds = kinds_of(labels, outside, most);
        check(covers(kinds, view(starts), view(gold), true) && covers(kinds, view(starts), view(codes), true));
        return give(segment_regrets(kinds, view(starts), view(gold), view(codes)));
      },
      nb::arg("labels"), nb::arg("outside"), nb::arg("most"), nb::arg("starts"), nb::arg("gold"), nb::arg("codes"),
      "The least loss that the states before each of the given segments can still reach, at the tokens where they start; -1 elsewhere.");
  bind_precision<float>(m, "");
  bind_precision<double>(m, "64");
}

}  // namespace riata::bind
