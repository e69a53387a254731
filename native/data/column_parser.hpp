// Streaming reader of column files: takes bytes in pieces of any size, and returns sentences.
#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "data/columns.hpp"

namespace riata {

enum class Format { columns, conllu };

class ColumnParser {
 public:
  explicit ColumnParser(Format format = Format::columns) : format_(format) {}

  void feed(std::string_view bytes);

  // Ends the input. A last line without a newline and a last sentence without a blank line are complete.
  void finish();

  // Returns the complete sentences read so far, with their own alphabets, and removes them, so that a stream of any length is read in
  // bounded memory.
  Columns take();

  // The byte between columns, which the first line decides: a tab if the line contains one, otherwise runs of spaces.
  char separator() const noexcept { return separator_; }
  std::int64_t width() const noexcept { return width_; }
  // How many -DOCSTART- lines wait for a sentence. At the end of the input, no sentence follows them.
  std::int64_t waiting_documents() const noexcept {
    const auto sentences = static_cast<std::int64_t>(done_.starts.size()) - 1;
    return std::count_if(done_.documents.begin(), done_.documents.end(), [&](const Document& one) { return one.sentence >= sentences; });
  }

 private:
  void line(std::string_view text);
  void comment(std::string_view text);
  bool is_comment(std::string_view text);
  void release();                         // reads the lines that were held back
  void set_width(std::string_view text);  // from the first token
  void token(std::string_view text);
  void split(std::string_view text);
  void check_width(std::string_view text) const;
  void check_id(std::string_view id) const;
  std::string way_out(std::string_view text, const char* otherwise) const;
  void end_sentence();
  bool is_skipped_id(std::string_view id) const;
  std::int64_t place() const noexcept { return done_.tokens() + static_cast<std::int64_t>(done_.starts.size()) - 1; }

  // A line that is held back; empty: the end of a sentence.
  struct Held {
    std::string text;
    std::int64_t line;
  };

  Format format_;
  Columns done_;            // complete sentences, then the tokens of the open one
  std::string carry_;       // the beginning of a line whose end has not come yet
  std::vector<Held> held_;  // lines before the first token that start with #, which may be comments
  bool holds_ = true, commented_ = false;
  std::string comments_;                  // comment lines of the open sentence
  std::vector<std::string_view> fields_;  // columns of the present line
  std::int64_t line_number_ = 0;
  std::int64_t width_ = 0;       // number of columns, 0 before the first token
  std::int64_t width_line_ = 0;  // the line that determined the number of columns
  bool comment_ = false;         // whether that line starts with #, as comments in CoNLL-U do
  char separator_ = ' ';
};

}  // namespace riata
