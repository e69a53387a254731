// The potentials of chains for Python.
#include <nanobind/nanobind.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>

#include <optional>
#include <span>
#include <string>

#include "bind/arrays.hpp"
#include "bind/chain.hpp"
#include "bind/module.hpp"
#include "bind/potentials.hpp"
#include "core/error.hpp"
#include "inference/structures/chain_model.hpp"
#include "inference/structures/chain_potentials.hpp"
#include "inference/structures/chain_scores.hpp"
#include "inference/structures/second_order_potentials.hpp"

namespace riata::bind {
namespace {

// Throws if the sentences do not fit, or some labels are unknown although all must be known.
void check(const FeatureIndex& index, const Instances& instances, std::int32_t labels, std::int32_t named_size, bool unknown = true) {
  bool ok =
      instances.labels.size() == static_cast<std::size_t>(instances.tokens()) && (index.hashed() || named_size >= instances.named_size);
  for (const std::int32_t label : instances.labels) ok = ok && label >= (unknown ? unknown_label : 0) && label < labels;
  if (!ok) throw Error("RiataError", "the labels do not fit the sentences");
  const Layout layout(index, labels, named_size);
  const HistoryIndex history(index.history_slots(), index.table(labels));
  check_fit(index, layout, history, static_cast<std::size_t>(layout.size), instances);
}

// Allows any label after any other: constraints of learning and of decoding are independent.
constexpr auto chain_with = [](const auto& potentials, auto weights) {
  using Real = typename decltype(weights.flat)::value_type;
  return ChainModel<Real>(std::move(weights), Constraint<Real>::free(potentials.labels()));
};

// One number for every named feature (see RowColumns), or none.
using Heads = std::optional<In<std::int32_t>>;
std::span<const std::int32_t> checked_heads(const FeatureIndex& index, const Instances& instances, const Heads& heads) {
  if (!heads || index.hashed()) return {};
  const std::span<const std::int32_t> all = view(*heads);
  bool ok = static_cast<std::int64_t>(all.size()) >= instances.named_size;
  for (const std::int32_t head : all) ok = ok && head >= 0 && head < static_cast<std::int64_t>(all.size());
  if (!ok) throw Error("RiataError", "the heads do not fit the features");
  return all;
}

template <class Real>
void bind_chain(nb::module_& m, const std::string& suffix) {
  using Kind = ChainPotentials<Real>;
  define_potentials<Kind, Real, ChainModel>(m, "ChainPotentials" + suffix, "The potentials of a first-order chain.", chain_with)
      .def(
          "__init__",
          [](Kind* self, const FeatureIndex& index, const Instances& instances, std::int32_t labels, std::int32_t named_size,
             const Flags& start, const Flags& end, const Flags& follow, const std::string& pairs, bool local, bool by_label,
             const Heads& heads) {
            check(index, instances, labels, named_size, !local);
            new (self) Kind(index, instances, labels, named_size, as_constraint<Real>(labels, start, end, follow), as_feature_labels(pairs),
                            local      ? Normalised::locally
                            : by_label ? Normalised::by_label
                                       : Normalised::globally,
                            checked_heads(index, instances, heads));
          },
          nb::arg("index"), nb::arg("instances"), nb::arg("labels"), nb::arg("given_size"), nb::arg("start"), nb::arg("end"),
          nb::arg("follow"), nb::arg("pairs"), nb::arg("local") = false, nb::arg("by_label") = false, nb::arg("heads") = nb::none(),
          nb::keep_alive<1, 2>(), nb::keep_alive<1, 3>());
}

template <class Real>
void bind_second_order(nb::module_& m, const std::string& suffix) {
  using Kind = SecondOrderPotentials<Real>;
  define_potentials<Kind, Real, ChainModel>(m, "SecondOrderPotentials" + suffix, "The potentials of a chain that looks two labels back.",
                                            chain_with)
      .def(
          "__init__",
          [](Kind* self, const FeatureIndex& index, const Instances& instances, std::int32_t labels, std::int32_t named_size,
             const Flags& start, const Flags& end, const Flags& follow, const std::string& pairs, std::int64_t kept, std::int64_t at_once,
             double often) {
            check(index, instances, labels, named_size);
            new (self) Kind(index, instances, labels, named_size, as_constraint<Real>(labels, start, end, follow), as_feature_labels(pairs),
                            kept, at_once, often);
          },
          nb::arg("index"), nb::arg("instances"), nb::arg("labels"), nb::arg("given_size"), nb::arg("start"), nb::arg("end"),
          nb::arg("follow"), nb::arg("pairs"), nb::arg("kept") = Kind::most_kept, nb::arg("at_once") = 0, nb::arg("often") = Kind::often,
          nb::keep_alive<1, 2>(), nb::keep_alive<1, 3>());
}

void chain_potentials(nb::module_& m) {
  m.def(
      "row_groups",
      [](const FeatureIndex& index, const Instances& instances, const Heads& heads) {
        nb::list out;
        for (const RowGroup& group :
             row_groups(RowColumns(index, Layout(index, 1, instances.named_size), instances, checked_heads(index, instances, heads)).all))
          out.append(nb::make_tuple(group.columns.size(), group.keys));
        return out;
      },
      nb::arg("index"), nb::arg("instances"), nb::arg("heads") = nb::none(),
      "Columns whose rows are added up once per combination: how many, and how many combinations there are.");
  bind_chain<float>(m, "");
  bind_chain<double>(m, "64");
  bind_second_order<float>(m, "");
  bind_second_order<double>(m, "64");
}

const Bindings entered(chain_potentials);

}  // namespace
}  // namespace riata::bind
