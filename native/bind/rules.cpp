// Rules about outputs, from the arrays of riata.inference.rules.packed.
#include <nanobind/stl/string.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/vector.h>

#include <string>
#include <tuple>

#include "bind/arrays.hpp"
#include "bind/model.hpp"
#include "bind/module.hpp"
#include "bind/poll.hpp"
#include "bind/settings.hpp"
#include "core/error.hpp"
#include "inference/rules/check.hpp"
#include "inference/rules/ruled_search.hpp"
#include "inference/rules/shared_tokens.hpp"

namespace riata::bind {
namespace {

// One side of rules: the number of a set of labels, or -1; whether every position counts; [rules + 1] into positions; positions.
using Side = std::tuple<In<std::int32_t>, In<std::uint8_t>, In<std::int64_t>, In<std::int32_t>>;

struct RuleArrays {
  In2<std::uint8_t> label_sets;
  Side when, count;
  In<std::int32_t> low, high;
  In<double> penalty;
  In<std::int32_t> origin;
};

PartSet part_set(Rules& rules, const Side& side, std::size_t r, std::int32_t first_set) {
  const auto& [labels, everywhere, offsets, positions] = side;
  const std::int32_t set = first_set + labels.data()[r];
  if (everywhere.data()[r]) return rules.everywhere(set);
  const std::int64_t from = offsets.data()[r], to = offsets.data()[r + 1];
  if (from < 0 || to < from || to > static_cast<std::int64_t>(positions.shape(0))) throw Error("RiataError", "rules do not fit");
  return rules.at(set, view(positions).subspan(static_cast<std::size_t>(from), static_cast<std::size_t>(to - from)));
}

bool fits(const Side& side, std::size_t count) {
  return std::get<0>(side).shape(0) == count && std::get<1>(side).shape(0) == count && std::get<2>(side).shape(0) == count + 1;
}

// Calls add(rule) for all rules.
template <class Add>
void each_rule(Rules& rules, const RuleArrays& in, Add add) {
  const std::size_t count = in.low.shape(0);
  if (!fits(in.when, count) || !fits(in.count, count) || in.high.shape(0) != count || in.penalty.shape(0) != count ||
      in.origin.shape(0) != count)
    throw Error("RiataError", "rules do not fit");
  std::int32_t first_set = -1;
  for (std::size_t k = 0; k < in.label_sets.shape(0); ++k) {
    const std::int32_t number = rules.add_labels({in.label_sets.data() + k * in.label_sets.shape(1), in.label_sets.shape(1)});
    if (k == 0) first_set = number;
  }
  for (std::size_t r = 0; r < count; ++r) {
    Rule rule;
    rule.always = std::get<0>(in.when).data()[r] < 0;
    if (!rule.always) rule.when = part_set(rules, in.when, r, first_set);
    rule.count = part_set(rules, in.count, r, first_set);
    rule.low = in.low.data()[r];
    rule.high = in.high.data()[r];
    rule.penalty = in.penalty.data()[r];
    rule.origin = in.origin.data()[r];
    add(r, rule);
  }
}

void share_automata(Rules& rules, const In<std::int64_t>& states, const In2<std::int32_t>& next, const In<std::uint8_t>& accepting,
                    const In<double>& penalty, const In<std::int32_t>& origin) {
  const std::size_t labels = next.shape(1), count = penalty.shape(0);
  if (states.shape(0) != count + 1 || origin.shape(0) != count || accepting.shape(0) != next.shape(0) ||
      states.data()[count] != static_cast<std::int64_t>(next.shape(0)))
    throw Error("RiataError", "automata do not fit");
  for (std::size_t a = 0; a < count; ++a) {
    const auto from = static_cast<std::size_t>(states.data()[a]), to = static_cast<std::size_t>(states.data()[a + 1]);
    Automaton one;
    one.states = static_cast<std::int32_t>(to - from);
    one.next.assign(next.data() + from * labels, next.data() + to * labels);
    one.accepting.assign(accepting.data() + from, accepting.data() + to);
    one.penalty = penalty.data()[a];
    one.origin = origin.data()[a];
    rules.share(std::move(one));
  }
}

nb::tuple overlapping(const In2<std::int32_t>& spans) {
  if (spans.shape(1) != 2) throw Error("RiataError", "a span has a first and a last token");
  std::vector<Extent> extents;
  for (std::size_t k = 0; k < spans.shape(0); ++k) extents.push_back({spans.data()[2 * k], spans.data()[2 * k + 1]});
  SharedTokens found = shared_tokens(extents);
  return nb::make_tuple(give(std::move(found.starts)), give(std::move(found.members)));
}

template <class Real>
void bind_questions(nb::module_& m) {
  m.def(
      "decode_under",
      [](const Model<Real>& self, const FeatureIndex& index, const Instances& instances, const nb::dict& settings, const Rules& rules,
         const In<std::int64_t>& numbers, std::int64_t nodes, std::int64_t width, const nb::object& progress) {
        const Settings search = as_settings(settings);
        const Poll poll = as_poll(progress);
        RuledOutputs found;
        {
          nb::gil_scoped_release release;
          found = decode_under(self, without_truth(index, instances), QueueSpec::of(search), limits_of(search), rules, view(numbers),
                               {.nodes = nodes, .width = width}, poll);
        }
        return nb::make_tuple(give(std::move(found.codes)), give(std::move(found.how)));
      },
      nb::arg("weights"), nb::arg("index"), nb::arg("instances"), nb::arg("settings"), nb::arg("rules"), nb::arg("numbers"),
      nb::arg("nodes") = RuledLimits{}.nodes, nb::arg("width") = RuledLimits{}.width, nb::arg("progress").none() = nb::none(),
      "The best outputs that keep the rules, by search, and how each was found: 1: as exactly as the model searches; 2: not at all; 3: by "
      "a wide beam in place of exact search. numbers: of the sentences in the rules; empty: their own.");
}

template <class Real>
void bind_lists(nb::module_& m) {
  m.def(
      "nbest_under",
      [](const Model<Real>& self, const FeatureIndex& index, const Instances& instances, const nb::dict& settings, const Rules& rules,
         const In<std::int64_t>& numbers, std::int64_t n) {
        const Settings search = as_settings(settings);
        const Poll poll = as_poll(nb::none());
        BestOutputs found;
        {
          nb::gil_scoped_release release;
          found = nbest_under(self, without_truth(index, instances), QueueSpec::of(search), limits_of(search), rules, view(numbers), n, {},
                              poll);
        }
        return nb::make_tuple(give(std::move(found.counts)), give(std::move(found.codes)), give(std::move(found.scores)));
      },
      nb::arg("weights"), nb::arg("index"), nb::arg("instances"), nb::arg("settings"), nb::arg("rules"), nb::arg("numbers"), nb::arg("n"),
      "The n best outputs of every sentence that the search ends with which finds the best one under rules, as Weights.nbest gives them; "
      "none where it finds none. numbers: of the sentences in the rules; empty: their own.");
}

void rules(nb::module_& m) {
  nb::class_<Rules>(m, "Rules", "Rules that outputs of sentences must keep, or pay for.")
      .def(
          nb::init<std::vector<std::int32_t>, bool>(), nb::arg("tracks"), nb::arg("open") = false,
          "tracks: how many labels each of the parts at one position has. open: whether it may have any number of those of the last track.")
      .def(
          "share",
          [](Rules& self, const In2<std::uint8_t>& label_sets, const Side& when, const Side& count, const In<std::int32_t>& low,
             const In<std::int32_t>& high, const In<double>& penalty, const In<std::int32_t>& origin) {
            each_rule(self, {label_sets, when, count, low, high, penalty, origin},
                      [&](std::size_t, const Rule& rule) { self.share(rule); });
          },
          nb::arg("label_sets"), nb::arg("when"), nb::arg("count"), nb::arg("low"), nb::arg("high"), nb::arg("penalty"), nb::arg("origin"),
          "Adds rules of all sentences.")
      .def(
          "copy", [](const Rules& self) { return Rules(self); }, "The same rules, to which others can be added.")
      .def("share_automata", &share_automata, nb::arg("states"), nb::arg("next"), nb::arg("accepting"), nb::arg("penalty"),
           nb::arg("origin"), "Adds automata of all sentences.")
      .def(
          "add",
          [](Rules& self, const In<std::int64_t>& sentences, const In2<std::uint8_t>& label_sets, const Side& when, const Side& count,
             const In<std::int32_t>& low, const In<std::int32_t>& high, const In<double>& penalty, const In<std::int32_t>& origin) {
            if (sentences.shape(0) == 0 || sentences.data()[0] != 0 ||
                sentences.data()[sentences.shape(0) - 1] != static_cast<std::int64_t>(low.shape(0)))
              throw Error("RiataError", "rules do not fit");
            std::size_t next = 1;  // where the present sentence ends
            const auto end_before = [&](std::int64_t r) {
              for (; next < sentences.shape(0) && sentences.data()[next] <= r; ++next) self.end_sentence();
            };
            each_rule(self, {label_sets, when, count, low, high, penalty, origin}, [&](std::size_t r, const Rule& rule) {
              end_before(static_cast<std::int64_t>(r));
              self.add(rule);
            });
            end_before(static_cast<std::int64_t>(low.shape(0)));
          },
          nb::arg("sentences"), nb::arg("label_sets"), nb::arg("when"), nb::arg("count"), nb::arg("low"), nb::arg("high"),
          nb::arg("penalty"), nb::arg("origin"), "Adds the rules of single sentences. sentences: where those of each begin, and the end.");
  m.def("overlapping", &overlapping, nb::arg("spans"),
        "The largest sets of spans that share a token: where each begins in the list of their numbers, and this list.");
  m.def(
      "verdicts",
      [](const Rules& rules, const In<std::int64_t>& starts, const In<std::int32_t>& labels) {
        std::vector<std::uint8_t> found;
        {
          nb::gil_scoped_release release;
          found = verdicts_of(rules, view(starts), view(labels));
        }
        return give(std::move(found));
      },
      nb::arg("rules"), nb::arg("starts"), nb::arg("labels"),
      "What outputs break: 0: nothing; 1: rules with penalties only; 2: other rules. labels: as many at every position, -1 for none.");
  bind_questions<float>(m);
  bind_questions<double>(m);
  bind_lists<float>(m);
  bind_lists<double>(m);
}

const Bindings entered(rules);

}  // namespace
}  // namespace riata::bind
