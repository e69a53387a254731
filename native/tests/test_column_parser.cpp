// The column reader returns the same sentences however its bytes are cut, and refuses files that are not column files.
#include <string>

#include "core/error.hpp"
#include "data/column_parser.hpp"
#include "tests/check.hpp"

using riata::ColumnParser;
using riata::Columns;

namespace {

std::string texts(const Columns& columns) {
  std::string out;
  for (std::size_t s = 0; s + 1 < columns.starts.size(); ++s) {
    for (auto t = columns.starts[s]; t < columns.starts[s + 1]; ++t) {
      for (std::size_t c = 0; c < columns.ids.size(); ++c) out += std::string(columns.alphabets[c].text(columns.ids[c][t])) + "|";
      out += "\n";
    }
    out += "\n";
  }
  return out;
}

bool refuses(const std::string& text) {
  try {
    ColumnParser parser;
    parser.feed(text);
    parser.finish();
  } catch (const riata::Error& error) {
    return error.line() > 0;
  }
  return false;
}

}  // namespace

int main() {
  const std::string file =
      "\xEF\xBB\xBF"
      "-DOCSTART- x\r\n\r\nThe DT\r\ncat NN\r\n\r\n\r\nsat VBD";
  ColumnParser whole;
  whole.feed(file);
  whole.finish();
  const std::string expected = texts(whole.take());
  CHECK(expected == "The|DT|\ncat|NN|\n\nsat|VBD|\n\n");
  for (std::size_t size = 1; size <= file.size(); ++size) {
    ColumnParser parser;
    std::string streamed;
    for (std::size_t at = 0; at < file.size(); at += size) {
      parser.feed(std::string_view(file).substr(at, size));
      streamed += texts(parser.take());
    }
    parser.finish();
    CHECK(streamed + texts(parser.take()) == expected);
  }
  CHECK(refuses("a b\nc\n"));
  CHECK(refuses("caf\xE9 NN\n"));
  CHECK(refuses(std::string("a\0b c\n", 6)));
  CHECK(refuses("\xED\xA0\x80 x\n"));  // a surrogate
  CHECK(refuses(std::string((std::size_t{16} << 20) + 1, 'a')));
  return 0;
}
