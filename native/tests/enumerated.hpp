// Small corpora of every structure whose outputs can be listed, with random weights of all their features.
#pragma once

#include <cmath>
#include <cstdint>
#include <functional>
#include <memory>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "core/rng.hpp"
#include "inference/structures/chain_model.hpp"
#include "inference/structures/segment_model.hpp"
#include "tests/listed.hpp"
#include "tests/sentences.hpp"

namespace riata::test {

using Output = std::vector<std::int32_t>;

struct Enumerated {
  std::string structure;
  FeatureIndex index;
  bool exact = true;  // whether there is a dynamic program; else there are only searches
  Instances instances;
  Output gold;
  std::unique_ptr<Model<double>> model;
  std::function<std::vector<Output>(std::int32_t)> outputs;  // of so many tokens; some of them may be forbidden
  std::function<double(Codes gold, Codes output)> loss;
  Listing listing;  // of all outputs that are allowed

  explicit Enumerated(std::string name, FeatureIndex the_index) : structure(std::move(name)), index(std::move(the_index)) {}
  Corpus corpus() const { return {index, instances, gold}; }
  std::vector<std::int64_t> order() const {
    std::vector<std::int64_t> all;
    for (std::int64_t s = 0; s < instances.sentences(); ++s) all.push_back(s);
    return all;
  }
  template <class Visit>  // visit(sentence, output)
  void each(Visit visit) const {
    for (const std::int64_t s : order()) {
      if (instances.length(s) == 0) continue;
      for (const Output& output : outputs(static_cast<std::int32_t>(instances.length(s)))) visit(s, output);
    }
  }
};
using Case = std::unique_ptr<Enumerated>;

// A number from -1 to 1.
inline double random_number(Rng& rng) { return double(rng.below(200'001)) / 100'000 - 1; }

// Enters the features of all outputs, gives them random weights, and lists the outputs.
inline void list_outputs(Enumerated& in, Rng& rng) {
  const Corpus corpus = in.corpus();
  std::set<std::int64_t> places;
  {
    Vector<double> weights(std::exchange(in.model->flat(), {}), 2, Vector<double>::Keeps::average);
    in.model->grow(corpus, weights);
    const auto structure = in.model->over(corpus, weights, true);
    in.each([&](std::int64_t s, const Output& output) {
      Difference found;
      structure->open(s);
      structure->features(output, found);
      for (const auto& [place, value] : found) places.insert(place);
    });
    in.model->flat() = weights.take_last();
  }
  for (const std::int64_t place : places) in.model->flat()[static_cast<std::size_t>(place)] = random_number(rng);
  Vector<double> weights = Vector<double>::of(in.model->flat());
  const auto structure = std::as_const(*in.model).over(corpus, weights);
  in.listing.assign(static_cast<std::size_t>(corpus.sentences()), {});
  in.each([&](std::int64_t s, const Output& output) {
    structure->open(s);
    if (std::isinf(structure->score(output))) return;
    ListedOutput one{output, {}, in.loss(corpus.gold_of(s), output)};
    structure->features(output, one.features);
    sum_up(one.features);
    in.listing[static_cast<std::size_t>(s)].push_back(std::move(one));
  });
}

inline std::vector<Output> labellings(std::int32_t labels, std::int32_t length) {
  if (length == 0) return {{}};
  std::vector<Output> found;
  for (const Output& before : labellings(labels, length - 1)) {
    for (std::int32_t label = 0; label < labels; ++label) {
      found.push_back(before);
      found.back().push_back(label);
    }
  }
  return found;
}

// Labels of tokens, of which one does not follow another. history: templates that read earlier labels.
inline Case enumerated_chain(Rng& rng, std::vector<HistorySlot> history, bool exact) {
  constexpr std::int32_t labels = 3;
  auto out = std::make_unique<Enumerated>(
      "chain", FeatureIndex({{-1, 0, 0}, {0, 0, 1}}, {{0, 0, false}, {1, -1, false}, {0, 0, true}}, 1, true, std::move(history)));
  out->exact = exact;
  out->instances = RandomSentences(rng, 5, [](const auto&) { return 0; }).entered(out->index);
  for (std::int64_t s = 0; s < out->instances.sentences(); ++s) {
    for (std::int64_t t = 0; t < out->instances.length(s); ++t) {
      const bool after_zero = t > 0 && out->gold.back() == 0;
      out->gold.push_back(static_cast<std::int32_t>(after_zero ? 2 * rng.below(2) : rng.below(labels)));
    }
  }
  std::vector<std::uint8_t> follow(labels * labels, 1);
  follow[1] = 0;  // label 1 does not follow label 0
  const std::vector<std::uint8_t> all(labels, 1);
  out->model = std::make_unique<ChainModel<double>>(Weights<double>(labels), Constraint<double>(labels, padded(labels), all, all, follow));
  out->outputs = [](std::int32_t length) { return labellings(labels, length); };
  out->loss = [](Codes gold, Codes output) {
    double wrong = 0;
    for (std::size_t t = 0; t < gold.size(); ++t) wrong += gold[t] != output[t];
    return wrong;
  };
  list_outputs(*out, rng);
  return out;
}

// All ways to tile so many tokens with segments of at most so many.
inline std::vector<Output> segmentations(const SegmentKinds& kinds, std::int32_t length) {
  if (length == 0) return {{}};
  std::vector<Output> found;
  for (std::int32_t l = 1; l <= std::min(kinds.most, length); ++l) {
    for (const Output& tail : segmentations(kinds, length - l)) {
      for (std::int32_t label = 0; label < kinds.labels; ++label) {
        if (!kinds.allows(l, label)) continue;
        Output codes(static_cast<std::size_t>(l), -1);
        codes[0] = kinds.code(l, label);
        codes.insert(codes.end(), tail.begin(), tail.end());
        found.push_back(std::move(codes));
      }
    }
  }
  return found;
}

// Segments that are wrong, and true ones that are missed.
inline double wrong_and_missed(Codes gold, Codes output) {
  double loss = 0;
  for (std::size_t t = 0; t < gold.size(); ++t) loss += gold[t] == output[t] ? 0 : (gold[t] >= 0) + (output[t] >= 0);
  return loss;
}

// most: tokens of a segment, while those of the truth may have up to 3. further: reads more than exact search can tell apart.
inline Case enumerated_segments(Rng& rng, std::int32_t most, bool further) {
  const SegmentKinds kinds{3, 0, most}, of_truth{3, 0, 3};
  auto out = std::make_unique<Enumerated>(
      "segments", FeatureIndex({{-1, 0, 0}, {0, 0, 1}}, {}, 1, false, {}, {}, 0, {{0, 0}, {0, -1}, {0, 1}, {1, 0}}));
  out->exact = !further;
  std::vector<BackSlot> back{{{1}, false, -1, 0, false}, {{1}, false, 0, 0, false}};
  if (further) back.push_back({{1, 2}, true, -1, 0, false});
  const SegmentTemplates templates(out->index, {{Role::inside, 0, 0}, {Role::inside, 1, 0}, {Role::first, 0, -1}, {Role::last, 0, 1}}, true,
                                   {{0, 0}, {0, 1}}, std::move(back));
  out->instances = RandomSentences(rng, 4, [](const auto&) { return 0; }).entered(out->index);
  for (std::int64_t s = 0; s < out->instances.sentences(); ++s) {
    const std::vector<Output> every = segmentations(of_truth, static_cast<std::int32_t>(out->instances.length(s)));
    Output one = every[rng.below(every.size())];
    for (std::int32_t& code : one) code = code < 0 ? code : kinds.code(of_truth.length(code), of_truth.label(code));
    out->gold.insert(out->gold.end(), one.begin(), one.end());
  }
  out->model = std::make_unique<SegmentModel<double>>(templates, SegmentWeights<double>{kinds, GrownRows(templates.slots()), {}});
  out->outputs = [kinds](std::int32_t length) { return segmentations(kinds, length); };
  out->loss = wrong_and_missed;
  list_outputs(*out, rng);
  return out;
}

// Every structure that can be listed, in every shape that is solved in a way of its own.
inline std::vector<Case> enumerated(Rng& rng) {
  const std::vector<HistorySlot> two_back{{-1, 0, {1, 2}}, {0, 0, {2}}}, three_back{{-1, 0, {1, 3}}, {0, 0, {2}}};
  std::vector<Case> out;
  out.push_back(enumerated_chain(rng, {}, true));
  out.push_back(enumerated_chain(rng, two_back, true));
  out.push_back(enumerated_chain(rng, three_back, false));
  out.push_back(enumerated_segments(rng, 3, false));
  out.push_back(enumerated_segments(rng, 2, false));
  out.push_back(enumerated_segments(rng, 3, true));
  return out;
}

}  // namespace riata::test
