// A corpus that is ready for learning and decoding: all features are integers, looked up once.
#pragma once

#include <algorithm>
#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

#include "features/allowed.hpp"
#include "features/index.hpp"
#include "features/tag_choices.hpp"
#include "features/token_vectors.hpp"

namespace riata {

class OutputSet;  // inference/parts/output_set.hpp

inline constexpr std::int32_t unknown_label = -1;

struct Instances {
  std::vector<std::int64_t> starts;               // [S + 1] first token of each sentence, then N
  std::vector<std::vector<std::int32_t>> ngrams;  // [F][padded positions] as FeatureIndex::look_up returns them
  std::vector<std::int32_t> sizes;                // [F] how many n-grams the index contained at the look-up
  std::int32_t pad = 0;
  // [N + 1] where the named features of each token begin; empty: there are none.
  std::vector<std::int64_t> named_starts;
  std::vector<std::int32_t> named_ids;
  std::vector<float> named_values;
  std::int32_t named_size = 0;       // ids are smaller than this
  bool hashed = false;               // whether ids are hashes
  std::vector<std::int32_t> labels;  // [N] gold labels, unknown_label where a label is missing; or empty
  TagChoices choices;                // tags or labels that each token may have by a dictionary of words
  Allowed allowed;                   // labels that decoding may give, where they are restricted
  TokenVectors vectors;              // more named features, which every token has; empty: there are none
  // Where outputs are sets of parts, whose places are the tokens: [S] which sets they are; [N] what an error at a place costs, or empty.
  std::vector<std::shared_ptr<const OutputSet>> sets;
  std::vector<float> costs;

  // Whether some feature has a value other than 1.
  bool valued() const noexcept { return !named_starts.empty() || !vectors.empty(); }

  // Whether some label of sentence s is unknown.
  bool partly_labelled(std::int64_t s) const noexcept {
    return std::find(labels.begin() + starts[s], labels.begin() + starts[s + 1], unknown_label) != labels.begin() + starts[s + 1];
  }

  std::int64_t sentences() const noexcept { return static_cast<std::int64_t>(starts.size()) - 1; }
  std::int64_t tokens() const noexcept { return starts.back(); }
  std::int64_t length(std::int64_t s) const noexcept { return starts[s + 1] - starts[s]; }
  // The padded position of the first token of sentence s.
  std::int64_t origin(std::int64_t s) const noexcept { return starts[s] + 2 * std::int64_t{pad} * s + pad; }
};

inline Instances as_instances(const FeatureIndex& index, const Tokens& tokens, std::vector<std::vector<std::int32_t>> ngrams) {
  Instances out;
  out.starts.assign(tokens.starts.begin(), tokens.starts.end());
  out.ngrams = std::move(ngrams);
  for (std::int32_t f = 0; f < index.families(); ++f) out.sizes.push_back(index.size(f));
  out.pad = index.pad();
  out.hashed = index.hashed();
  return out;
}

// The tokens with all n-grams looked up, without labels and named features.
inline Instances look_up(const FeatureIndex& index, const Tokens& tokens, std::int64_t threads = 1) {
  return as_instances(index, tokens, index.look_up(tokens, threads));
}

// Adds the n-grams of the tokens to the index, and returns the tokens with all n-grams looked up.
inline Instances extend(FeatureIndex& index, const Tokens& tokens, std::int64_t cutoff, std::int64_t threads = 1) {
  auto ngrams = index.extend(tokens, cutoff, threads);
  return as_instances(index, tokens, std::move(ngrams));
}

inline constexpr NgramId unseen{-2};

// The n-gram that a history slot reads at token t of sentence s: none if the slot reads no n-gram, `unseen` if training has not seen it.
inline NgramId history_ngram(const HistorySlot& slot, const Instances& instances, std::int64_t s, std::int64_t t) noexcept {
  if (slot.family < 0) return NgramId();
  const NgramId id(instances.ngrams[slot.family][instances.origin(s) + t + slot.offset]);
  return id ? id : unseen;
}

}  // namespace riata
