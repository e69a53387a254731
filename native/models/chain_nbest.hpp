// The n best labellings of every sentence of a corpus, with their scores.
#pragma once

#include <cstdint>
#include <vector>

#include "models/chain.hpp"

namespace riata {

struct NBestLabels {
  std::vector<std::int64_t> counts;  // [S] how many labellings a sentence has here, at most n
  std::vector<std::int32_t> labels;  // sentence by sentence, best labelling first
  std::vector<double> scores;        // [sum of counts]
};

// A sentence without tokens has one labelling, the empty one, of score 0. Stops early, with fewer counts, when poll says so.
template <class Real>
NBestLabels nbest(const FeatureIndex& index, const Weights<Real>& weights, const Constraint<Real>& constraint, const Instances& instances,
                  std::int64_t n, const Poll& poll);

}  // namespace riata
