// Chains scored by a kernel function, for Python.
#include <nanobind/stl/string.h>

#include <cmath>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "bind/arrays.hpp"
#include "bind/chain.hpp"
#include "bind/model.hpp"
#include "bind/module.hpp"
#include "inference/structures/chain_model.hpp"
#include "inference/structures/kernel_rows.hpp"

namespace riata::bind {
namespace {

// Feature vectors one after the other: how many features each has, their numbers and values.
struct Packed {
  std::vector<std::int32_t> counts, ids;
  std::vector<float> values;

  void add(const SparseVector& vector) {
    counts.push_back(static_cast<std::int32_t>(vector.ids.size()));
    ids.insert(ids.end(), vector.ids.begin(), vector.ids.end());
    values.insert(values.end(), vector.values.begin(), vector.values.end());
  }
  nb::tuple out() && { return nb::make_tuple(give(std::move(counts)), give(std::move(ids)), give(std::move(values))); }
};

// A function of Python. It takes two sets of feature vectors, as Packed gives them, and the number of features.
class PythonKernel : public KernelFunction {
 public:
  explicit PythonKernel(nb::object function) : function_(std::move(function)) {}
  ~PythonKernel() override {
    nb::gil_scoped_acquire acquire;
    function_.reset();
  }

  bool parallel() const override { return false; }
  void row(const SparseVector& token, std::span<const SparseVector* const> others, std::int32_t width, double* out) const override {
    nb::gil_scoped_acquire acquire;
    Packed one, many;
    one.add(token);
    for (const SparseVector* other : others) many.add(*other);
    const nb::object found = function_(std::move(one).out(), std::move(many).out(), width);
    const auto values = nb::cast<In<double>>(found);
    if (values.shape(0) != others.size()) throw Error("RiataError", "a kernel row has the wrong length");
    std::copy_n(values.data(), others.size(), out);
  }

 private:
  nb::object function_;
};

template <class Real>
nb::tuple supports_of(const KernelModel<Real>& self) {
  Packed packed;
  for (std::int32_t slot = 0; slot < self.supports.slots(); ++slot) packed.add(self.supports[slot]);
  return std::move(packed).out();
}

template <class Real>
void set_supports(KernelModel<Real>& self, std::int32_t width, const In<std::int32_t>& counts, const In<std::int32_t>& ids,
                  const In<float>& values) {
  bool ok = ids.shape(0) == values.shape(0) && width >= 0;
  std::size_t at = 0;
  Supports supports;
  for (std::size_t k = 0; ok && k < counts.shape(0); ++k) {
    const std::int32_t count = view(counts)[k];
    ok = count >= 0 && static_cast<std::size_t>(count) <= ids.shape(0) - at;
    SparseVector vector;
    for (std::int32_t i = 0; ok && i < count; ++i, ++at) {
      const std::int32_t id = view(ids)[at];
      ok = id >= 0 && id < width && (i == 0 || id > vector.ids.back()) && std::isfinite(view(values)[at]);
      vector.ids.push_back(id);
      vector.values.push_back(view(values)[at]);
    }
    vector.settle();
    supports.add(std::move(vector));
  }
  if (!ok || at != ids.shape(0)) throw Error("ModelFileError", "the model's support tokens are inconsistent");
  self.width = width;
  self.supports = std::move(supports);
  self.coefficients.assign(static_cast<std::size_t>(self.place(self.supports.slots())), Real{0});
}

// An ordinary chain that gives every output of a corpus the same score, with a named feature per token; and its corpus.
template <class Real>
nb::tuple as_chain(const KernelModel<Real>& self, const FeatureIndex& index, const Instances& instances) {
  FeatureIndex plain({}, {}, 0, true);
  Instances tokens;
  ChainModel<Real> chain(Weights<Real>(self.labels), self.constraint);
  {
    nb::gil_scoped_release release;
    const Corpus corpus = without_truth(index, instances);
    self.check(corpus, self.coefficients.size());
    tokens.starts = instances.starts;
    tokens.allowed = instances.allowed;
    tokens.choices = instances.choices;
    for (std::int64_t t = 0; t <= instances.tokens(); ++t) tokens.named_starts.push_back(t);
    for (std::int64_t t = 0; t < instances.tokens(); ++t) tokens.named_ids.push_back(static_cast<std::int32_t>(t));
    tokens.named_values.assign(tokens.named_ids.size(), 1.0f);
    tokens.named_size = static_cast<std::int32_t>(instances.tokens());
    chain.weights.grow(plain, tokens.named_size);
    std::copy_n(self.coefficients.begin(), self.square(), chain.weights.transition_row());
    KernelRows<Real> rows(const_cast<KernelModel<Real>&>(self), corpus, false);  // which only reads the model
    for (std::int64_t t = 0; t < instances.tokens(); ++t)
      std::copy_n(rows.scores(t, 1, self.coefficients.data(), 0), self.stride, chain.weights.named_row(static_cast<std::size_t>(t)));
  }
  return nb::make_tuple(nb::cast(std::move(chain)), nb::cast(std::move(plain)), nb::cast(std::move(tokens)));
}

nb::tuple vectors_of(const FeatureIndex& index, const Instances& instances, std::int64_t most) {
  const Corpus corpus = without_truth(index, instances);
  KernelModel<float> blank(1, Constraint<float>::free(1), nullptr);
  const KernelRows<float> rows(blank, corpus, false);
  Packed packed;
  double squares = 0;
  for (std::int64_t token = 0; token < instances.tokens(); ++token) {
    const SparseVector vector = rows.read(token);
    squares += vector.squared;
    if (token < most) packed.add(vector);
  }
  const double mean = instances.tokens() > 0 ? squares / static_cast<double>(instances.tokens()) : 0.0;
  return nb::make_tuple(std::move(packed).out(), feature_count(corpus), mean);
}

template <class Real>
void bind_precision(nb::module_& m, const std::string& suffix) {
  using Kind = KernelModel<Real>;
  nb::class_<Kind, Model<Real>>(m, ("KernelWeights" + suffix).c_str(),
                                "The support tokens and coefficients of a chain scored by a kernel function.")
      .def(
          "__init__",
          [](Kind* self, std::int32_t labels, const Flags& start, const Flags& end, const Flags& follow, const nb::object& kernel,
             std::int32_t degree, double gamma, double coefficient) {
            if (labels < 1 || labels > 32767)
              throw Error("DataError", "expected between 1 and 32,767 labels, found " + std::to_string(labels));
            std::shared_ptr<const KernelFunction> function;
            if (nb::isinstance<nb::str>(kernel))
              function = kernel_function({nb::cast<std::string>(kernel), degree, gamma, coefficient});
            else
              function = std::make_shared<PythonKernel>(kernel);
            new (self) Kind(labels, as_constraint<Real>(labels, start, end, follow), std::move(function));
          },
          nb::arg("labels"), nb::arg("start"), nb::arg("end"), nb::arg("follow"), nb::arg("kernel"), nb::arg("degree"), nb::arg("gamma"),
          nb::arg("coefficient"), "kernel: linear, poly, rbf, or a function of two sets of feature vectors and the number of features.")
      .def(
          "constrained",
          [](const Kind& self, const Flags& start, const Flags& end, const Flags& follow) {
            Kind made(self);
            made.constraint = as_constraint<Real>(self.labels, start, end, follow);
            return made;
          },
          nb::arg("start"), nb::arg("end"), nb::arg("follow"), "The same weights, with other labels that may follow each other.")
      .def_rw("budget", &Kind::budget, "How many support tokens are kept; 0: all.")
      .def_rw("cache", &Kind::cache, "Bytes of kernel rows that are kept while learning.")
      .def_rw("threads", &Kind::threads, "That compute kernel rows.")
      .def_ro("width", &Kind::width, "How many features tokens have in all.")
      .def_prop_ro("supports", &supports_of<Real>, "Feature vectors of support tokens: how many features, their numbers and values.")
      .def_prop_ro(
          "size", [](const Kind& self) { return self.supports.size(); }, "How many support tokens there are.")
      .def("set_supports", &set_supports<Real>, nb::arg("width"), nb::arg("counts"), nb::arg("ids"), nb::arg("values"))
      .def("compact", &Kind::compact, "The same without support tokens that have no coefficients.")
      .def("chain", &as_chain<Real>, nb::arg("index"), nb::arg("instances"),
           "A chain without a kernel that scores the outputs of this corpus alike, its feature index, and its instances.");
}

void kernel_chain(nb::module_& m) {
  bind_precision<float>(m, "");
  bind_precision<double>(m, "64");
  m.def(
      "feature_count",
      [](const FeatureIndex& index, std::int32_t named) {
        Instances none;
        none.starts.push_back(0);
        none.named_size = named;
        return feature_count(without_truth(index, none));
      },
      nb::arg("index"), nb::arg("given_size"), "How many features tokens have in all, apart from labels.");
  m.def("feature_vectors", &vectors_of, nb::arg("index"), nb::arg("instances"), nb::arg("most"),
        "The feature vectors of the first tokens, the number of features, and the mean squared length of all vectors.");
}

const Bindings entered(kernel_chain);

}  // namespace
}  // namespace riata::bind
