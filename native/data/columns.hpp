// A corpus as columns of ids, as the column reader returns it.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "core/alphabet.hpp"

namespace riata {

// A "-DOCSTART-" line: its text, and the number of the sentence that follows it.
struct Document {
  std::string text;
  std::int64_t sentence;
};

// A line that is not a token. Places are counted through the corpus: one before each token, and one at the end of each sentence.
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
  std::vector<Between> others;        // lines that are not words, in order (CoNLL-U: multiword tokens, empty nodes)
  std::vector<std::string> comments;  // [S] comment lines before each sentence, joined by newlines; or empty, if there are none

  std::int64_t tokens() const noexcept { return static_cast<std::int64_t>(lines.size()); }
};

}  // namespace riata
