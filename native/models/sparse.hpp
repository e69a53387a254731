// The sparse form of a chain model, as it is stored: only n-grams that have weights, and only weights that are not zero.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "core/narrow.hpp"
#include "features/index.hpp"
#include "models/weights.hpp"

namespace riata {

// Rows of (column, value) entries; row r has counts[r] of them.
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

// Features of earlier labels. The vectors are empty if no template reads earlier labels.
struct SparseHistory {
  std::vector<std::int32_t> slots;   // [n] which template
  std::vector<std::int32_t> ngrams;  // [n] id in the family that the template reads; 0 if it reads none
  std::vector<std::int32_t> labels;  // values of the labels that each reads, one feature after the other; nearest label first
  SparseRows rows;                   // [n]
};

struct SparseChain {
  std::vector<SparseFamily> families;
  std::vector<std::vector<std::int32_t>> kept_values;  // [A] ids in each attribute's alphabet that are still used
  std::vector<std::int32_t> kept_named;                // named features that are still used; of a hashed index, rows of its table
  SparseRows named;
  SparseHistory history;
  SparseRows transition;  // one row, columns are from * labels + to
};

// Drops n-grams without weights and renumbers the others. The packed model gives every sentence the same score.
template <class Real>
SparseChain pack(const FeatureIndex& index, const Weights<Real>& weights);

// Views of the sparse form where it is stored, for example in a file. Nothing is copied; the storage must outlive the view.
struct RowsView {
  Narrow counts, columns;
  std::span<const float> values;
};

struct FamilyView {
  Narrow parents;  // for a root: empty, or -1 throughout
  Narrow values;
  Narrow order;  // [n] the ids in the order of (parent, value); empty if the order is not stored
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

// A stored chain, which may come from a hostile file. The constructor checks everything and throws Error("ModelFileError") at the first
// inconsistency, with two exceptions: features of earlier labels are checked when weights() enters them, and n-grams that occur twice in a
// family without an order are found by enter().
class StoredChain {
 public:
  // index: the families, without n-grams. alphabet_sizes: [A] how many values each attribute has.
  StoredChain(ChainView view, std::int32_t labels, const std::vector<std::int32_t>& alphabet_sizes, std::int32_t named_size,
              const FeatureIndex& index);

  // Whether every family has an order. Then n-grams are found without an index, and enter() cannot fail.
  bool ordered() const noexcept { return ordered_; }

  // Adds the n-grams to an empty index.
  void enter(FeatureIndex& index) const;

  // The weights, for an index that `enter` has filled.
  Weights<float> weights(const FeatureIndex& index) const;

  // The weights of the n-grams in `some`, an index of the same families that may hold the n-grams of one sentence only; 0 for n-grams that
  // the model does not contain. Only for ordered chains without named features and without features of earlier labels.
  Weights<float> weights_of(const FeatureIndex& some) const;

 private:
  std::int32_t find(std::int32_t family, std::int64_t parent, std::int64_t value) const;

  ChainView view_;
  std::int32_t labels_, named_size_;
  bool ordered_ = true;
  struct Blocks {
    std::vector<std::uint64_t> node, edge;  // where every block of rows of a family starts
  };
  std::vector<Blocks> blocks_;  // [F]
};

// Adds the n-grams to an empty index and returns the weights.
Weights<float> unpack(const ChainView& view, std::int32_t labels, const std::vector<std::int32_t>& alphabet_sizes, std::int32_t named_size,
                      FeatureIndex& index);

}  // namespace riata
