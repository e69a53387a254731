// Small corpora of every structure whose outputs can be listed, with random weights for all their features.
#pragma once

#include <cmath>
#include <cstdint>
#include <functional>
#include <memory>
#include <set>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "core/rng.hpp"
#include "inference/model.hpp"
#include "tests/listed.hpp"
#include "tests/sentences.hpp"

namespace riata::test {

using Output = std::vector<std::int32_t>;

struct Enumerated {
  std::string structure;
  FeatureIndex index;
  bool exact = true;     // whether there is a dynamic program; otherwise there are only searches
  bool all_ways = true;  // whether the score of an output is that of the best of all ways to it, so that a wide beam finds the best output
  bool built = false;    // whether outputs are trees, built in any order: positions then have any number of parts of the last track
  Instances instances;
  Output gold;
  std::unique_ptr<Model<double>> model;
  std::function<std::vector<Output>(std::int32_t)> outputs;  // all outputs of this number of tokens; some of them may be forbidden
  std::function<double(Codes gold, Codes output)> loss;
  // The loss with weights of labels; none if the structure does not offer class weights.
  std::function<double(Codes gold, Codes output, std::span<const double> weights)> weighted_loss;
  // Losses of operations that a structure may offer; none if it does not: wrong tokens, with weights of labels; costs, [labels][labels] by
  // true label; 1 - F1 of chunks.
  std::function<double(Codes gold, Codes output, std::span<const double> weights)> token_loss;
  std::function<double(Codes gold, Codes output, std::span<const double> costs)> cost_loss;
  std::function<double(Codes gold, Codes output)> span_loss;
  Listing listing;  // all outputs that are allowed

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

// Adds the features of all outputs to the model, gives them random weights, and lists the outputs.
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

// The corpora of a structure, registered by a global object in a file of tests/cases: one corpus for every shape that is solved in a
// different way.
using MakeCases = std::vector<Case> (*)(Rng& rng);
inline std::vector<MakeCases>& all_cases() {
  static std::vector<MakeCases> cases;
  return cases;
}
struct RegisteredCases {
  explicit RegisteredCases(MakeCases make) { all_cases().push_back(make); }
};

inline std::vector<Case> enumerated(Rng& rng) {
  std::vector<Case> out;
  for (const MakeCases make : all_cases()) {
    for (Case& one : make(rng)) out.push_back(std::move(one));
  }
  return out;
}

}  // namespace riata::test
