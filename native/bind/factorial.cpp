// Several labels per token: their weights and potentials, and sums on plain arrays.
#include <nanobind/stl/pair.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/vector.h>

#include <string>
#include <tuple>

#include "bind/arrays.hpp"
#include "bind/model.hpp"
#include "bind/module.hpp"
#include "bind/poll.hpp"
#include "bind/potentials.hpp"
#include "core/error.hpp"
#include "inference/structures/factorial_gradient.hpp"
#include "inference/structures/factorial_model.hpp"
#include "inference/structures/factorial_posteriors.hpp"
#include "inference/structures/factorial_potentials.hpp"

namespace riata::bind {
namespace {

using SlotTuple = std::tuple<std::int32_t, std::int32_t, std::int32_t, std::int32_t>;  // column, other column or -1, family or -1, offset
using FlagsOfColumn = std::tuple<Flags, Flags, Flags>;                                 // which labels may start, end and follow each other

// Python has checked what users can do wrong, so the message only says that something does not fit.
void check(bool ok) {
  if (!ok) throw Error("RiataError", "the labels of several columns do not fit the sentences or the weights");
}

FactorialCoding coding_of(const std::vector<FlagsOfColumn>& columns) {
  FactorialCoding out;
  for (const auto& [start, end, follow] : columns) {
    const std::size_t labels = start.shape(0);
    check(labels >= 1 && end.shape(0) == labels && follow.shape(0) == labels * labels);
    out.columns.push_back({static_cast<std::int32_t>(labels), copy(start), copy(end), copy(follow)});
  }
  check(out.combinations() <= FactorialShape::most_states);
  return out;
}

template <class Real>
void bind_weights(nb::module_& m, const std::string& suffix) {
  using Kind = FactorialModel<Real>;
  nb::class_<Kind, Model<Real>>(m, ("FactorialWeights" + suffix).c_str(), "The weights of a model of several labels per token.")
      .def(
          "__init__",
          [](Kind* self, const FactorialTemplates& templates, const std::vector<FlagsOfColumn>& columns) {
            check(static_cast<std::int32_t>(columns.size()) == templates.columns());
            new (self) Kind(templates, {coding_of(columns), {}});
          },
          nb::arg("templates"), nb::arg("columns"), "columns: for each, which labels may start, end and follow each other, as flags.")
      .def(
          "constrained",
          [](const Kind& self, const std::vector<FlagsOfColumn>& columns) {
            Kind made(self);
            const FactorialCoding coding = coding_of(columns);
            check(coding.columns.size() == self.weights.coding.columns.size());
            for (std::size_t c = 0; c < coding.columns.size(); ++c)
              check(coding.columns[c].labels == self.weights.coding.columns[c].labels);
            made.weights.coding = coding;
            return made;
          },
          nb::arg("columns"), "The same weights, with other labels that may follow each other.")
      .def(
          "fit_to",
          [](Kind& self, const FeatureIndex& index) {
            self.weights.layout = FactorialLayout(index, self.templates, self.weights.coding);
            return self.weights.layout.size;
          },
          nb::arg("index"), "Lays out the features that an index knows; set_flat then gives their weights. Returns how many there are.")
      .def(
          "rows",
          [](const Kind& self) {
            std::vector<std::int64_t> starts, sizes;
            for (SlotId slot(0); slot.place() < self.templates.slots().size(); ++slot) {
              starts.push_back(self.weights.layout.row(slot, NgramId(0)));
              sizes.push_back(self.weights.layout.row_size(slot));
            }
            return nb::make_tuple(give(std::move(starts)), give(std::move(sizes)));
          },
          "For each slot, where its rows start, and the size of one.")
      .def(
          "probabilities",
          [](const Kind& self, const FeatureIndex& index, const Instances& instances, const Outputs& found, const Outputs& types,
             const Flags& continues, double temperature) {
            if (!(temperature > 0)) throw Error("SettingError", "a temperature must be above 0");
            const auto labels = static_cast<std::size_t>(self.weights.coding.columns.back().labels);
            check(types.shape(0) == labels && continues.shape(0) == labels * labels);
            const Corpus corpus{index, instances, view(found)};  // found labels are checked like true ones
            const Poll poll = as_poll(nb::none());
            FactorialProbabilities out;
            {
              nb::gil_scoped_release release;
              out = factorial_probabilities(self, corpus, {view(types), view(continues)}, temperature, poll);
            }
            return nb::make_tuple(give(std::move(out.log_z)), give(std::move(out.labels)), give(std::move(out.confidences)));
          },
          nb::arg("index"), nb::arg("instances"), nb::arg("found"), nb::arg("types"), nb::arg("continues"), nb::arg("temperature"),
          "Over all outputs: log Z, the probability of each combination at each token, and those of found labels and chunks, by column.")
      .def_prop_ro("size", [](const Kind& self) { return self.weights.layout.size; }, "How many numbers the weights are.");
}

template <class Real>
void bind_potentials(nb::module_& m, const std::string& suffix) {
  using Kind = FactorialPotentials<Real>;
  const auto made = [](const Kind& self, auto weights) {
    using Out = typename decltype(weights.flat)::value_type;
    return FactorialModel<Out>(self.templates(), std::move(weights));
  };
  define_potentials<Kind, Real, FactorialModel>(m, "FactorialPotentials" + suffix, "The potentials of several labels per token.", made)
      .def(
          "__init__",
          [](Kind* self, const FeatureIndex& index, const FactorialModel<Real>& like, const Instances& instances, const std::string& pairs,
             bool legal, const std::string& sums) {
            const FactorialCoding& coding = like.weights.coding;
            bool ok = static_cast<std::int32_t>(instances.ngrams.size()) == index.families() &&
                      static_cast<std::int64_t>(instances.labels.size()) == instances.tokens();
            for (std::int32_t f = 0; ok && f < index.families(); ++f) ok = instances.sizes[f] <= index.size(f);
            for (const std::int32_t code : instances.labels) ok = ok && code >= 0 && code < coding.combinations();
            check(ok);
            const SumsBy how = sums_by(sums);
            nb::gil_scoped_release release;
            new (self)
                Kind(index, like.templates, legal ? coding : coding.free(), instances, instances.labels, as_feature_labels(pairs), how);
          },
          nb::arg("index"), nb::arg("like"), nb::arg("instances"), nb::arg("pairs"), nb::arg("legal"), nb::arg("sums"),
          nb::keep_alive<1, 2>(), nb::keep_alive<1, 4>(),
          "like: weights with the same labels. legal: whether sums are over legal outputs alone. sums: exact, loopy or trp.")
      .def_prop_ro("unsettled", &Kind::unsettled, "Sentences of the last evaluation whose approximate sums did not converge.");
}

using Tables = std::vector<In<double>>;
using Between = std::vector<std::pair<std::int32_t, std::int32_t>>;

// node: [columns] of [T x L]; within: [columns] of [T x L x L]; tables: of each pair of columns, [T x L x L].
FactorialScores<double> scores_of(const FactorialShape& shape, std::int32_t length, const Tables& node, const Tables& within,
                                  const Tables& tables) {
  FactorialScores<double> out;
  out.open(shape, length, std::vector<std::uint8_t>(static_cast<std::size_t>(shape.factors()), 1));
  each_column(shape, [&](ColumnId c) {
    const std::int64_t labels = shape.labels(c);
    for (std::int64_t x = 0; x < length * labels; ++x)
      out.nodes(c, static_cast<std::int32_t>(x / labels))[x % labels] = node[c.place()].data()[x];
  });
  each_factor(shape, [&](FactorId k) {
    const std::int64_t right = shape.labels(shape.pair(k).right), size = shape.labels(shape.pair(k).left) * right;
    const double* from = shape.pair(k).within() ? within[k.place()].data() : tables[k.place() - within.size()].data();
    for (std::int64_t x = 0; x < length * size; ++x)
      out.own_table(k, static_cast<std::int32_t>(x / size))[shape.cell(k, LabelId(static_cast<std::int32_t>(x % size / right)),
                                                                       LabelId(static_cast<std::int32_t>(x % right)))] = from[x];
  });
  return out;
}

nb::tuple summed(const std::vector<std::int32_t>& labels, std::int32_t length, const Between& between, const Tables& node,
                 const Tables& within, const Tables& tables, const std::string& sums) {
  check(length >= 1 && node.size() == labels.size() && within.size() == labels.size() && tables.size() == between.size());
  const FactorialShape shape(labels, between);
  each_column(shape,
              [&](ColumnId c) { check(static_cast<std::int64_t>(node[c.place()].shape(0)) == std::int64_t{length} * shape.labels(c)); });
  each_factor(shape, [&](FactorId k) {
    const In<double>& table = shape.pair(k).within() ? within[k.place()] : tables[k.place() - within.size()];
    check(static_cast<std::int64_t>(table.shape(0)) ==
          std::int64_t{length} * shape.labels(shape.pair(k).left) * shape.labels(shape.pair(k).right));
  });
  const FactorialScores<double> scores = scores_of(shape, length, node, within, tables);
  FactorialInference<double> inference(shape, sums_by(sums));
  const double log_z = inference.open(scores);
  OwnedTables<double> found;
  inference.add(found.open(scores), 1);
  nb::list marginals;
  each_column(shape, [&](ColumnId c) {
    std::vector<double> of_column;
    for (std::int32_t t = 0; t < length; ++t) {
      const double* row = found.tables().nodes(shape, c, t);
      of_column.insert(of_column.end(), row, row + shape.labels(c));
    }
    marginals.append(give(std::move(of_column)));
  });
  return nb::make_tuple(log_z, marginals, inference.converged());
}

void factorial(nb::module_& m) {
  m.attr("most_combinations") = FactorialShape::most_states;
  nb::class_<FactorialTemplates>(m, "FactorialTemplates", "What the features of several labels per token read.")
      .def(
          "__init__",
          [](FactorialTemplates* self, const FeatureIndex& index, std::int32_t columns, const std::vector<SlotTuple>& slots) {
            std::vector<FactorialSlot> found;
            for (const auto& [column, other, family, offset] : slots) found.push_back({column, other, family, offset});
            new (self) FactorialTemplates(index, columns, std::move(found));
          },
          nb::arg("index"), nb::arg("columns"), nb::arg("slots"));
  bind_weights<float>(m, "");
  bind_weights<double>(m, "64");
  bind_potentials<float>(m, "");
  bind_potentials<double>(m, "64");
  m.def("factorial_sums", &summed, nb::arg("labels"), nb::arg("length"), nb::arg("between"), nb::arg("node"), nb::arg("within"),
        nb::arg("tables"), nb::arg("sums"), "log Z, the probabilities of the labels of each column, and whether they converged.");
}

const Bindings entered(factorial);

}  // namespace
}  // namespace riata::bind
