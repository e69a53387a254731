// The sparse form of a chain model, as it is stored: only n-grams that carry weight, only weights that are not zero.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "core/narrow.hpp"
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
  std::vector<std::int32_t> order;    // [n] the ids in the order of (parent, value)
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
  std::vector<std::int32_t> kept_named;                // which named features are, or rows of the table of a hashed index
  SparseRows named;
  SparseHistory history;
  SparseRows transition;  // one row, columns are from * labels + to
};

// Drops n-grams without weight and renumbers the rest; the model scores every sentence as before.
template <class Real>
SparseChain pack(const FeatureIndex& index, const Weights<Real>& weights);

// Views of the sparse form where it is stored, for example in a file: nothing is copied, and the storage must outlive the view.
struct RowsView {
  Narrow counts, columns;
  std::span<const float> values;
};

struct FamilyView {
  Narrow parents;  // of a root: empty, or -1 throughout
  Narrow values;
  Narrow order;  // [n] the ids in the order of (parent, value); empty where it is not known
  RowsView node, edge;
};

struct HistoryView {
  Narrow slots, ngrams, labels;
  RowsView rows;
};

struct ChainView {
  std::vector<FamilyView> families;
  Narrow kept_named;
  RowsView named, transition;
  HistoryView history;
};

ChainView view(const SparseChain& sparse);

// A chain as it is stored, checked whole when it is made, but for the features of earlier labels, which are checked when they are entered,
// and, where families have no order, for n-grams that stand there twice: this is what stands behind a hostile file. Throws Error
// ("ModelFileError") on anything inconsistent.
class StoredChain {
 public:
  // index: the families, without n-grams. alphabet_sizes [A] bound the values.
  StoredChain(ChainView view, std::int32_t labels, const std::vector<std::int32_t>& alphabet_sizes, std::int32_t named_size,
              const FeatureIndex& index);

  // Whether every family has an order, so that n-grams are found without an index, and entering them cannot fail.
  bool ordered() const noexcept { return ordered_; }

  // Enters the n-grams into an empty index.
  void enter(FeatureIndex& index) const;

  // The weights, over an index that `enter` has filled.
  Weights<float> weights(const FeatureIndex& index) const;

  // The weights of the n-grams that an index of the same families happens to hold, such as those of a sentence; zero where the model does
  // not know them. For chains that are ordered, and have neither named features nor those of earlier labels.
  Weights<float> weights_of(const FeatureIndex& some) const;

 private:
  std::int32_t find(std::int32_t family, std::int64_t parent, std::int64_t value) const;

  ChainView view_;
  std::int32_t labels_, named_size_;
  bool ordered_ = true;
  struct Blocks {
    std::vector<std::uint64_t> node, edge;  // where every so many rows of a family start
  };
  std::vector<Blocks> blocks_;  // [F]
};

// Fills an empty index and gives the weights.
Weights<float> unpack(const ChainView& view, std::int32_t labels, const std::vector<std::int32_t>& alphabet_sizes, std::int32_t named_size,
                      FeatureIndex& index);

}  // namespace riata
