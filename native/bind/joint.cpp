// Tags and chunk labels together: how their weights are created, stored and read.
#include <nanobind/stl/string.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/vector.h>

#include <algorithm>
#include <string>
#include <tuple>

#include "bind/arrays.hpp"
#include "bind/joint.hpp"
#include "bind/module.hpp"
#include "core/error.hpp"
#include "inference/structures/joint_model.hpp"

namespace riata::bind {
namespace {

using SlotTuple = std::tuple<std::int32_t, std::int32_t, std::int32_t, std::vector<std::int32_t>, std::vector<std::int32_t>>;

JointCoding coding_of(std::int32_t tags, const In<std::uint8_t>& start, const In<std::uint8_t>& end, const In<std::uint8_t>& follow,
                      bool ahead) {
  const auto chunks = static_cast<std::int64_t>(start.shape(0));
  check(tags >= 1 && chunks >= 1 && static_cast<std::int64_t>(end.shape(0)) == chunks &&
        static_cast<std::int64_t>(follow.shape(0)) == chunks * chunks);
  check(tags * chunks < (std::int64_t{1} << 31));
  const auto flags = [](const In<std::uint8_t>& array) { return std::vector<std::uint8_t>(array.data(), array.data() + array.shape(0)); };
  return {{tags, static_cast<std::int32_t>(chunks)}, ahead, flags(start), flags(end), flags(follow)};
}

template <class Real>
void bind_precision(nb::module_& m, const std::string& suffix) {
  using Kind = JointModel<Real>;
  nb::class_<Kind, Model<Real>>(m, ("JointWeights" + suffix).c_str(), "The weights of a model of tags and chunk labels.")
      .def(
          "__init__",
          [](Kind* self, const JointTemplates& templates, std::int32_t tags, const In<std::uint8_t>& start, const In<std::uint8_t>& end,
             const In<std::uint8_t>& follow, bool ahead) {
            new (self)
                Kind(templates, {coding_of(tags, start, end, follow, ahead), JointRows(templates.slots(), templates.all_groups()), {}});
          },
          nb::arg("templates"), nb::arg("tags"), nb::arg("start"), nb::arg("end"), nb::arg("follow"), nb::arg("ahead"))
      .def_prop_ro("ahead", [](const Kind& self) { return self.weights.coding.ahead != 0; })
      .def(
          "rows", [](const Kind& self) { return rows_of(self.weights.rows, self.templates, self.weights.coding); },
          "The rows that grow: for each its slot, its n-gram (-1: none) and, one after the other, the outputs that it reads.")
      .def(
          "set_rows",
          [](Kind& self, const FeatureIndex& index, const In<std::int32_t>& slots, const In<std::int32_t>& ngrams,
             const In<std::int32_t>& values) {
            const JointTemplates& templates = self.templates;
            JointWeights<Real>& weights = self.weights;
            weights.rows = JointRows(templates.slots(), templates.all_groups());
            const JointLayout layout(index, templates, weights.coding);
            check(slots.shape(0) == ngrams.shape(0));
            std::size_t next = 0;
            for (std::size_t row = 0; row < slots.shape(0); ++row) {
              const SlotId s(view(slots)[row]);
              const NgramId ngram(view(ngrams)[row]);
              check(s && s.number() < templates.slots());
              const JointSlot& slot = templates[s];
              check(slot.family < 0 ? ngram == NgramId() : ngram && ngram.number() < index.size(slot.family));
              const JointGroup* group = templates.group_of(s);
              check(group != nullptr && group->size(weights.coding) * templates.all_groups() < 0x1p62);
              std::vector<std::int32_t> window(static_cast<std::size_t>(templates.window()), 0);
              for (const JointGroup::Place& place : group->places) {
                check(next < values.shape(0));
                const std::int32_t value = view(values)[next++];
                check(value >= 0 && value < JointGroup::base(place, weights.coding));
                window[static_cast<std::size_t>(place.at)] = value;
              }
              const ContextId context = weights.rows.add_context(group->number, group->packed(window, weights.coding));
              check(weights.rows.add(s, ngram, context, layout.stride(slot.output)) == RowId(row));
            }
            check(next == values.shape(0));
            weights.layout = layout;
          },
          nb::arg("index"), nb::arg("slots"), nb::arg("ngrams"), nb::arg("values"))
      .def_prop_ro(
          "size", [](const Kind& self) { return self.weights.layout.whole(self.weights.rows); }, "How many numbers the weights are.");
}

void joint(nb::module_& m) {
  m.attr("most_joint_back") = JointTemplates::most_back;
  nb::class_<JointTemplates>(m, "JointTemplates", "What the features of tags and chunk labels read.")
      .def(
          "__init__",
          [](JointTemplates* self, const FeatureIndex& index, const std::vector<SlotTuple>& slots) {
            std::vector<JointSlot> found;
            for (const auto& [output, family, offset, tags, chunks] : slots) {
              check(output >= 0 && output < static_cast<std::int32_t>(outputs));
              found.push_back({static_cast<Output>(output), family, offset, tags, chunks});
            }
            new (self) JointTemplates(index, std::move(found));
          },
          nb::arg("index"), nb::arg("slots"));
  bind_precision<float>(m, "");
  bind_precision<double>(m, "64");
}

const Bindings entered(joint);

}  // namespace
}  // namespace riata::bind
