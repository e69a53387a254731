// Outputs of least expected loss: what counts as an error, and what an output is expected to have right.
#pragma once

#include "inference/search/corpus_space.hpp"

namespace riata {

// The expectation is over all outputs of a sentence, each of which has the probability exp(sharpness * score) / Z.
struct Risk {
  // Whether chunks are counted; otherwise labels are. With labels, the output has the largest sum of their probabilities: the least
  // expected number of wrong labels. With chunks, it has the largest sum of 2 * probability - cost over its chunks; with cost 1, this is
  // the least expected number of wrong and missed chunks.
  bool chunks = false;
  double cost = 1;
  double sharpness = 1;
  ChunkFlags flags = {};  // which chunks labels stand for; not read if a structure knows its chunks
};

// What an output is expected to have right. With chunks, labels of other columns are not counted.
struct ExpectedRight {
  double right = 0;  // the expected number of its labels, or chunks, that are right
  double found = 0;  // how many it has
  double all = 0;    // the expected number that the truth has
};

}  // namespace riata
