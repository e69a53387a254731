// The sparse form of a chain model, as it is stored: only n-grams that carry weight, only weights that are not zero.
#pragma once

#include <cstdint>
#include <vector>

#include "features/index.hpp"
#include "models/weights.hpp"

namespace riata {

// Rows of (column, value) pairs: counts[r] of them belong to row r.
struct SparseRows {
  std::vector<std::uint32_t> counts;
  std::vector<std::uint32_t> columns;
  std::vector<float> values;
};

struct SparseFamily {
  std::vector<std::int32_t> parents;  // [n] ids in the parent family; -1 for a root
  std::vector<std::int32_t> values;   // [n] last value of each n-gram
  SparseRows node;                    // [n * node slots] columns are labels
  SparseRows edge;                    // [n * edge slots] columns are from * labels + to
};

// Features of earlier labels. All but `rows` is empty where no template reads any.
struct SparseHistory {
  std::vector<std::int32_t> slots;   // [n] which template
  std::vector<std::int32_t> ngrams;  // [n] id in the family that it reads; 0 where it reads none
  std::vector<std::int32_t> labels;  // [sum of how many labels each reads] values, nearest label first
  SparseRows rows;                   // [n]
};

struct SparseChain {
  std::vector<SparseFamily> families;
  std::vector<std::vector<std::int32_t>> kept_values;  // [A] which ids of each attribute's alphabet are still used
  std::vector<std::int32_t> kept_given;                // which given features are, or rows of the table of a hashed index
  SparseRows given;
  SparseHistory history;
  SparseRows transition;                               // one row, columns are from * labels + to
};

// Drops n-grams without weight and renumbers the rest; the model scores every sentence as before.
template <class Real>
SparseChain pack(const FeatureIndex& index, const Weights<Real>& weights);

// Fills an empty index. alphabet_sizes [A] bound the values. Throws Error ("ModelFileError") on anything inconsistent, in the rows of weights too,
// but for the features of earlier labels: this is what stands behind a hostile file.
void fill_index(const SparseChain& sparse, std::int32_t labels, const std::vector<std::int32_t>& alphabet_sizes, std::int32_t given_size,
                FeatureIndex& index);

// The weights, over an index that fill_index has filled from the same.
Weights<float> unfolded(const SparseChain& sparse, std::int32_t labels, std::int32_t given_size, const FeatureIndex& index);

// Both.
Weights<float> unpack(const SparseChain& sparse, std::int32_t labels, const std::vector<std::int32_t>& alphabet_sizes,
                      std::int32_t given_size, FeatureIndex& index);

}  // namespace riata
