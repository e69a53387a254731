// Tags and chunk labels together: weights, learning and decoding.
#include <nanobind/stl/string.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/vector.h>

#include <algorithm>
#include <string>
#include <tuple>

#include "bind/arrays.hpp"
#include "bind/chain.hpp"
#include "bind/joint.hpp"
#include "bind/module.hpp"
#include "bind/search.hpp"
#include "core/error.hpp"
#include "learning/joint_search.hpp"
#include "models/flat_sum.hpp"
#include "models/joint_sum.hpp"

namespace riata::bind {
namespace {

using SlotTuple = std::tuple<std::int32_t, std::int32_t, std::int32_t, std::vector<std::int32_t>, std::vector<std::int32_t>>;

JointKinds kinds_of(std::int32_t tags, const In<std::uint8_t>& start, const In<std::uint8_t>& end, const In<std::uint8_t>& follow,
                    bool ahead) {
  const auto chunks = static_cast<std::int64_t>(start.shape(0));
  check(tags >= 1 && chunks >= 1 && static_cast<std::int64_t>(end.shape(0)) == chunks &&
        static_cast<std::int64_t>(follow.shape(0)) == chunks * chunks);
  check(tags * chunks < (std::int64_t{1} << 31));
  const auto flags = [](const In<std::uint8_t>& given) { return std::vector<std::uint8_t>(given.data(), given.data() + given.shape(0)); };
  return {tags, static_cast<std::int32_t>(chunks), ahead, flags(start), flags(end), flags(follow)};
}

template <class Real>
void bind_precision(nb::module_& m, const std::string& suffix) {
  using Kind = JointWeights<Real>;
  nb::class_<Kind>(m, ("JointWeights" + suffix).c_str(), "The weights of a model of tags and chunk labels.")
      .def(
          "__init__",
          [](Kind* self, const JointTemplates& templates, std::int32_t tags, const In<std::uint8_t>& start, const In<std::uint8_t>& end,
             const In<std::uint8_t>& follow, bool ahead) {
            new (self) Kind{kinds_of(tags, start, end, follow, ahead),
                            JointRows(static_cast<std::int32_t>(templates.slots().size()), templates.all_groups()),
                            {}};
          },
          nb::arg("templates"), nb::arg("tags"), nb::arg("start"), nb::arg("end"), nb::arg("follow"), nb::arg("ahead"))
      .def("__copy__", [](const Kind& self) { return Kind(self); })
      .def_prop_ro("ahead", [](const Kind& self) { return self.kinds.ahead != 0; })
      .def(
          "flat", [](const Kind& self) { return give(std::vector<Real>(self.flat.begin(), self.flat.end())); }, "All weights, row by row.")
      .def(
          "set_flat", [](Kind& self, const In<Real>& flat) { self.flat.assign(flat.data(), flat.data() + flat.shape(0)); }, nb::arg("flat"))
      .def(
          "rows", [](const Kind& self, const JointTemplates& templates) { return rows_of(self.rows, templates, self.kinds); },
          nb::arg("templates"),
          "The rows that grow: for each its slot, its n-gram (-1: none) and, one after the other, the outputs that it reads.")
      .def(
          "set_rows",
          [](Kind& self, const FeatureIndex& index, const JointTemplates& templates, const In<std::int32_t>& slots,
             const In<std::int32_t>& ngrams, const In<std::int32_t>& values) {
            self.rows = JointRows(static_cast<std::int32_t>(templates.slots().size()), templates.all_groups());
            const JointLayout layout(index, templates, self.kinds);
            check(slots.shape(0) == ngrams.shape(0));
            std::size_t next = 0;
            for (std::size_t row = 0; row < slots.shape(0); ++row) {
              const std::int32_t s = view(slots)[row], ngram = view(ngrams)[row];
              check(s >= 0 && s < static_cast<std::int32_t>(templates.slots().size()));
              const JointSlot& slot = templates.slots()[s];
              check(slot.family < 0 ? ngram == -1 : ngram >= 0 && ngram < index.size(slot.family));
              const JointGroup* group = templates.group_of(s);
              check(group != nullptr && group->size(self.kinds.tags, self.kinds.chunks) * templates.all_groups() < 0x1p62);
              std::vector<std::int32_t> window(static_cast<std::size_t>(templates.window()), 0);
              for (const JointGroup::Place& place : group->places) {
                check(next < values.shape(0));
                const std::int32_t value = view(values)[next++];
                check(value >= 0 && value < JointGroup::base(place, self.kinds.tags, self.kinds.chunks));
                window[static_cast<std::size_t>(place.at)] = value;
              }
              const std::int32_t context = self.rows.add_context(group->number, group->packed(window, self.kinds.tags, self.kinds.chunks));
              check(self.rows.add(s, ngram, context, layout.stride(slot.output)) == static_cast<std::int32_t>(row));
            }
            check(next == values.shape(0));
          },
          nb::arg("index"), nb::arg("templates"), nb::arg("slots"), nb::arg("ngrams"), nb::arg("values"));

  using Trainer = JointSearch<Real>;
  nb::class_<Trainer>(m, ("JointSearch" + suffix).c_str(), "Learning tags and chunk labels by search (Daumé & Marcu 2005).")
      .def(
          "__init__",
          [](Trainer* self, const FeatureIndex& index, const JointTemplates& templates, const Kind& initial, const nb::dict& settings) {
            new (self) Trainer(index, templates, initial, queue_of(settings), learner_of(settings), limits_of(settings));
          },
          nb::arg("index"), nb::arg("templates"), nb::arg("initial"), nb::arg("settings"))
      .def(
          "epoch",
          [](Trainer& self, const FeatureIndex& index, const Instances& instances, const In<std::int64_t>& order,
             const In<double>& sentence_weights, const nb::object& progress) {
            check(fits(self.kinds(), instances, instances.labels));
            check(sentence_weights.shape(0) == 0 || static_cast<std::int64_t>(sentence_weights.shape(0)) == instances.sentences());
            for (const std::int64_t s : view(order)) check(s >= 0 && s < instances.sentences());
            const Poll poll = as_poll(progress);
            EpochResult result;
            {
              nb::gil_scoped_release release;
              result = self.epoch(index, instances, view(order), view(sentence_weights), poll);
            }
            return as_dict(result);
          },
          nb::arg("index"), nb::arg("instances"), nb::arg("order"), nb::arg("sentence_weights"), nb::arg("progress").none() = nb::none())
      .def("averaged", &Trainer::averaged, nb::call_guard<nb::gil_scoped_release>())
      .def("average_into", &Trainer::average_into, nb::arg("weights"), nb::call_guard<nb::gil_scoped_release>(),
           "The same in the memory of other weights.")
      .def("last", &Trainer::last, nb::call_guard<nb::gil_scoped_release>())
      .def("untruncated", &Trainer::untruncated, nb::call_guard<nb::gil_scoped_release>(), "The last weights, none of them left out.")
      .def("recorded_margins", [](const Trainer& self) { return as_tuple(self.recorded_margins()); })
      .def_prop_ro("norm", &Trainer::norm)
      .def_prop_ro("dropped", &Trainer::dropped, "Weights that truncation left out of the model made last.")
      .def("stats", [](const Trainer& self) { return as_dict(self.stats()); });

  m.def(
      "joint_weight_count",
      [](const FeatureIndex& index, const JointTemplates& templates, const Kind& weights) {
        return JointLayout(index, templates, weights.kinds).whole(weights.rows);
      },
      nb::arg("index"), nb::arg("templates"), nb::arg("weights"), "How many numbers the weights of these features are.");

  m.def(
      "normalised_sum",
      [](const std::vector<Kind*>& parts) {
        const std::vector<const Kind*> views(parts.begin(), parts.end());
        nb::gil_scoped_release release;
        return normalised_flat_sum<Kind>(views);
      },
      nb::arg("parts"), "The sum of weights over one index, each divided by its norm, at their scale.");

  m.def(
      "decode_joint",
      [](const Kind& weights, const FeatureIndex& index, const JointTemplates& templates, const Instances& instances,
         const nb::dict& settings, const nb::object& progress) {
        const QueueSpec queue = queue_of(settings);
        const Limits limits = limits_of(settings);
        const Poll poll = as_poll(progress);
        std::vector<std::int32_t> codes;
        {
          nb::gil_scoped_release release;
          codes = decode_joint(index, templates, weights, instances, queue, limits, poll);
        }
        return give(std::move(codes));
      },
      nb::arg("weights"), nb::arg("index"), nb::arg("templates"), nb::arg("instances"), nb::arg("settings"),
      nb::arg("progress").none() = nb::none(), "What a search finds: for every token tag * chunk labels + chunk label.");

  m.def(
      "joint_scores",
      [](const Kind& weights, const FeatureIndex& index, const JointTemplates& templates, const Instances& instances,
         const In<std::int32_t>& codes) {
        check(fits(weights.kinds, instances, view(codes)));
        return give(joint_scores(index, templates, weights, instances, view(codes)));
      },
      nb::arg("weights"), nb::arg("index"), nb::arg("templates"), nb::arg("instances"), nb::arg("codes"),
      "The score of given outputs, sentence by sentence.");

  m.def(
      "joint_places",
      [](Kind& weights, const FeatureIndex& index, const JointTemplates& templates, const Instances& instances,
         const In<std::int32_t>& codes) {
        check(fits(weights.kinds, instances, view(codes)));
        JointPlaces found = joint_places(index, templates, weights, instances, view(codes));
        return nb::make_tuple(give(std::move(found.counts)), give(std::move(found.places)));
      },
      nb::arg("weights"), nb::arg("index"), nb::arg("templates"), nb::arg("instances"), nb::arg("codes"),
      "The places of the features of given outputs among the weights, and how many each sentence has; features that are new are added, as "
      "zeros.");

  m.def(
      "joint_regrets",
      [](const Kind& weights, const FeatureIndex& index, const JointTemplates& templates, const Instances& instances,
         const In<std::int32_t>& codes) {
        check(fits(weights.kinds, instances, view(codes)) && fits(weights.kinds, instances, instances.labels));
        return give(joint_regrets(index, templates, weights, instances, view(codes)));
      },
      nb::arg("weights"), nb::arg("index"), nb::arg("templates"), nb::arg("instances"), nb::arg("codes"),
      "The least loss that the states along given outputs can still reach, from the initial one to the goal, sentence by sentence.");
}

}  // namespace

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

}  // namespace riata::bind
