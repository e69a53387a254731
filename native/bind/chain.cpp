// Chains of labels, over float (production) and double (for comparison with slow twins): how they are created, stored and read.
#include <nanobind/stl/function.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/unique_ptr.h>
#include <nanobind/stl/vector.h>

#include <algorithm>
#include <string>

#include "bind/arrays.hpp"
#include "bind/chain.hpp"
#include "bind/module.hpp"
#include "bind/poll.hpp"
#include "core/error.hpp"
#include "inference/structures/chain_model.hpp"
#include "inference/structures/chain_posteriors.hpp"
#include "inference/structures/exact_chain.hpp"
#include "models/place.hpp"
#include "models/sparse.hpp"

namespace riata::bind {
namespace {

nb::tuple rows_out(SparseRows& rows) {
  return nb::make_tuple(give(std::move(rows.counts)), give(std::move(rows.columns)), give(std::move(rows.values)));
}

// A view of an array. The caller must keep the array alive.
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
nb::dict packed(const ChainModel<Real>& model, const FeatureIndex& index) {
  SparseChain sparse;
  {
    nb::gil_scoped_release release;
    sparse = pack(index, model.weights);
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
  out["kept_given"] = give(std::move(sparse.kept_named));
  out["given"] = rows_out(sparse.named);
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
  in.kept_named = narrow_in(sparse["kept_given"]);
  in.named = rows_in(sparse["given"]);
  in.transition = rows_in(sparse["transition"]);
  nb::dict history = nb::cast<nb::dict>(sparse["history"]);
  in.history = {narrow_in(history["slots"]), narrow_in(history["ngrams"]), narrow_in(history["labels"]), rows_in(history["rows"])};
  return in;
}

// A stored chain, together with the arrays that it views.
struct KeptChain {
  nb::dict arrays;
  StoredChain chain;
};

// A model with other weights, and the constraint of `like`.
ChainModel<float> with_weights(const ChainModel<float>& like, Weights<float> weights) {
  weights.local = like.weights.local;
  weights.truncated = like.weights.truncated;
  return {std::move(weights), like.constraint};
}

ChainModel<float> unpacked(FeatureIndex& index, nb::dict sparse, const ChainModel<float>& like,
                           const std::vector<std::int32_t>& alphabet_sizes, std::int32_t named_size) {
  const ChainView in = chain_in(sparse);
  nb::gil_scoped_release release;
  return with_weights(like, unpack(in, like.weights.labels, alphabet_sizes, named_size, index));
}

// Weights from rows that Python has computed: rows[k], [n-grams][labels], belongs to the k-th template that reads no label.
template <class Real>
ChainModel<Real> from_rows(const ChainModel<Real>& like, const FeatureIndex& index, const In2<double>& transition,
                           const std::vector<In2<double>>& rows) {
  const auto labels = static_cast<std::int32_t>(transition.shape(0));
  bool ok = !index.hashed() && labels == like.weights.labels && transition.shape(1) == transition.shape(0) &&
            rows.size() == index.node_slots().size();
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
  return {std::move(out), like.constraint};
}

// What a weight stands for: (kind, family, slot, values of the n-gram or number of the named feature, values of the labels before, label).
template <class Real>
nb::tuple place_in(const ChainModel<Real>& model, const FeatureIndex& index, std::int64_t entry) {
  const Place place = place_of(index, model.weights.layout, model.weights.history, entry);
  nb::list values;
  const char* kind = "transition";
  if (place.kind == Place::Kind::named) {
    kind = "given";
    values.append(place.ngram);
  } else if (place.kind != Place::Kind::transition) {
    kind = place.kind == Place::Kind::node ? "node" : place.kind == Place::Kind::edge ? "edge" : "history";
    auto id = static_cast<std::int32_t>(place.ngram);
    for (std::int32_t f = place.family; f >= 0; id = index.parent(f, id), f = index.spec(f).parent) values.append(index.value(f, id));
    values.reverse();
  }
  return nb::make_tuple(kind, place.family, place.slot, values, nb::cast(place.before), place.label);
}

template <class Real>
nb::tuple probabilities(const ChainModel<Real>& model, const FeatureIndex& index, const Instances& instances, const Outputs& found,
                        const Outputs& types, const Flags& continues, double temperature) {
  const Corpus corpus{index, instances, view(found)};  // found labels are checked like true ones
  const auto labels = static_cast<std::size_t>(model.weights.labels);
  if (!(temperature > 0)) throw Error("SettingError", "a temperature must be above 0");
  if (types.shape(0) != labels || continues.shape(0) != labels * labels) throw Error("RiataError", "the flags do not fit the labels");
  const Poll poll = as_poll(nb::none());
  ChainProbabilities out;
  {
    nb::gil_scoped_release release;
    out = chain_probabilities(model, corpus, view(found), {view(types), view(continues)}, temperature, poll);
  }
  return nb::make_tuple(give(std::move(out.log_z)), give(std::move(out.labels)), give(std::move(out.confidences)));
}

template <class Real>
void bind_precision(nb::module_& m, const std::string& suffix) {
  using Kind = ChainModel<Real>;
  nb::class_<Kind, Model<Real>>(m, ("ChainWeights" + suffix).c_str(),
                                "The weights of a chain of labels, and which labels may follow which.")
      .def(
          "__init__",
          [](Kind* self, std::int32_t labels, const Flags& start, const Flags& end, const Flags& follow) {
            if (labels < 1 || labels > 32767)
              throw Error("DataError", "expected between 1 and 32,767 labels, found " + std::to_string(labels));
            new (self) Kind(Weights<Real>(labels), as_constraint<Real>(labels, start, end, follow));
          },
          nb::arg("labels"), nb::arg("start"), nb::arg("end"), nb::arg("follow"))
      .def(
          "constrained",
          [](const Kind& self, const Flags& start, const Flags& end, const Flags& follow) {
            return Kind(self.weights, as_constraint<Real>(self.weights.labels, start, end, follow));
          },
          nb::arg("start"), nb::arg("end"), nb::arg("follow"), "The same weights, with other labels that may follow each other.")
      .def("from_rows", &from_rows<Real>, nb::arg("index"), nb::arg("transition"), nb::arg("rows"),
           "The same with weights from a matrix of label pairs and, for every template that reads no label, a row of labels per n-gram.")
      .def_prop_rw(
          "local", [](const Kind& self) { return self.weights.local; }, [](Kind& self, bool local) { self.weights.local = local; },
          "Whether a step's score is log P(label | label before): what its weights add up to, normalised.")
      .def_prop_rw(
          "truncated", [](const Kind& self) { return self.weights.truncated; },
          [](Kind& self, bool truncated) { self.weights.truncated = truncated; },
          "Whether a step's score is what its weights add up to, kept between -1 and 1.")
      .def("pack", &packed<Real>, nb::arg("index"), "The sparse form in which a model is stored.")
      .def("place", &place_in<Real>, nb::arg("index"), nb::arg("entry"), "Whose weight an entry of the long vector is.")
      .def("probabilities", &probabilities<Real>, nb::arg("index"), nb::arg("instances"), nb::arg("found"), nb::arg("types"),
           nb::arg("continues"), nb::arg("temperature"),
           "Over all labellings: log Z, the probability of each label at each token, and that of the unit that a token is in.");
}

void chain(nb::module_& m) {
  bind_precision<float>(m, "");
  bind_precision<double>(m, "64");
  m.attr("exact_order") = exact_order;
  m.attr("most_exact_labels") = most_exact_labels;
  m.def("unpack_chain", &unpacked, nb::arg("index"), nb::arg("sparse"), nb::arg("like"), nb::arg("alphabet_sizes"), nb::arg("given_size"),
        "Fills an empty index from the sparse form and returns the weights.");
  nb::class_<KeptChain>(m, "StoredChain", "A chain as it is stored, checked; it views the arrays.")
      .def(
          "__init__",
          [](KeptChain* self, const FeatureIndex& index, nb::dict sparse, std::int32_t labels,
             const std::vector<std::int32_t>& alphabet_sizes, std::int32_t named_size) {
            new (self) KeptChain{sparse, StoredChain(chain_in(sparse), labels, alphabet_sizes, named_size, index)};
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
          [](const KeptChain& self, const FeatureIndex& index, const ChainModel<float>& like) {
            nb::gil_scoped_release release;
            return with_weights(like, self.chain.weights(index));
          },
          nb::arg("index"), nb::arg("like"), "The weights, over the index that was filled.")
      .def(
          "weights_of",
          [](const KeptChain& self, const FeatureIndex& some, const ChainModel<float>& like) {
            nb::gil_scoped_release release;
            return with_weights(like, self.chain.weights_of(some));
          },
          nb::arg("some"), nb::arg("like"), "The weights of the n-grams that another index of the same templates holds.");
}

const Bindings entered(chain);

}  // namespace
}  // namespace riata::bind
