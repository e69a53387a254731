// Dependency trees that are scored arc by arc, all of them listed.
#pragma once

#include <algorithm>
#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "inference/structures/arc_model.hpp"
#include "tests/all_trees.hpp"
#include "tests/enumerated.hpp"

namespace riata::test {

// All trees with all relations, as codes.
inline std::vector<Output> labelled_trees(std::int32_t length, std::int32_t relations, bool projective) {
  std::vector<Output> found;
  for (const Heads& heads : all_trees(length, projective)) {
    std::vector<Output> labelled{{}};
    for (const std::int32_t head : heads) {
      std::vector<Output> longer;
      for (const Output& before : labelled) {
        for (std::int32_t r = 0; r < relations; ++r) {
          longer.push_back(before);
          longer.back().push_back((head + 1) * relations + r);
        }
      }
      labelled = std::move(longer);
    }
    found.insert(found.end(), labelled.begin(), labelled.end());
  }
  return found;
}

// What features read: both sides, one side, what is between, neighbours, distances; of arcs and of relations.
inline std::vector<ArcGroup> arc_groups() {
  const NgramRead none, word{0, 0}, two{1, -1}, next{0, 1};
  const std::uint8_t all = plain | with_direction | with_distance;
  return {
      {none, none, -1, false, with_distance}, {word, none, -1, false, plain | with_direction},
      {none, word, -1, false, all},           {word, word, -1, false, all},
      {two, next, -1, false, plain},          {word, word, 0, false, with_direction},
      {none, none, -1, true, plain},          {none, two, -1, true, with_direction},
      {word, none, -1, true, plain},          {word, word, -1, true, plain | with_distance},
  };
}

// The same with siblings: alone with the child, and with the head too.
inline std::vector<ArcGroup> sibling_groups() {
  const NgramRead none, word{0, 0}, two{1, -1};
  std::vector<ArcGroup> out = arc_groups();
  out.push_back({none, word, -1, false, plain | with_direction | with_distance, word});
  out.push_back({none, two, -1, false, with_direction, word});
  out.push_back({word, word, -1, false, plain | with_direction, word});
  out.push_back({two, word, -1, false, with_distance, two});
  out.push_back({word, none, -1, false, with_distance, word});
  return out;
}

// Whether the first relation is that of the root and of no other head.
inline bool is_rooted(const Output& tree, std::int32_t relations) {
  return std::ranges::all_of(tree, [&](std::int32_t code) { return (code / relations == 0) == (code % relations == 0); });
}

// rooted: in all truths, the root has a relation of its own.
template <class Trees>
Case enumerated_trees(Rng& rng, std::int32_t relations, std::size_t longest, const std::vector<ArcGroup>& groups = arc_groups(),
                      bool rooted = false) {
  std::vector<std::pair<std::int32_t, std::int32_t>> reads{{0, -1}, {0, 0}, {0, 1}, {1, -2}, {1, -1}};
  auto out = std::make_unique<Enumerated>(Trees::name, FeatureIndex({{-1, 0, 0}, {0, 0, 1}}, {}, 1, false, {}, {}, 0, reads));
  const bool projective = std::string(Trees::name) == "projective";
  RandomSentences drawn(rng, 4, [](const auto&) { return 0; });
  RandomSentences kept = drawn;
  kept.values.clear();
  kept.gold.clear();
  kept.starts = {0};
  for (std::size_t s = 0; s + 1 < drawn.starts.size() && s < 14; ++s) {
    const auto first = static_cast<std::size_t>(drawn.starts[s]), end = static_cast<std::size_t>(drawn.starts[s + 1]);
    const std::size_t length = std::min(end - first, longest);
    if (length > 0) {
      std::vector<Output> trees = labelled_trees(static_cast<std::int32_t>(length), relations, projective);
      if (rooted) std::erase_if(trees, [&](const Output& tree) { return !is_rooted(tree, relations); });
      const Output& truth = trees[rng.below(trees.size())];
      kept.gold.insert(kept.gold.end(), truth.begin(), truth.end());
    }
    for (std::size_t t = first; t < first + length; ++t) kept.values.push_back(drawn.values[t]);
    kept.starts.push_back(static_cast<std::int64_t>(kept.values.size()));
  }
  out->instances = kept.entered(out->index);
  out->gold = kept.gold;
  const ArcTemplates templates(out->index, groups);
  out->model = std::make_unique<ArcModel<double, Trees>>(templates, ArcWeights<double>{Shared(ArcRows(templates, relations)), {}});
  out->outputs = [=](std::int32_t length) { return labelled_trees(length, relations, projective); };
  out->loss = [](Codes gold, Codes output) {
    double sum = 0;
    for (std::size_t t = 0; t < gold.size(); ++t) sum += gold[t] != output[t];
    return sum;
  };
  list_outputs(*out, rng);
  return out;
}

}  // namespace riata::test
