// A frozen chain model for prediction: everything that depends on one word type is one row per offset, made when the type is
// first met, and the rows of an n-gram hold those of the shorter ones that it continues.
#pragma once

#include <cstdint>
#include <memory>
#include <shared_mutex>
#include <span>
#include <string_view>
#include <vector>

#include "core/alphabet.hpp"
#include "core/poll.hpp"
#include "features/attributes.hpp"
#include "features/index.hpp"
#include "inference/constraint.hpp"
#include "inference/exact/label_pairs.hpp"
#include "models/chain_rows.hpp"
#include "models/weights.hpp"

namespace riata {

// out[j] += row[j]; j < stride.
inline void add_row(const float* row, std::int32_t stride, float* out) noexcept {
  for (std::int32_t j = 0; j < stride; ++j) out[j] += row[j];
}

// How an attribute finds its values: by Riata's own function (null: in Python), in its alphabet.
struct AttributeSource {
  NativeAttribute function;
  const Alphabet* values;
};

// The rows of n-grams and of label pairs, shared by all tables of types of a model.
class FoldedWeights {
 public:
  // Everything must outlive it. Throws Error where features are hashed, or templates read labels further back than exact search does.
  FoldedWeights(const FeatureIndex& index, const Weights<float>& weights, const Constraint<float>& constraint,
                std::vector<AttributeSource> sources);

  struct Link {  // one template of a chain
    std::int32_t family;
    Numbers<float> rows;  // [n-grams of the family][stride]
  };
  struct Chain {
    std::int32_t offset;
    std::vector<Link> links;  // longest n-gram first
  };

  const FeatureIndex& index;
  const Weights<float>& weights;
  Vector<float> vector;                  // the numbers of `weights`
  std::vector<AttributeSource> sources;  // [A]
  std::vector<Chain> chains;
  std::vector<std::int32_t> families;  // whose n-grams chains and edges read, parents before children
  std::vector<float> first, last;      // [stride] constraints at the ends
  LabelPairs pairs;                    // states, where templates read two labels back
  bool shared_edges;                   // at most one edge template, and no `label[-1]`: tokens with the same n-gram have the same pairs
  Numbers<float> edges;  // [n-grams + 1][labels][stride]: pairs of labels, with the edge template's n-gram or, last, without; unless
                         // shared, the last alone
  std::int32_t pad = 0;  // how far outside a sentence any template reads

 private:
  void fold_edges(const Constraint<float>& constraint);
};

// A table of word types over folded weights. Types may be added while other threads decode.
class Folded {
 public:
  explicit Folded(std::shared_ptr<const FoldedWeights> weights);

  // A table without types over the same weights.
  Folded fresh() const { return Folded(weights_); }

  std::int32_t columns() const noexcept { return static_cast<std::int32_t>(columns_.size()); }
  std::int64_t bytes() const;  // of the rows that types take

  // The types of the texts of an alphabet: [size]. Only texts that `ids` name count; others have -1, and so has a text whose
  // attributes Python must compute: those are named in `missing`.
  std::vector<std::int32_t> resolve(std::int32_t column, const Alphabet& texts, std::span<const std::int32_t> ids,
                                    std::vector<std::int32_t>& missing);
  // The types of texts: [texts]. False where Python must add one of them first.
  bool resolve(std::int32_t column, std::span<const std::string_view> texts, std::int32_t* types);

  // The attributes of a column, in the order in which `add` takes their values.
  const std::vector<std::int32_t>& attributes(std::int32_t column) const {
    return columns_.at(static_cast<std::size_t>(column)).attributes;
  }
  // Adds a type; values[k] is the attribute's value as the index knows it, without boundaries, or -1.
  std::int32_t add(std::int32_t column, std::string_view text, std::span<const std::int32_t> values);

  // The best labels of every sentence: [N]. types[c] are those of column c, [N]; empty for a column that nothing reads.
  std::vector<std::int32_t> decode(const std::vector<std::vector<std::int32_t>>& types, std::span<const std::int64_t> starts,
                                   std::int32_t threads, const Poll& poll) const;

  const FoldedWeights& weights() const noexcept { return *weights_; }

 private:
  struct Column {
    Alphabet texts;  // text id = type - boundary_values
    std::int32_t types = 0;
    std::vector<std::int32_t> attributes;  // that read this column
    std::vector<std::int32_t> terms;       // of the plan
    std::vector<std::int32_t> roots;       // families of one element that n-grams begin with
    std::vector<std::int32_t> values;      // [type][attributes] as the index knows them
    std::vector<std::int32_t> root_ids;    // [type][roots]
    Numbers<float> rows;                   // [type][terms][stride]
  };
  struct Scratch;

  std::int32_t find(const Column& column, std::string_view text) const noexcept;
  std::int32_t compute(Column& column, std::string_view text);  // the type of a new text, or -1
  std::int32_t append(Column& column, std::span<const std::int32_t> values);
  void check(const std::vector<std::vector<std::int32_t>>& types, std::span<const std::int64_t> starts) const;
  void place_types(const std::vector<std::vector<std::int32_t>>& types, std::int64_t start, std::int32_t length, Scratch& scratch) const;
  void find_ngrams(std::int32_t length, Scratch& scratch) const;
  void score(const std::vector<std::vector<std::int32_t>>& types, std::int64_t start, std::int32_t length, Scratch& scratch) const;
  void score_edges(std::int32_t length, Scratch& scratch) const;

  std::shared_ptr<const FoldedWeights> weights_;
  std::vector<Column> columns_;
  std::vector<std::int32_t> place_;       // [A] of an attribute among those of its column
  std::vector<std::int32_t> root_place_;  // [F] of a root among those of its column
  mutable std::unique_ptr<std::shared_mutex> lock_ = std::make_unique<std::shared_mutex>();
};

}  // namespace riata
