// A corpus as columns of ids: what the column reader makes and the rest of the core reads.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "core/alphabet.hpp"

namespace riata {

// A "-DOCSTART-" line: its text, the sentence that follows it.
struct Document {
  std::string text;
  std::int64_t sentence;
};

// A line that is none of the tokens. Places are numbered through: one for each token, before which a line may stand, and one
// for the end of each sentence.
struct Between {
  std::string text;
  std::int64_t place;
};

struct Columns {
  std::vector<Alphabet> alphabets;             // [C]
  std::vector<std::vector<std::int32_t>> ids;  // [C][N]
  std::vector<std::int64_t> starts{0};         // [S + 1] first token of each sentence, then N
  std::vector<std::int64_t> lines;             // [N] 1-based line of each token
  std::vector<Document> documents;
  std::vector<Between> others;        // lines that are no words, in their order (CoNLL-U: multiword tokens, empty nodes)
  std::vector<std::string> comments;  // [S] comment lines before each sentence, newline-joined (CoNLL-U only)

  std::int64_t tokens() const noexcept { return static_cast<std::int64_t>(lines.size()); }
};

}  // namespace riata
