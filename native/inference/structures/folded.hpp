// A frozen chain model for prediction. All features that read one word type are folded into one row per offset, which is made when the type
// is first met. The row of an n-gram includes the rows of the shorter n-grams that it continues.
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
#include "inference/possible_labels.hpp"
#include "inference/risk.hpp"
#include "models/chain_rows.hpp"
#include "models/weights.hpp"

namespace riata {

// out[j] += row[j]; j < stride.
inline void add_row(const float* row, std::int32_t stride, float* out) noexcept {
  for (std::int32_t j = 0; j < stride; ++j) out[j] += row[j];
}

// How the values of an attribute are found: by Riata's own function (nullptr: Python must compute them) and in its alphabet.
struct AttributeSource {
  NativeAttribute function;
  const Alphabet* values;
};

// The rows of n-grams and of label pairs, which all tables of types of a model share.
class FoldedWeights {
 public:
  // Index, weights and alphabets must outlive the object. Throws Error if features are hashed, or where check_exact throws.
  FoldedWeights(const FeatureIndex& index, const Weights<float>& weights, const Constraint<float>& constraint,
                std::vector<AttributeSource> sources, WordChoices dictionary);
  FoldedWeights(const FoldedWeights&) = delete;

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
  Vector<float> vector;                  // a view of `weights`
  std::vector<AttributeSource> sources;  // [A]
  Constraint<float> constraint;
  WordChoices dictionary;   // of the words of column 0
  LabelMasks<float> masks;  // of the dictionary
  std::vector<Chain> chains;
  std::vector<std::int32_t> families;  // families whose n-grams are looked up, parents before children
  LabelPairs pairs;                    // the states, if templates read two labels back
  // Whether there is at most one edge template and no template that reads label[-1] alone. Then tokens with the same n-gram of the edge
  // template share one matrix of label pairs.
  bool shared_edges;
  // [n-grams + 1][labels][stride] scores of label pairs: for each n-gram of the edge template, and last without any. If edges are not
  // shared, only the last matrix.
  Numbers<float> edges;
  std::int32_t pad = 0;  // how many positions outside a sentence templates read

 private:
  void fold_edges();
};

// A table of word types over folded weights. Types may be added while other threads decode.
class Folded {
 public:
  explicit Folded(std::shared_ptr<const FoldedWeights> weights);

  // A table without types over the same weights.
  Folded fresh() const { return Folded(weights_); }

  std::int32_t columns() const noexcept { return static_cast<std::int32_t>(columns_.size()); }
  std::int64_t bytes() const;  // what all types take

  // The types of the texts of an alphabet, [size]. Only texts in `ids` are resolved; the others get -1. So do texts whose attributes Python
  // must compute; their ids are appended to `missing`.
  std::vector<std::int32_t> resolve(std::int32_t column, const Alphabet& texts, std::span<const std::int32_t> ids,
                                    std::vector<std::int32_t>& missing);
  // Writes the types of texts, [texts]. Returns false if Python must add one of them first.
  bool resolve(std::int32_t column, std::span<const std::string_view> texts, std::int32_t* types);

  // The attributes of a column, in the order in which `add` takes their values.
  const std::vector<std::int32_t>& attributes(std::int32_t column) const {
    return columns_.at(static_cast<std::size_t>(column)).attributes;
  }
  // Adds a type. values[k]: id of the value in the alphabet of attribute k of the column, or -1.
  std::int32_t add(std::int32_t column, std::string_view text, std::span<const std::int32_t> values);

  // The best labels of every sentence, [N]; or, with a risk, those of least expected loss. types[c]: the types of column c, [N]; empty for
  // a column that no attribute reads.
  std::vector<std::int32_t> decode(const std::vector<std::vector<std::int32_t>>& types, std::span<const std::int64_t> starts,
                                   std::int32_t threads, const Poll& poll, const Risk* risk = nullptr) const;

  const FoldedWeights& weights() const noexcept { return *weights_; }

 private:
  struct Column {
    Alphabet texts;  // of types, or of their values where texts are too long; id = type - boundary_values
    std::int32_t types = 0;
    std::vector<std::int32_t> attributes;  // attributes that read this column
    std::vector<std::int32_t> terms;       // numbers of the terms of the plan that read this column
    std::vector<std::int32_t> roots;       // families without a parent that n-grams begin with
    std::vector<std::int32_t> values;      // [type][attributes] values as in the index, boundaries included
    std::vector<std::int32_t> root_ids;    // [type][roots] ids of the n-grams of these families
    Numbers<float> rows;                   // [type][terms][stride]
    std::vector<std::int32_t> sets;        // [type] sets of labels in the dictionary, if this is column 0 and there is a dictionary
  };
  struct Scratch;

  std::int32_t find(const Column& column, std::string_view text) const noexcept;
  std::int32_t compute(Column& column, std::string_view text);  // the type of a new text; -1 if Python must compute it
  std::int32_t append(Column& column, std::span<const std::int32_t> values);
  std::int32_t find_or_append(Column& column, std::string_view text, std::span<const std::int32_t> values);
  void check(const std::vector<std::vector<std::int32_t>>& types, std::span<const std::int64_t> starts) const;
  void place_types(const std::vector<std::vector<std::int32_t>>& types, std::int64_t start, std::int32_t length, Scratch& scratch) const;
  void find_ngrams(std::int32_t length, Scratch& scratch) const;
  void score(const std::vector<std::vector<std::int32_t>>& types, std::int64_t start, std::int32_t length, Scratch& scratch) const;
  void score_edges(std::int32_t length, Scratch& scratch) const;
  void keep_to_dictionary(const std::vector<std::int32_t>& types, std::int64_t start, Scratch& scratch) const;

  std::shared_ptr<const FoldedWeights> weights_;
  std::vector<Column> columns_;
  std::vector<std::int32_t> place_;       // [A] place of an attribute among those of its column
  std::vector<std::int32_t> root_place_;  // [F] place of a root among those of its column
  mutable std::unique_ptr<std::shared_mutex> lock_ = std::make_unique<std::shared_mutex>();
};

}  // namespace riata
