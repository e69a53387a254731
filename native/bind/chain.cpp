// The chain model and its perceptron, over float (production) and double (to compare with slow twins).
#include <nanobind/stl/function.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/vector.h>

#include <algorithm>
#include <string>

#include "bind/arrays.hpp"
#include "bind/chain.hpp"
#include "bind/module.hpp"
#include "core/error.hpp"
#include "learning/chain_perceptron.hpp"
#include "models/chain.hpp"
#include "models/chain_nbest.hpp"
#include "models/exact_chain.hpp"
#include "models/sparse.hpp"
#include "models/weights_sum.hpp"

namespace riata::bind {
namespace {

nb::tuple rows_out(SparseRows& rows) {
  return nb::make_tuple(give(std::move(rows.counts)), give(std::move(rows.columns)), give(std::move(rows.values)));
}

// An array as it stands, which somebody must keep.
Narrow narrow_in(nb::handle array) {
  using Any = nb::ndarray<nb::ro, nb::ndim<1>, nb::c_contig, nb::device::cpu>;
  const Any in = nb::cast<Any>(array, false);
  const auto whole = [&]<class T>(T) { return Narrow(std::span(static_cast<const T*>(in.data()), in.shape(0))); };
  if (in.dtype() == nb::dtype<std::uint8_t>()) return whole(std::uint8_t{});
  if (in.dtype() == nb::dtype<std::uint16_t>()) return whole(std::uint16_t{});
  if (in.dtype() == nb::dtype<std::uint32_t>() || in.dtype() == nb::dtype<std::int32_t>()) return whole(std::uint32_t{});
  throw Error("ModelFileError", "an array of the model is of the wrong type");
}

RowsView rows_in(nb::handle rows) {
  const auto [counts, columns, values] = nb::cast<std::tuple<nb::object, nb::object, nb::object>>(rows);
  return {narrow_in(counts), narrow_in(columns), view(nb::cast<In<float>>(values, false))};
}

template <class Real>
nb::dict packed(const Weights<Real>& weights, const FeatureIndex& index) {
  SparseChain sparse;
  {
    nb::gil_scoped_release release;
    sparse = pack(index, weights);
  }
  nb::list families, kept;
  for (SparseFamily& family : sparse.families) {
    nb::dict one;
    one["parents"] = give(std::move(family.parents));
    one["values"] = give(std::move(family.values));
    one["order"] = give(std::move(family.order));
    one["node"] = rows_out(family.node);
    one["edge"] = rows_out(family.edge);
    families.append(one);
  }
  for (auto& values : sparse.kept_values) kept.append(give(std::move(values)));
  nb::dict out;
  out["families"] = families;
  out["kept_values"] = kept;
  out["kept_given"] = give(std::move(sparse.kept_given));
  out["given"] = rows_out(sparse.given);
  out["transition"] = rows_out(sparse.transition);
  nb::dict history;
  history["slots"] = give(std::move(sparse.history.slots));
  history["ngrams"] = give(std::move(sparse.history.ngrams));
  history["labels"] = give(std::move(sparse.history.labels));
  history["rows"] = rows_out(sparse.history.rows);
  out["history"] = history;
  return out;
}

ChainView chain_in(nb::dict sparse) {
  ChainView in;
  for (nb::handle family : nb::cast<nb::list>(sparse["families"])) {
    const auto has = nb::cast<nb::dict>(family);
    in.families.push_back({narrow_in(has["parents"]), narrow_in(has["values"]), has.contains("order") ? narrow_in(has["order"]) : Narrow(),
                           rows_in(has["node"]), rows_in(has["edge"])});
  }
  in.kept_given = narrow_in(sparse["kept_given"]);
  in.given = rows_in(sparse["given"]);
  in.transition = rows_in(sparse["transition"]);
  nb::dict history = nb::cast<nb::dict>(sparse["history"]);
  in.history = {narrow_in(history["slots"]), narrow_in(history["ngrams"]), narrow_in(history["labels"]), rows_in(history["rows"])};
  return in;
}

// Together with the arrays that it views.
struct KeptChain {
  nb::dict arrays;
  StoredChain chain;
};

Weights<float> unpacked(FeatureIndex& index, nb::dict sparse, std::int32_t labels, const std::vector<std::int32_t>& alphabet_sizes,
                        std::int32_t given_size) {
  const ChainView in = chain_in(sparse);
  nb::gil_scoped_release release;
  return unpack(in, labels, alphabet_sizes, given_size, index);
}

// Weights from rows that Python has made: rows[k], [n-grams][labels], is of the k-th template that reads no label.
template <class Real>
Weights<Real> from_rows(const FeatureIndex& index, const In2<double>& transition, const std::vector<In2<double>>& rows) {
  const auto labels = static_cast<std::int32_t>(transition.shape(0));
  bool ok = !index.hashed() && labels > 0 && transition.shape(1) == transition.shape(0) && rows.size() == index.node_slots().size();
  for (std::size_t k = 0; ok && k < rows.size(); ++k)
    ok = rows[k].shape(0) == static_cast<std::size_t>(index.size(index.node_slots()[k].family)) && rows[k].shape(1) == transition.shape(0);
  if (!ok) throw Error("RiataError", "the rows do not fit the feature index");
  Weights<Real> out(labels);
  out.grow(index, 0);
  const auto put = [&](const In2<double>& from, std::size_t row, Real* to) { std::copy_n(from.data() + row * from.shape(1), labels, to); };
  for (std::size_t i = 0; i < transition.shape(0); ++i) put(transition, i, out.transition_row() + i * static_cast<std::size_t>(out.stride));
  for (std::size_t k = 0; k < rows.size(); ++k) {
    const Slot& slot = index.node_slots()[k];
    for (std::size_t id = 0; id < rows[k].shape(0); ++id)
      put(rows[k], id, out.node_row(slot.family, id * static_cast<std::size_t>(slot.slots) + static_cast<std::size_t>(slot.slot)));
  }
  return out;
}

template <class Real>
void bind_precision(nb::module_& m, const std::string& suffix) {
  using Trainer = ChainPerceptron<Real>;
  nb::class_<Weights<Real>>(m, ("ChainWeights" + suffix).c_str(), "The weights of a chain model.")
      .def(
          "__init__",
          [](Weights<Real>* self, std::int32_t labels) {
            if (labels < 1 || labels > 32767)
              throw Error("DataError", "expected between 1 and 32,767 labels, found " + std::to_string(labels));
            new (self) Weights<Real>(labels);
          },
          nb::arg("labels"))
      .def("__copy__", [](const Weights<Real>& self) { return Weights<Real>(self); })
      .def_static("from_rows", &from_rows<Real>, nb::arg("index"), nb::arg("transition"), nb::arg("rows"),
                  "From a matrix of label pairs and, for every template that reads no label, a row of labels per n-gram.")
      .def_rw("local", &Weights<Real>::local,
              "Whether a step's score is log P(label | label before): what its weights add up to, normalised.")
      .def("pack", &packed<Real>, nb::arg("index"), "The sparse form in which a model is stored.")
      .def(
          "decode",
          [](const Weights<Real>& self, const FeatureIndex& index, const Instances& instances, const Flags& start, const Flags& end,
             const Flags& follow, const nb::object& progress) {
            const Constraint<Real> constraint = as_constraint(self, start, end, follow);
            const Poll poll = as_poll(progress);
            std::vector<std::int32_t> labels;
            {
              nb::gil_scoped_release release;
              labels = decode(index, self, constraint, instances, poll);
            }
            return give(std::move(labels));
          },
          nb::arg("index"), nb::arg("instances"), nb::arg("start"), nb::arg("end"), nb::arg("follow"),
          nb::arg("progress").none() = nb::none(), "The best label of every token.")
      .def(
          "nbest",
          [](const Weights<Real>& self, const FeatureIndex& index, const Instances& instances, const Flags& start, const Flags& end,
             const Flags& follow, std::int64_t n) {
            const Constraint<Real> constraint = as_constraint(self, start, end, follow);
            const Poll poll = as_poll(nb::none());
            NBestLabels found;
            {
              nb::gil_scoped_release release;
              found = nbest(index, self, constraint, instances, n, poll);
            }
            return nb::make_tuple(give(std::move(found.counts)), give(std::move(found.labels)), give(std::move(found.scores)));
          },
          nb::arg("index"), nb::arg("instances"), nb::arg("start"), nb::arg("end"), nb::arg("follow"), nb::arg("n"),
          "The n best labellings: how many of each sentence, their labels one after the other, their scores.");

  m.def(
      "normalised_sum",
      [](const std::vector<Weights<Real>*>& parts) {
        const std::vector<const Weights<Real>*> views(parts.begin(), parts.end());
        nb::gil_scoped_release release;
        return normalised_sum<Real>(views);
      },
      nb::arg("parts"), "The sum of weights over one index, each divided by its norm, at their scale.");

  m.def(
      "scores_of",
      [](const Weights<Real>& weights, const FeatureIndex& index, const Instances& instances, const Flags& start, const Flags& end,
         const Flags& follow, const In<std::int32_t>& labels) {
        const Constraint<Real> constraint = as_constraint(weights, start, end, follow);
        bool ok = static_cast<std::int64_t>(labels.shape(0)) == instances.tokens();
        for (const std::int32_t label : view(labels)) ok = ok && label >= 0 && label < weights.labels;
        if (!ok) throw Error("RiataError", "the labels do not fit the sentences");
        return give(scores_of(index, weights, constraint, instances, view(labels)));
      },
      nb::arg("weights"), nb::arg("index"), nb::arg("instances"), nb::arg("start"), nb::arg("end"), nb::arg("follow"), nb::arg("labels"),
      "The score of given labels, sentence by sentence.");

  nb::class_<Trainer> learner(m, ("ChainPerceptron" + suffix).c_str(), "The averaged structured perceptron on chains (Collins 2002).");
  learner.def(
      "__init__",
      [](Trainer* self, const Weights<Real>& initial, const Flags& start, const Flags& end, const Flags& follow) {
        new (self) Trainer(initial, as_constraint(initial, start, end, follow));
      },
      nb::arg("initial"), nb::arg("start"), nb::arg("end"), nb::arg("follow"));
  bind_learner<Trainer, Real>(m, learner);
}

}  // namespace

void chain(nb::module_& m) {
  bind_precision<float>(m, "");
  bind_precision<double>(m, "64");
  m.attr("exact_order") = exact_order;
  m.attr("most_exact_labels") = most_exact_labels;
  m.def("unpack_chain", &unpacked, nb::arg("index"), nb::arg("sparse"), nb::arg("labels"), nb::arg("alphabet_sizes"), nb::arg("given_size"),
        "Fills an empty index from the sparse form and returns the weights.");
  nb::class_<KeptChain>(m, "StoredChain", "A chain as it is stored, checked; it views the arrays.")
      .def(
          "__init__",
          [](KeptChain* self, const FeatureIndex& index, nb::dict sparse, std::int32_t labels,
             const std::vector<std::int32_t>& alphabet_sizes, std::int32_t given_size) {
            new (self) KeptChain{sparse, StoredChain(chain_in(sparse), labels, alphabet_sizes, given_size, index)};
          },
          nb::arg("index"), nb::arg("sparse"), nb::arg("labels"), nb::arg("alphabet_sizes"), nb::arg("given_size"))
      .def_prop_ro(
          "ordered", [](const KeptChain& self) { return self.chain.ordered(); }, "Whether n-grams are found without an index.")
      .def(
          "enter",
          [](const KeptChain& self, FeatureIndex& index) {
            nb::gil_scoped_release release;
            self.chain.enter(index);
          },
          nb::arg("index"), "Enters the n-grams into an empty index.")
      .def(
          "weights",
          [](const KeptChain& self, const FeatureIndex& index) {
            nb::gil_scoped_release release;
            return self.chain.weights(index);
          },
          nb::arg("index"), "The weights, over the index that was filled.")
      .def(
          "weights_of",
          [](const KeptChain& self, const FeatureIndex& some) {
            nb::gil_scoped_release release;
            return self.chain.weights_of(some);
          },
          nb::arg("some"), "The weights of the n-grams that another index of the same templates holds.");
}

}  // namespace riata::bind
