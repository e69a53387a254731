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

SparseRows rows_in(nb::handle rows) {
  const auto [counts, columns, values] = nb::cast<std::tuple<In<std::uint32_t>, In<std::uint32_t>, In<float>>>(rows);
  return {copy(counts), copy(columns), copy(values)};
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

// A model as it is stored, checked; its weights take memory once they are asked for.
struct StoredChain {
  SparseChain sparse;
  std::int32_t labels, given_size;
};

StoredChain stored(FeatureIndex& index, nb::dict sparse, std::int32_t labels, const std::vector<std::int32_t>& alphabet_sizes, std::int32_t given_size) {
  SparseChain in;
  for (nb::handle family : nb::cast<nb::list>(sparse["families"])) {
    in.families.push_back({copy(nb::cast<In<std::int32_t>>(family["parents"])), copy(nb::cast<In<std::int32_t>>(family["values"])),
                           rows_in(family["node"]), rows_in(family["edge"])});
  }
  in.kept_given = copy(nb::cast<In<std::int32_t>>(sparse["kept_given"]));
  in.given = rows_in(sparse["given"]);
  in.transition = rows_in(sparse["transition"]);
  nb::dict history = nb::cast<nb::dict>(sparse["history"]);
  in.history = {copy(nb::cast<In<std::int32_t>>(history["slots"])), copy(nb::cast<In<std::int32_t>>(history["ngrams"])),
                copy(nb::cast<In<std::int32_t>>(history["labels"])), rows_in(history["rows"])};
  nb::gil_scoped_release release;
  fill_index(in, labels, alphabet_sizes, given_size, index);
  return {std::move(in), labels, given_size};
}

Weights<float> unpacked(FeatureIndex& index, nb::dict sparse, std::int32_t labels, const std::vector<std::int32_t>& alphabet_sizes, std::int32_t given_size) {
  const StoredChain in = stored(index, sparse, labels, alphabet_sizes, given_size);
  nb::gil_scoped_release release;
  return unfolded(in.sparse, labels, given_size, index);
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
    for (std::size_t id = 0; id < rows[k].shape(0); ++id) put(rows[k], id, out.node_row(slot.family, id * static_cast<std::size_t>(slot.slots) + static_cast<std::size_t>(slot.slot)));
  }
  return out;
}

template <class Real>
void bind_precision(nb::module_& m, const std::string& suffix) {
  using Trainer = ChainPerceptron<Real>;
  nb::class_<Weights<Real>>(m, ("ChainWeights" + suffix).c_str(), "The weights of a chain model.")
      .def("__init__", [](Weights<Real>* self, std::int32_t labels) {
             if (labels < 1 || labels > 32767) throw Error("DataError", "expected between 1 and 32,767 labels, found " + std::to_string(labels));
             new (self) Weights<Real>(labels);
           }, nb::arg("labels"))
      .def("__copy__", [](const Weights<Real>& self) { return Weights<Real>(self); })
      .def_static("from_rows", &from_rows<Real>, nb::arg("index"), nb::arg("transition"), nb::arg("rows"),
                  "From a matrix of label pairs and, for every template that reads no label, a row of labels per n-gram.")
      .def_rw("local", &Weights<Real>::local, "Whether a step's score is log P(label | label before): what its weights add up to, normalised.")
      .def("pack", &packed<Real>, nb::arg("index"), "The sparse form in which a model is stored.")
      .def("decode", [](const Weights<Real>& self, const FeatureIndex& index, const Instances& instances, const Flags& start, const Flags& end,
                        const Flags& follow, const nb::object& progress) {
             const Constraint<Real> constraint = as_constraint(self, start, end, follow);
             const Poll poll = as_poll(progress);
             std::vector<std::int32_t> labels;
             {
               nb::gil_scoped_release release;
               labels = decode(index, self, constraint, instances, poll);
             }
             return give(std::move(labels));
           }, nb::arg("index"), nb::arg("instances"), nb::arg("start"), nb::arg("end"), nb::arg("follow"), nb::arg("progress").none() = nb::none(),
           "The best label of every token.")
      .def("nbest", [](const Weights<Real>& self, const FeatureIndex& index, const Instances& instances, const Flags& start, const Flags& end,
                       const Flags& follow, std::int64_t n) {
             const Constraint<Real> constraint = as_constraint(self, start, end, follow);
             const Poll poll = as_poll(nb::none());
             NBestLabels found;
             {
               nb::gil_scoped_release release;
               found = nbest(index, self, constraint, instances, n, poll);
             }
             return nb::make_tuple(give(std::move(found.counts)), give(std::move(found.labels)), give(std::move(found.scores)));
           }, nb::arg("index"), nb::arg("instances"), nb::arg("start"), nb::arg("end"), nb::arg("follow"), nb::arg("n"),
           "The n best labellings: how many of each sentence, their labels one after the other, their scores.");

  m.def("normalised_sum", [](const std::vector<Weights<Real>*>& parts) {
          const std::vector<const Weights<Real>*> views(parts.begin(), parts.end());
          nb::gil_scoped_release release;
          return normalised_sum<Real>(views);
        }, nb::arg("parts"), "The sum of weights over one index, each divided by its norm, at their scale.");

  m.def("scores_of", [](const Weights<Real>& weights, const FeatureIndex& index, const Instances& instances, const Flags& start, const Flags& end,
                        const Flags& follow, const In<std::int32_t>& labels) {
          const Constraint<Real> constraint = as_constraint(weights, start, end, follow);
          bool ok = static_cast<std::int64_t>(labels.shape(0)) == instances.tokens();
          for (const std::int32_t label : view(labels)) ok = ok && label >= 0 && label < weights.labels;
          if (!ok) throw Error("RiataError", "the labels do not fit the sentences");
          return give(scores_of(index, weights, constraint, instances, view(labels)));
        }, nb::arg("weights"), nb::arg("index"), nb::arg("instances"), nb::arg("start"), nb::arg("end"), nb::arg("follow"), nb::arg("labels"),
        "The score of given labels, sentence by sentence.");

  nb::class_<Trainer> learner(m, ("ChainPerceptron" + suffix).c_str(), "The averaged structured perceptron on chains (Collins 2002).");
  learner.def("__init__", [](Trainer* self, const Weights<Real>& initial, const Flags& start, const Flags& end, const Flags& follow) {
             new (self) Trainer(initial, as_constraint(initial, start, end, follow));
           }, nb::arg("initial"), nb::arg("start"), nb::arg("end"), nb::arg("follow"));
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
  nb::class_<StoredChain>(m, "StoredChain", "A chain as it is stored, checked.")
      .def("weights", [](const StoredChain& self, const FeatureIndex& index) {
             nb::gil_scoped_release release;
             return unfolded(self.sparse, self.labels, self.given_size, index);
           }, nb::arg("index"), "The weights, over the index that was filled.");
  m.def("check_chain", &stored, nb::arg("index"), nb::arg("sparse"), nb::arg("labels"), nb::arg("alphabet_sizes"), nb::arg("given_size"),
        "Fills an empty index from the sparse form, checks all of it, and keeps it for later.");
}

}  // namespace riata::bind
