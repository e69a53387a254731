// The probabilities of the combinations of labels of every token, and of found labels and chunks.
#pragma once

#include <cstdint>
#include <vector>

#include "core/poll.hpp"
#include "inference/corpus.hpp"
#include "inference/search/corpus_space.hpp"
#include "inference/structures/factorial_model.hpp"

namespace riata {

struct FactorialProbabilities {
  std::vector<double> log_z;        // [S]
  std::vector<double> labels;       // [N][combinations]
  std::vector<double> confidences;  // [columns][N] of found labels; of a chunk label, that of its chunk
};

// Over all outputs that the constraints of the model allow, exactly. Scores are divided by the temperature. corpus.gold: found outputs
// whose confidences are wanted, or empty. chunks: of the last column, whose labels stand for chunks.
template <class Real>
FactorialProbabilities factorial_probabilities(const FactorialModel<Real>& model, const Corpus& corpus, const ChunkFlags& chunks,
                                               double temperature, const Poll& poll);

}  // namespace riata
