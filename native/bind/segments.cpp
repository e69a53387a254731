// Labelled segments: how their models are created, stored and read.
#include <nanobind/stl/string.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/vector.h>

#include <string>
#include <tuple>

#include "bind/arrays.hpp"
#include "bind/model.hpp"
#include "bind/module.hpp"
#include "bind/poll.hpp"
#include "bind/segments.hpp"
#include "core/error.hpp"
#include "inference/exact/semi_markov.hpp"
#include "inference/structures/segment_model.hpp"
#include "inference/structures/segment_posteriors.hpp"

namespace riata::bind {
namespace {

using AnchoredTuple = std::tuple<std::int32_t, std::int32_t, std::int32_t>;
using SequenceTuple = std::tuple<std::int32_t, std::int32_t>;
using BackTuple = std::tuple<std::vector<std::int32_t>, bool, std::int32_t, std::int32_t, bool>;

// Python has checked what users can do wrong, so the message only says that something does not fit.
void check(bool ok) {
  if (!ok) throw Error("RiataError", "the segments do not fit the sentences or the weights");
}

SegmentCoding coding_of(std::int32_t labels, std::int32_t outside, std::int32_t most) {
  check(labels >= 1 && outside >= -1 && outside < labels && most >= 1 && std::int64_t{labels} * most < (std::int64_t{1} << 31));
  return {labels, LabelId(outside), Length(most)};
}

template <class Real>
void set_rows(SegmentModel<Real>& self, const In<std::int32_t>& slots, const In<std::int32_t>& codes, const In<std::int32_t>& parents,
              const In<std::int32_t>& values, const In<std::int32_t>& limits) {
  check(slots.shape(0) == codes.shape(0) && parents.shape(0) == values.shape(0));
  GrownRows grown(self.weights.grown.slots());
  check(limits.shape(0) == static_cast<std::size_t>(grown.slots()));
  for (RootId root(0); root.place() < slots.shape(0); ++root) {
    const SlotId slot(view(slots)[root.place()]);
    const ContextId context(view(codes)[root.place()]);
    check(slot && slot.number() < grown.slots() && context);
    check(grown.add_root(slot, context) == root);
  }
  for (RowId row(0); row.place() < parents.shape(0); ++row) {
    const RowId parent(view(parents)[row.place()]);
    const RootId root(-1 - parent.number());  // where there is no parent
    const std::int32_t value = view(values)[row.place()];
    check(root.number() < grown.roots() && parent < row && value >= 0);
    if (!parent) check(value < view(limits)[grown.slot(root).place()]);
    check((parent ? grown.add_next(parent, value) : grown.add_first(root, value)) == row);
  }
  self.weights.grown = std::move(grown);
}

template <class Real>
nb::tuple probabilities(const SegmentModel<Real>& model, const FeatureIndex& index, const Instances& instances, const Outputs& tag_of,
                        std::int32_t tags, double temperature) {
  check(temperature > 0 && tag_of.shape(0) == std::size_t(model.weights.coding.labels) * 2 * segment_roles);
  for (const std::int32_t tag : view(tag_of)) check(tag >= 0 && tag < tags);
  const Poll poll = as_poll(nb::none());
  SegmentProbabilities found;
  {
    nb::gil_scoped_release release;
    found = segment_probabilities(model, without_truth(index, instances), view(tag_of), tags, temperature, poll);
  }
  return nb::make_tuple(give(std::move(found.log_z)), give(std::move(found.tags)));
}

template <class Real>
void bind_precision(nb::module_& m, const std::string& suffix) {
  using Kind = SegmentModel<Real>;
  nb::class_<Kind, Model<Real>>(m, ("SegmentWeights" + suffix).c_str(), "The weights of a model of labelled segments.")
      .def(
          "__init__",
          [](Kind* self, const SegmentTemplates& templates, std::int32_t labels, std::int32_t outside, std::int32_t most) {
            const SegmentCoding coding = coding_of(labels, outside, most);
            const BackCodes fits(coding, templates);
            new (self) Kind(templates, {coding, GrownRows(templates.slots()), {}});
          },
          nb::arg("templates"), nb::arg("labels"), nb::arg("outside"), nb::arg("most"))
      .def_prop_ro("labels", [](const Kind& self) { return self.weights.coding.labels; })
      .def_prop_ro("outside", [](const Kind& self) { return self.weights.coding.outside.number(); })
      .def_prop_ro("most", [](const Kind& self) { return self.weights.coding.most.number(); })
      .def_prop_ro(
          "size", [](const Kind& self) { return std::int64_t{self.weights.grown.rows()} * self.weights.coding.stride(); },
          "How many numbers the rows are.")
      .def(
          "roots", [](const Kind& self) { return roots_of(self.weights.grown); },
          "Where rows begin: slots of templates, with what is read of the segments before as one number.")
      .def(
          "rows", [](const Kind& self) { return rows_of(self.weights.grown); },
          "Of each row what it is a step from (a row, or -1 - root), and the step.")
      .def("set_rows", &set_rows<Real>, nb::arg("slots"), nb::arg("codes"), nb::arg("parents"), nb::arg("values"), nb::arg("limits"),
           "The inverse of roots and rows. limits: what the first step of each slot must be below.");
  m.def("segment_probabilities", &probabilities<Real>, nb::arg("weights"), nb::arg("index"), nb::arg("instances"), nb::arg("tag_of"),
        nb::arg("tags"), nb::arg("temperature"), "Over all segmentations: log Z, and the probability of each tag at each token.");
}

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

  bind_precision<float>(m, "");
  bind_precision<double>(m, "64");
}

const Bindings entered(segments);

}  // namespace
}  // namespace riata::bind
