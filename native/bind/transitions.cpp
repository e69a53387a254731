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

// Python has checked what users can do wrong, so the message only says that something does not fit.
void check(bool ok) {
  if (!ok) throw Error("RiataError", "the weights do not fit the templates or the relations");
}

TransitionCoding coding_of(std::int32_t system, std::int32_t relations, std::int32_t root, std::int32_t tag_family) {
  check(system >= 0 && system < transition_systems && relations >= 1 && root >= 0 && root < relations && tag_family >= -1);
  std::vector<std::int32_t> all;  // of arcs between tokens
  for (std::int32_t r = 0; r < relations; ++r) {
    if (r != root || relations == 1) all.push_back(r);
  }
  return {static_cast<TransitionSystem>(system), relations, root, tag_family, PairRelations(std::move(all))};
}

// For each block of weights its template, its values, [blocks][4], and its operators, eight from this number times eight on.
nb::tuple blocks_of(const BlockRows& rows) {
  const auto count = static_cast<std::size_t>(rows.blocks());
  std::vector<std::int32_t> templates(count), values(parts * count), groups(count);
  rows.each_block([&](std::int32_t number, const RowKey& key) {
    const auto block = static_cast<std::size_t>(number);
    templates[block] = key.number();
    for (std::size_t i = 0; i < parts; ++i) values[parts * block + i] = key.values()[i];
    groups[block] = rows.group(number);
  });
  return nb::make_tuple(give(std::move(templates)), give(std::move(values)), give(std::move(groups)));
}

void set_blocks(BlockRows& rows, const TransitionTemplates& templates, std::int32_t stride, const In<std::int32_t>& of_templates,
                const In<std::int32_t>& values, const In<std::int32_t>& groups) {
  check(values.shape(0) == parts * of_templates.shape(0) && groups.shape(0) == of_templates.shape(0));
  for (std::size_t block = 0; block < groups.shape(0); ++block) {
    const std::int32_t number = view(of_templates)[block], group = view(groups)[block];
    check(number >= 0 && number < static_cast<std::int32_t>(templates.templates().size()));
    check(group >= 0 && group < stride / BlockRows::width);
    for (std::size_t i = 0; i < parts; ++i) check(view(values)[parts * block + i] >= 0);
    check(view(values)[parts * block + parts - 1] < RowKey::most_last);
    check(rows.add(RowKey::of(number, values.data() + parts * block), group) == static_cast<std::int32_t>(block));
  }
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
             std::int32_t tag_family) { new (self) Kind(templates, {coding_of(system, relations, root, tag_family), {}, {}}); },
          nb::arg("templates"), nb::arg("system"), nb::arg("relations"), nb::arg("root"), nb::arg("tag_family"))
      .def(
          "blocks", [](const Kind& self) { return blocks_of(*self.weights.rows); },
          "For each block of weights its template, its values, four of each block, and the number of its group of operators.")
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
      .def(
          "set_blocks",
          [](Kind& self, const In<std::uint64_t>& sets, const In<std::int32_t>& templates, const In<std::int32_t>& values,
             const In<std::int32_t>& groups) {
            BlockRows rows;
            for (std::size_t i = 0; i < sets.shape(0); ++i) check(rows.add_set(view(sets)[i]) == static_cast<std::int32_t>(i));
            set_blocks(rows, self.templates, self.weights.coding.stride(), templates, values, groups);
            self.weights.rows = Shared(std::move(rows));
          },
          nb::arg("sets"), nb::arg("templates"), nb::arg("values"), nb::arg("groups"))
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
            for (const ActionId action : view(path)) check(action >= 0 && action < moves::count(self.weights.coding.relations));
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
