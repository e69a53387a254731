// What a first labelling of a text tells about every token: the most frequent label of the same word elsewhere, of the same words as a
// chunk, and of longer chunks that contain them. A second labelling reads these as features.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "core/poll.hpp"

namespace riata {

// Sentences with the labels of a first pass. Chunks are read off the labels; where `types` is empty, labels are no chunk tags.
struct FirstLabels {
  std::span<const std::int32_t> words;        // [N]
  std::span<const std::int32_t> lower_words;  // [N] the same in lower case
  std::span<const std::int32_t> labels;       // [N]
  std::span<const std::int64_t> starts;       // [S + 1]
  std::span<const std::int32_t> types;        // [L] the type of the chunk that a token with this label is in
  std::span<const std::uint8_t> goes_on;      // [L * L] whether a label goes on with the chunk of the label before
  std::int32_t outside = -1;                  // the type of labels that are in no chunk
};

// How far votes are collected: within groups of neighbouring sentences, or from a number of sentences before.
struct ContextScope {
  std::span<const std::int32_t> groups;  // [S] the document of each sentence; empty: `window` holds
  std::int64_t window = 0;               // sentences before, and the sentence itself
  std::int64_t from = 0;                 // the first sentence that is asked about; the sentences before it only vote
};

// One number per token of the sentences that are asked about; -1: nobody voted. A token has no vote about itself, and a chunk none about
// itself. A chunk is 2 * type for its first token, 2 * type + 1 for the others.
struct ContextVotes {
  std::vector<std::int32_t> word;        // label of the same word
  std::vector<std::int32_t> lower_word;  // label of the same word in lower case
  std::vector<std::int32_t> chunk;       // chunk of the same words: from left to right, the longest that is a chunk elsewhere
  std::vector<std::int32_t> longer;      // type of longer chunks that contain the chunk that the token is in
};

inline constexpr std::int64_t longest_voting_chunk = 32;  // words; longer chunks vote about single words only

ContextVotes context_votes(const FirstLabels& first, const ContextScope& scope, const Poll& poll);

}  // namespace riata
