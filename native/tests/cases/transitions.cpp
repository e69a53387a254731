// Dependency trees that a parser builds by moves, all of them listed. There is no dynamic program, but features, scores and a search space.
#include <algorithm>
#include <vector>

#include "inference/structures/dependency_tree.hpp"
#include "inference/structures/transition_model.hpp"
#include "tests/enumerated.hpp"

namespace riata::test {
namespace {

// Codes of all trees of `length` tokens whose root has the right relation, and all others another one; with all tags, if tags are chosen.
std::vector<Output> all_trees(const TransitionCoding& coding, std::int32_t length) {
  std::vector<Output> found;
  std::vector<std::int32_t> heads(static_cast<std::size_t>(length), -1);
  const auto label = [&] {
    std::vector<Output> labelled{{}};
    for (const std::int32_t head : heads) {
      std::vector<Output> longer;
      for (const Output& before : labelled) {
        for (std::int32_t r = 0; r < coding.relations; ++r) {
          if ((head < 0) != (r == coding.root)) continue;
          for (std::int32_t tag = coding.tags > 0 ? 0 : -1; tag < coding.tags; ++tag) {
            longer.push_back(before);
            longer.back().push_back(coding.code(head, r, tag));
          }
        }
      }
      labelled = std::move(longer);
    }
    found.insert(found.end(), labelled.begin(), labelled.end());
  };
  while (true) {
    if (is_dependency_tree(heads)) label();
    std::size_t t = 0;
    while (t < heads.size() && ++heads[t] == length) heads[t++] = -1;
    if (t == heads.size()) return found;
  }
}

// tagged: whether tags that were chosen are read.
TransitionTemplates templates_of(const FeatureIndex& index, bool tagged) {
  using Part = ParserPart;
  using Place = ParserPlace;
  const std::int32_t to_come = Place::depth;
  std::vector<Place> places{{0, Place::itself}, {1, Place::itself},     {to_come, Place::itself}, {0, Place::left},
                            {0, Place::right},  {to_come, Place::left}, {0, Place::head},         {1, Place::right2}};
  std::vector<Part> parts{{Part::ngram, 0, 0, 0},    {Part::ngram, 1, 0, 0},  {Part::ngram, 2, 0, 0}, {Part::ngram, 3, 0, 0},
                          {Part::relation, 4},       {Part::relation, 5},     {Part::lefts, 0},       {Part::right_set, 1},
                          {Part::distance, 0, 2, 0}, {Part::ngram, 6, 0, -1}, {Part::relation, 7},    {Part::left_set, 2},
                          {Part::rights, 0, -1, 0}};
  std::vector<std::vector<std::int32_t>> templates{{0},    {2},    {0, 1}, {0, 2},        {0, 1, 2}, {0, 3},  {4, 2},
                                                   {5, 2}, {6, 0}, {7, 1}, {8, 0, 2, 12}, {9, 0},    {10, 1}, {11, 2}};
  if (tagged) {
    places.push_back({2 * to_come, Place::itself});
    places.push_back({2 * to_come + 1, Place::itself});
    for (const std::int32_t place : {0, 1, 2, 3, 8, 9}) parts.push_back({Part::tag, place});
    for (const std::int32_t part : {13, 14, 15, 16, 17, 18}) templates.push_back({part, 2});
    templates.push_back({13, 14, 15});
    templates.push_back({15, 17, 18});
    templates.push_back({13, 16});
  }
  return TransitionTemplates(index, std::move(places), std::move(parts), std::move(templates));
}

// Tokens may have both tags, or the second one only.
TagChoices two_tags(Rng& rng, std::int64_t tokens) {
  TagChoices out{{0, 2, 4, 5}, {0, 1, 1, 0, 1}, {}, 2, true};
  for (std::int64_t n = 0; n < tokens; ++n) out.of.push_back(static_cast<std::int32_t>(rng.below(3)));
  return out;
}

// restricted: whether tags restrict relations. tags: how many tags are chosen, 0 or 2.
Case enumerated_transitions(Rng& rng, TransitionSystem system, bool restricted, std::int32_t tags) {
  TransitionCoding coding{system, 3, 1, restricted ? 0 : -1, PairRelations({0, 2}), tags};
  if (restricted) coding.pairs.add(0, 1, 2);
  auto out = std::make_unique<Enumerated>("transitions", FeatureIndex({{-1, 0, 0}}, {}, 1, false, {}, {}, 0, {{0, 0}, {0, -1}}));
  out->exact = false;
  out->all_ways = system != TransitionSystem::swap;
  out->built = true;
  RandomSentences drawn(rng, 4, [](const auto&) { return 0; }), kept = drawn;
  kept.values.clear();
  kept.gold.clear();
  kept.starts = {0};
  for (std::size_t s = 0; s < 16; ++s) {
    const auto first = static_cast<std::size_t>(drawn.starts[s]), end = static_cast<std::size_t>(drawn.starts[s + 1]);
    const std::size_t length = std::min<std::size_t>(end - first, tags > 0 ? 3 : 4);
    for (std::size_t t = first; t < first + length; ++t) kept.values.push_back(drawn.values[t]);
    kept.starts.push_back(static_cast<std::int64_t>(kept.values.size()));
  }
  kept.gold.assign(kept.values.size(), 0);
  out->instances = kept.entered(out->index);
  if (tags > 0) out->instances.choices = two_tags(rng, out->instances.tokens());
  out->outputs = [coding](std::int32_t length) { return all_trees(coding, length); };
  out->model = std::make_unique<TransitionModel<double>>(templates_of(out->index, tags > 0), TransitionWeights<double>{coding, {}, {}});
  out->loss = [coding](Codes gold, Codes output) {
    double wrong = 0;
    for (std::size_t t = 0; t < gold.size(); ++t) {
      wrong += coding.head(gold[t]) != coding.head(output[t]) || coding.relation(gold[t]) != coding.relation(output[t]);
      wrong += coding.tag(gold[t]) != coding.tag(output[t]);
    }
    return wrong;
  };
  list_outputs(*out, rng);
  for (std::int64_t s = 0; s < out->instances.sentences(); ++s) {
    if (out->instances.length(s) == 0) continue;
    std::vector<ListedOutput>& listed = out->listing[static_cast<std::size_t>(s)];
    const Output truth = listed[rng.below(listed.size())].codes;
    out->gold.insert(out->gold.end(), truth.begin(), truth.end());
    for (ListedOutput& output : listed) output.loss = out->loss(truth, output.codes);
  }
  return out;
}

std::vector<Case> transitions(Rng& rng) {
  std::vector<Case> out;
  for (const TransitionSystem system :
       {TransitionSystem::arc_hybrid, TransitionSystem::arc_eager, TransitionSystem::arc_standard, TransitionSystem::swap}) {
    out.push_back(enumerated_transitions(rng, system, false, 0));
    out.push_back(enumerated_transitions(rng, system, true, 0));
    if (system != TransitionSystem::arc_eager) out.push_back(enumerated_transitions(rng, system, true, 2));
  }
  return out;
}

const RegisteredCases entered(transitions);

}  // namespace
}  // namespace riata::test
