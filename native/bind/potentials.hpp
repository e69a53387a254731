// What the potentials of all structures have in common for Python: conversion of points to weights and back.
#pragma once

#include <nanobind/stl/string.h>
#include <nanobind/stl/unique_ptr.h>

#include <memory>
#include <string>

#include "bind/arrays.hpp"
#include "core/error.hpp"
#include "inference/potentials.hpp"
#include "inference/structures/chain_pairs.hpp"
#include "learning/batch/stochastic.hpp"
#include "losses/output_loss.hpp"

namespace riata::bind {

inline void check_point(const Potentials& potentials, const In<double>& at) {
  if (static_cast<std::int64_t>(at.shape(0)) != potentials.size()) throw Error("RiataError", "the point does not fit the weights");
}

inline void check_sentence_weights(const Potentials& potentials, const In<double>& weights) {
  if (weights.shape(0) != 0 && static_cast<std::int64_t>(weights.shape(0)) != potentials.sentences())
    throw Error("RiataError", "the weights do not fit the sentences");
}

// From the setting `pairs`, whose values Python checks.
inline FeatureLabels as_feature_labels(const std::string& pairs) {
  return pairs == "all" ? FeatureLabels::all : pairs == "transitions" ? FeatureLabels::transitions : FeatureLabels::seen;
}

// Kind: the potentials. ModelOf: their models, in any precision; made(potentials, weights): a model with these weights.
template <class Kind, class Real, template <class> class ModelOf, class Made>
nb::class_<Kind, Potentials> define_potentials(nb::module_& m, const std::string& name, const char* says, Made made) {
  nb::class_<Kind, Potentials> out(m, name.c_str(), says);
  out.def(
         "model",
         [made](const Kind& self, const In<double>& at) {
           check_point(self, at);
           return made(self, self.points().template model<Real>(view(at)));
         },
         nb::arg("at"), "The weights at a point.")
      .def(
          "single_model",
          [made](const Kind& self, const In<double>& at) {
            check_point(self, at);
            return made(self, self.points().template model<float>(view(at)));
          },
          nb::arg("at"), "The weights at a point, in single precision.")
      .def(
          "point", [](const Kind& self, const ModelOf<Real>& model) { return give(self.points().point(model.weights)); },
          nb::arg("weights"), "The point at given weights.");
  if constexpr (GivesSentenceGradient<Kind>) {
    out.def(
        "stochastic",
        [](Kind& self, const In<double>& weights, double decay, const std::string& loss) {
          check_sentence_weights(self, weights);
          return std::make_unique<Stochastic<Real>>(self.gradient(), view(weights), decay, output_loss(loss));
        },
        nb::arg("weights"), nb::arg("decay"), nb::arg("loss") = "log", nb::keep_alive<0, 1>(),
        "A learner that goes from one sentence to the next. weights: of sentences, or empty.");
  }
  return out;
}

}  // namespace riata::bind
