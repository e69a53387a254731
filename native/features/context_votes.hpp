// What a first labelling of a text tells about every token: the most frequent label of the same word elsewhere, of the same words as a
// chunk, and of longer chunks that contain them. A second labelling reads these as features.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "core/poll.hpp"

namespace riata {

// Sentences with the labels of a first pass. Chunks are read off the labels; if `types` is empty, labels are not chunk tags.
struct FirstLabels {
  std::span<const std::int32_t> words;        // [N] ids of words
  std::span<const std::int32_t> lower_words;  // [N] ids of the words in lower case
  std::span<const std::int32_t> labels;       // [N]
  std::span<const std::int64_t> starts;       // [S + 1] first token of each sentence, then N
  std::span<const std::int32_t> types;        // [L] the type of the chunk that a token with this label is in; -1: it is in none
  std::span<const std::uint8_t> goes_on;      // [L * L] whether the second label goes on with the chunk of the first
};

// Which sentences vote about a sentence: those of the same document, or the sentence itself and a number of sentences before it.
struct ContextScope {
  std::span<const std::int32_t> groups;  // [S] the document of each sentence; empty: `window` decides
  std::int64_t window = 0;               // how many sentences before the present one vote beside it
  std::int64_t from = 0;                 // the first sentence whose tokens are asked about; earlier sentences only vote
};

// One number per token of the sentences that are asked about; -1: no vote. A token does not vote about itself, nor does a chunk. A chunk of
// a type is written as 2 * type for its first token and 2 * type + 1 for its other tokens.
struct ContextVotes {
  std::vector<std::int32_t> word;        // the most frequent label of the same word
  std::vector<std::int32_t> lower_word;  // the most frequent label of the same word in lower case
  std::vector<std::int32_t> chunk;   // chunk of the same words: from left to right, the longest string of words that is a chunk elsewhere
  std::vector<std::int32_t> longer;  // chunk of the type that longer chunks have which contain the token's own chunk
};

inline constexpr std::int64_t longest_voting_chunk = 32;  // words; a longer chunk only votes about its single words

ContextVotes context_votes(const FirstLabels& first, const ContextScope& scope, const Poll& poll);

}  // namespace riata
