// Models of any structure: all questions to them, bound once.
#include "bind/model.hpp"

#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/unique_ptr.h>
#include <nanobind/stl/vector.h>

#include <string>

#include "bind/module.hpp"
#include "bind/poll.hpp"
#include "bind/risk.hpp"
#include "bind/settings.hpp"
#include "bind/trace.hpp"
#include "inference/offered.hpp"
#include "inference/questions.hpp"
#include "inference/rules/constrained_space.hpp"
#include "inference/rules/ruled_search.hpp"
#include "learning/margins.hpp"

namespace riata::bind {
namespace {

nb::tuple as_tuple(FeaturePlaces&& found) {
  return nb::make_tuple(give(std::move(found.counts)), give(std::move(found.places)), give(std::move(found.values)));
}

nb::tuple as_tuple(BestOutputs&& found) {
  return nb::make_tuple(give(std::move(found.counts)), give(std::move(found.codes)), give(std::move(found.scores)));
}

template <class Real>
Out<std::int32_t> decoded(const Model<Real>& self, const FeatureIndex& index, const Instances& instances, const nb::dict& settings,
                          const nb::object& progress) {
  const Settings search = as_settings(settings);
  const Poll poll = as_poll(progress);
  std::vector<std::int32_t> codes;
  {
    nb::gil_scoped_release release;
    codes = decode(self, without_truth(index, instances), QueueSpec::of(search), limits_of(search), poll);
  }
  return give(std::move(codes));
}

template <class Real>
nb::tuple best(const Model<Real>& self, const FeatureIndex& index, const Instances& instances, std::int64_t n) {
  const Poll poll = as_poll(nb::none());
  BestOutputs found;
  {
    nb::gil_scoped_release release;
    found = nbest(self, without_truth(index, instances), n, poll);
  }
  return as_tuple(std::move(found));
}

template <class Real>
nb::tuple best_of_search(const Model<Real>& self, const FeatureIndex& index, const Instances& instances, const nb::dict& settings,
                         std::int64_t n) {
  const Settings search = as_settings(settings);
  const Poll poll = as_poll(nb::none());
  BestOutputs found;
  {
    nb::gil_scoped_release release;
    found = nbest_of_search(self, without_truth(index, instances), QueueSpec::of(search), limits_of(search), n, poll);
  }
  return as_tuple(std::move(found));
}

template <class Real>
nb::tuple summed(const Model<Real>& self, const FeatureIndex& index, const Instances& instances, double sharpness) {
  FeaturePlaces expected;
  std::vector<double> log_z = sums_of(self, without_truth(index, instances), sharpness, expected);
  return nb::make_tuple(give(std::move(log_z)), as_tuple(std::move(expected)));
}

template <class Real>
nb::tuple least_risk_of(const Model<Real>& self, const FeatureIndex& index, const Instances& instances, const nb::dict& settings,
                        const Outputs& types, const Flags& continues, const nb::object& progress) {
  const Risk risk = as_risk(settings, types, continues);
  const Poll poll = as_poll(progress);
  LeastRisk found;
  {
    nb::gil_scoped_release release;
    found = least_risk(self, without_truth(index, instances), risk, poll);
  }
  std::vector<double> numbers;
  for (const ExpectedRight& one : found.expected) numbers.insert(numbers.end(), {one.right, one.found, one.all});
  return nb::make_tuple(give(std::move(found.codes)), give(std::move(numbers)));
}

template <class Real>
nb::tuple confident(const Model<Real>& model, const FeatureIndex& index, const Instances& instances, const nb::dict& settings,
                    const Outputs& types, const Flags& continues, const In<double>& temperatures, const Outputs& asked,
                    const nb::object& progress) {
  for (const double temperature : view(temperatures)) {
    if (!(temperature > 0)) throw Error("SettingError", "a temperature must be above 0");
  }
  const Corpus corpus = without_truth(index, instances);
  if (asked.shape(0) > 0) model.check({index, instances, view(asked)}, model.flat().size());
  const Settings search = as_settings(settings);
  const ChunkFlags flags = chunk_flags(types, continues);
  const Poll poll = as_poll(progress);
  Confidences found;
  {
    nb::gil_scoped_release release;
    found = confidences(model, corpus, QueueSpec::of(search), limits_of(search), flags, view(temperatures), view(asked), poll);
  }
  return nb::make_tuple(give(std::move(found.outputs)), give(std::move(found.values)));
}

template <class Real>
nb::dict measured(const Model<Real>& model, const FeatureIndex& index, const Instances& instances, const Outputs& gold,
                  const nb::dict& settings, const nb::object& progress) {
  const Settings search = as_settings(settings);
  const Poll poll = as_poll(progress);
  MarginReport report;
  {
    nb::gil_scoped_release release;
    report = margins_of(model, {index, instances, view(gold)}, QueueSpec::of(search), search.number("p"), poll);
  }
  return as_dict(std::move(report));
}

// The trace of the search of one sentence. An action is (state before it, action id), a feature is the number of its weight; `weights` are
// those of the model, with features that the trace has added; `forbidden` are the steps that rules forbid.
template <class Real>
nb::dict traced_model(const Model<Real>& model, const FeatureIndex& index, const Instances& instances, const Outputs& gold,
                      const nb::dict& settings, const nb::object& learner, bool with_features, const Rules* rules,
                      const nb::object& bounds) {
  const bool learning = gold.shape(0) > 0;
  const Corpus corpus{index, instances, view(gold)};
  if (instances.sentences() != 1 || instances.tokens() == 0) throw Error("RiataError", "a trace is of one sentence");
  model.check(corpus, model.flat().size());
  std::unique_ptr<Model<Real>> grown = model.copy();
  Vector<Real> weights(std::exchange(grown->flat(), {}));
  const std::unique_ptr<Structure<Real>> structure = grown->over(corpus, weights, learning || with_features);
  const QueueSpec queue = QueueSpec::of(as_settings(settings));
  std::unique_ptr<CorpusSpace> space;
  ConstrainedSpace* ruled = nullptr;
  if (rules == nullptr) {
    space = structure->space(queue);
  } else {
    rules->check_tracks(model.part_tracks());
    const auto parts_of = [&](Codes output, std::vector<Part>& parts) { model.parts(output, parts); };
    const auto make = [&](const QueueSpec& inner) { return structure->space(inner); };
    auto made = std::make_unique<ConstrainedSpace>(corpus, *rules, parts_of, queue, make);
    ruled = made.get();
    ruled->watch(static_cast<std::size_t>(as_bounds(bounds).states));
    space = std::move(made);
  }
  if (learning && shows_losses(learner)) space->add_losses();
  space->open(0, learning);
  if (ruled != nullptr && !learning && queue.by_level()) ruled->look_ahead(RuledLimits{}.steps);
  nb::dict out = traced_flat(*space, weights, queue, settings, learner, learning, with_features, as_bounds(bounds));
  const auto forbidden = [](const ConstrainedSpace::Forbidden& one) {
    const Candidate& by = one.candidate;
    return nb::make_tuple(by.parent, nb::make_tuple(one.from, by.action), by.score, by.heuristic, one.origin);
  };
  out["forbidden"] = ruled == nullptr ? nb::list() : listed(ruled->forbidden(), forbidden);
  out["forbidden_left_out"] = ruled == nullptr ? 0 : ruled->unwatched();
  grown->flat() = weights.take_last();
  out["weights"] = nb::cast(std::move(grown));
  return out;
}

// Questions about outputs that are compared with the truth. class_weights: [labels], or empty.
template <class Real>
void bind_losses(nb::class_<Model<Real>>& model) {
  model
      .def(
          "loss_augmented",
          [](const Model<Real>& self, const FeatureIndex& index, const Instances& instances, const Outputs& gold, double cost,
             std::int64_t n, const In<double>& class_weights) {
            const Poll poll = as_poll(nb::none());
            BestOutputs found;
            {
              nb::gil_scoped_release release;
              found = loss_augmented(self, {index, instances, view(gold)}, cost, view(class_weights), n, poll);
            }
            return as_tuple(std::move(found));
          },
          nb::arg("index"), nb::arg("instances"), nb::arg("gold"), nb::arg("cost"), nb::arg("n"), nb::arg("class_weights"),
          "The n outputs with the highest score plus cost times their loss, as nbest gives them.")
      .def(
          "losses_of",
          [](const Model<Real>& self, const FeatureIndex& index, const Instances& instances, const Outputs& gold, const Outputs& outputs,
             const In<double>& class_weights) {
            return give(losses_of(self, {index, instances, view(gold)}, view(class_weights), view(outputs)));
          },
          nb::arg("index"), nb::arg("instances"), nb::arg("gold"), nb::arg("outputs"), nb::arg("class_weights"),
          "The loss of given outputs, sentence by sentence.");
}

template <class Real>
void bind_questions(nb::class_<Model<Real>>& model) {
  model
      .def("decode", &decoded<Real>, nb::arg("index"), nb::arg("instances"), nb::arg("settings"), nb::arg("progress").none() = nb::none(),
           "The outputs that exact search or a queue finds, one number per token.")
      .def("nbest", &best<Real>, nb::arg("index"), nb::arg("instances"), nb::arg("n"),
           "The n best outputs: how many of each sentence, the outputs one after the other, their scores.")
      .def("nbest_of_search", &best_of_search<Real>, nb::arg("index"), nb::arg("instances"), nb::arg("settings"), nb::arg("n"),
           "The n best of the outputs that a search by levels ends with, as nbest gives them.")
      .def(
          "scores_of",
          [](const Model<Real>& self, const FeatureIndex& index, const Instances& instances, const Outputs& outputs) {
            return give(scores_of(self, without_truth(index, instances), view(outputs)));
          },
          nb::arg("index"), nb::arg("instances"), nb::arg("outputs"), "The score of given outputs, sentence by sentence.")
      .def(
          "features_of",
          [](Model<Real>& self, const FeatureIndex& index, const Instances& instances, const Outputs& outputs) {
            return as_tuple(features_of(self, without_truth(index, instances), view(outputs)));
          },
          nb::arg("index"), nb::arg("instances"), nb::arg("outputs"),
          "The features of given outputs: how many of each sentence, their places among the weights, their values; new ones are added, as "
          "zeros.")
      .def(
          "regrets_of",
          [](const Model<Real>& self, const FeatureIndex& index, const Instances& instances, const Outputs& gold, const Outputs& outputs) {
            return give(regrets_of(self, {index, instances, view(gold)}, view(outputs)));
          },
          nb::arg("index"), nb::arg("instances"), nb::arg("gold"), nb::arg("outputs"),
          "The least loss that the states along given outputs can still reach, from the initial one to the goal, sentence by sentence.")
      .def("sums_of", &summed<Real>, nb::arg("index"), nb::arg("instances"), nb::arg("sharpness") = 1.0,
           "Over all outputs of each sentence: log Z, and the features that are expected, as features_of gives them.")
      .def("least_risk", &least_risk_of<Real>, nb::arg("index"), nb::arg("instances"), nb::arg("settings"), nb::arg("types"),
           nb::arg("continues"), nb::arg("progress").none() = nb::none(),
           "The outputs of least expected loss, one number per token; and for every sentence, how many labels or chunks are expected to be "
           "right, how many there are, and how many the truth is expected to have.")
      .def("confidences", &confident<Real>, nb::arg("index"), nb::arg("instances"), nb::arg("settings"), nb::arg("types"),
           nb::arg("continues"), nb::arg("temperatures"), nb::arg("given"), nb::arg("progress").none() = nb::none(),
           "What a search finds, or is given, and what share of what it kept has the same parts there.")
      .def("margins", &measured<Real>, nb::arg("index"), nb::arg("instances"), nb::arg("gold"), nb::arg("settings"),
           nb::arg("progress").none() = nb::none(), "What a search with these weights shows of its margins.")
      .def("trace", &traced_model<Real>, nb::arg("index"), nb::arg("instances"), nb::arg("gold"), nb::arg("settings"),
           nb::arg("learner").none(), nb::arg("features"), nb::arg("rules").none() = nb::none(), nb::arg("bounds").none() = nb::none(),
           "What a search of one sentence did, step by step. rules: that it kept. bounds: of what is recorded.");
}

template <class Real>
void bind_precision(nb::module_& m, const std::string& suffix) {
  nb::class_<Model<Real>> model(m, ("Weights" + suffix).c_str(), "The weights of a model and what they stand for, whatever its structure.");
  model.def("__copy__", [](const Model<Real>& self) { return self.copy(); })
      .def(
          "flat", [](const Model<Real>& self) { return give(std::vector<Real>(self.flat().begin(), self.flat().end())); },
          "All weights in one long vector.")
      .def(
          "set_flat", [](Model<Real>& self, const In<Real>& flat) { self.flat().assign(flat.data(), flat.data() + flat.shape(0)); },
          nb::arg("flat"))
      .def(
          "grow",
          [](Model<Real>& self, const FeatureIndex& index, const Instances& instances) {
            Vector<Real> weights(std::exchange(self.flat(), {}), 2, Vector<Real>::Keeps::nothing);
            self.grow(without_truth(index, instances), weights);
            self.flat() = weights.take_last();
          },
          nb::arg("index"), nb::arg("instances"), "Makes room for all features of the input that the index knows.");
  bind_questions(model);
  bind_losses(model);
  m.def(
      "normalised_sum",
      [](const std::vector<Model<Real>*>& parts) {
        const std::vector<const Model<Real>*> views(parts.begin(), parts.end());
        nb::gil_scoped_release release;
        return normalised_sum<Real>(views);
      },
      nb::arg("parts"), "The sum of models over one index, each divided by its norm, at their scale.");
}

void model(nb::module_& m) {
  m.attr("unbounded") = unbounded;  // the width of a beam that keeps everything
  m.def("searches_run", &searches_run, "How often the search engine has run in this process.");
  m.def(
      "operations_of",
      [](const std::string& structure) {
        const auto found = structure_operations().find(structure);
        if (found == structure_operations().end()) throw Error("RiataError", "there is no structure '" + structure + "' in the core");
        return std::vector<std::string>(found->second.begin(), found->second.end());
      },
      nb::arg("structure"), "The operations that a structure offers, as recipes name them.");
  bind_precision<float>(m, "");
  bind_precision<double>(m, "64");
}

const Bindings entered(model, Bindings::Part::bases);

}  // namespace
}  // namespace riata::bind
