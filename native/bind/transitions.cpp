// Dependency trees that a parser builds by moves: how the weights are created, stored and read.
#include <nanobind/stl/string.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/vector.h>

#include <cstdint>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "bind/arrays.hpp"
#include "bind/module.hpp"
#include "core/error.hpp"
#include "inference/structures/transition_model.hpp"

namespace riata::bind {
namespace {

using PlaceTuple = std::tuple<std::int32_t, std::int32_t>;
using PartTuple = std::tuple<std::int32_t, std::int32_t, std::int32_t, std::int32_t>;
constexpr std::size_t parts = TransitionTemplates::most_parts;
constexpr std::int32_t most_tags = 1 << 12;  // that are chosen

// Python has checked what users can do wrong, so the message only says that something does not fit.
void check(bool ok) {
  if (!ok) throw Error("RiataError", "the weights do not fit the templates or the relations");
}

TransitionCoding coding_of(std::int32_t system, std::int32_t relations, std::int32_t root, std::int32_t tag_family, std::int32_t tags) {
  check(system >= 0 && system < transition_systems && relations >= 1 && root >= 0 && root < relations && tag_family >= -1);
  check(tags >= 0 && tags < most_tags);
  check(tags == 0 || static_cast<TransitionSystem>(system) != TransitionSystem::arc_eager);  // which also pushes tokens without a shift
  std::vector<std::int32_t> all;                                                             // of arcs between tokens
  for (std::int32_t r = 0; r < relations; ++r) {
    if (r != root || relations == 1) all.push_back(r);
  }
  return {static_cast<TransitionSystem>(system), relations, root, tag_family, PairRelations(std::move(all)), tags};
}

// For each row of weights its template, its values, [rows][4], and how many weights it has; for each of these its operator and its place.
nb::tuple rows_of(const BlockRows& rows) {
  std::vector<std::int32_t> templates, values, counts, operators, places;
  rows.each_row(
      [&](const RowKey& key) {
        templates.push_back(key.number());
        for (const std::int32_t value : key.values()) values.push_back(value);
        counts.push_back(0);
      },
      [&](std::int32_t of, std::int64_t place) {
        ++counts.back();
        operators.push_back(of);
        places.push_back(static_cast<std::int32_t>(place));
      });
  return nb::make_tuple(give(std::move(templates)), give(std::move(values)), give(std::move(counts)), give(std::move(operators)),
                        give(std::move(places)));
}

template <class Real>
void set_rows(TransitionModel<Real>& model, const In<std::uint64_t>& sets, const In<std::int32_t>& templates,
              const In<std::int32_t>& values, const In<std::int32_t>& counts, const In<std::int32_t>& operators, const In<Real>& weights) {
  check(values.shape(0) == parts * templates.shape(0) && counts.shape(0) == templates.shape(0));
  check(operators.shape(0) == weights.shape(0));
  BlockRows rows;
  for (std::size_t i = 0; i < sets.shape(0); ++i) check(rows.add_set(view(sets)[i]) == static_cast<std::int32_t>(i));
  const auto of_templates = static_cast<std::int32_t>(model.templates.templates().size());
  const std::int32_t stride = model.weights.coding.stride();
  Numbers<Real> flat;
  std::size_t at = 0;
  for (std::size_t row = 0; row < templates.shape(0); ++row) {
    const std::int32_t number = view(templates)[row], count = view(counts)[row];
    check(number >= 0 && number < of_templates && count >= 1 && static_cast<std::size_t>(count) <= operators.shape(0) - at);
    for (std::size_t i = 0; i < parts; ++i) check(view(values)[parts * row + i] >= 0);
    check(view(values)[parts * row + parts - 1] < RowKey::most_last);
    const RowKey key = RowKey::of(number, values.data() + parts * row);
    for (const std::size_t end = at + static_cast<std::size_t>(count); at < end; ++at) {
      const std::int32_t of = view(operators)[at];
      check(of >= 0 && of < stride && rows.find(key, of) < 0);
      const auto place = static_cast<std::size_t>(rows.add(key, of));
      flat.resize(static_cast<std::size_t>(rows.size()), Real{0});
      flat[place] = view(weights)[at];
    }
  }
  check(at == operators.shape(0));
  model.weights.rows = Shared(std::move(rows));
  model.weights.flat = std::move(flat);
}

// The tags of head and child, and the relations that were seen with them.
nb::tuple pairs_of(const PairRelations& pairs) {
  std::vector<std::int32_t> heads, children, relations;
  pairs.each([&](std::int32_t head, std::int32_t child, std::int32_t relation) {
    heads.push_back(head);
    children.push_back(child);
    relations.push_back(relation);
  });
  return nb::make_tuple(give(std::move(heads)), give(std::move(children)), give(std::move(relations)));
}

void set_pairs(TransitionCoding& coding, const In<std::int32_t>& heads, const In<std::int32_t>& children,
               const In<std::int32_t>& relations) {
  check(heads.shape(0) == children.shape(0) && heads.shape(0) == relations.shape(0));
  for (std::size_t i = 0; i < heads.shape(0); ++i) {
    const std::int32_t relation = view(relations)[i];
    check(view(heads)[i] >= 0 && view(children)[i] >= 0 && relation >= 0 && relation < coding.relations);
    coding.pairs.add(view(heads)[i], view(children)[i], relation);
  }
}

template <class Real>
void bind_precision(nb::module_& m, const std::string& suffix) {
  using Kind = TransitionModel<Real>;
  nb::class_<Kind, Model<Real>>(m, ("TransitionWeights" + suffix).c_str(), "The weights of a parser that builds trees by moves.")
      .def(
          "__init__",
          [](Kind* self, const TransitionTemplates& templates, std::int32_t system, std::int32_t relations, std::int32_t root,
             std::int32_t tag_family,
             std::int32_t tags) { new (self) Kind(templates, {coding_of(system, relations, root, tag_family, tags), {}, {}}); },
          nb::arg("templates"), nb::arg("system"), nb::arg("relations"), nb::arg("root"), nb::arg("tag_family"), nb::arg("tags") = 0)
      .def(
          "rows", [](const Kind& self) { return rows_of(*self.weights.rows); },
          "For each row of weights its template, its values, four of each row, and how many weights it has; for each of these its operator "
          "and its place.")
      .def(
          "sets",
          [](const Kind& self) {
            std::vector<std::uint64_t> sets;
            for (std::int32_t i = 0; i < self.weights.rows->sets(); ++i) sets.push_back(self.weights.rows->set(i));
            return give(std::move(sets));
          },
          "The sets of relations that are values, as bits.")
      .def(
          "pairs", [](const Kind& self) { return pairs_of(self.weights.coding.pairs); },
          "The tags of head and child, and the relations that were seen with them.")
      .def("set_rows", &set_rows<Real>, nb::arg("sets"), nb::arg("templates"), nb::arg("values"), nb::arg("counts"), nb::arg("operators"),
           nb::arg("weights"), "All rows, with the weights of their operators one after the other.")
      .def(
          "set_pairs",
          [](Kind& self, const In<std::int32_t>& heads, const In<std::int32_t>& children, const In<std::int32_t>& relations) {
            set_pairs(self.weights.coding, heads, children, relations);
          },
          nb::arg("heads"), nb::arg("children"), nb::arg("relations"))
      .def(
          "follow",
          [](const Kind& self, const In<std::int32_t>& path, std::int64_t tokens) {
            check(tokens >= 0);
            for (const ActionId action : view(path)) check(self.weights.coding.knows(action));
            std::vector<std::int32_t> codes(static_cast<std::size_t>(tokens));
            self.weights.coding.follow(view(path), codes);
            return give(std::move(codes));
          },
          nb::arg("path"), nb::arg("tokens"), "The output of a sentence of this number of tokens that operators give.")
      .def_prop_ro("size", [](const Kind& self) { return self.weights.rows->size(); }, "How many numbers the weights are.");
}

void transitions(nb::module_& m) {
  m.attr("most_transition_parts") = TransitionTemplates::most_parts;
  m.attr("most_transition_templates") = TransitionTemplates::most_templates;
  m.attr("parser_depth") = ParserPlace::depth;
  m.attr("parser_past") = ParserPlace::past;
  m.attr("most_chosen_tags") = most_tags - 1;
  m.attr("first_tagging") = moves::first_tagging;
  nb::class_<TransitionTemplates>(m, "TransitionTemplates", "What the features of the states of a parser read.")
      .def(
          "__init__",
          [](TransitionTemplates* self, const FeatureIndex& index, const std::vector<PlaceTuple>& places,
             const std::vector<PartTuple>& reads, const std::vector<std::vector<std::int32_t>>& templates) {
            std::vector<ParserPlace> at;
            std::vector<ParserPart> parts_of;
            for (const auto& [base, hop] : places) at.push_back({base, hop});
            for (const auto& [kind, place, other, offset] : reads) parts_of.push_back({kind, place, other, offset});
            new (self) TransitionTemplates(index, std::move(at), std::move(parts_of), templates);
          },
          nb::arg("index"), nb::arg("places"), nb::arg("parts"), nb::arg("templates"));
  bind_precision<float>(m, "");
  bind_precision<double>(m, "64");
}

const Bindings entered(transitions);

}  // namespace
}  // namespace riata::bind
