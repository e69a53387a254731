#include "data/column_parser.hpp"

#include <algorithm>
#include <cstdio>
#include <cstring>
#include <utility>

#include "core/error.hpp"
#include "core/utf8.hpp"

namespace riata {
namespace {

constexpr std::size_t longest_line = std::size_t{16} << 20;
constexpr std::int64_t conllu_width = 10;
constexpr std::string_view document_start = "-DOCSTART-";

bool is_blank(std::string_view text) noexcept { return text.find_first_not_of(" \t") == std::string_view::npos; }

// Whether the first column is -DOCSTART-, whatever the separator: in some tab-separated files these lines contain spaces.
bool starts_document(std::string_view text) noexcept {
  text.remove_prefix(std::min(text.find_first_not_of(' '), text.size()));
  if (!text.starts_with(document_start)) return false;
  text.remove_prefix(document_start.size());
  return text.empty() || text.front() == ' ' || text.front() == '\t';
}

bool is_number(std::string_view text) noexcept { return !text.empty() && text.find_first_not_of("0123456789") == std::string_view::npos; }

// The line as an error message shows it, shortened so that the message fits on a screen.
std::string shown(std::string_view text) {
  constexpr std::size_t most = 60;
  if (text.size() <= most) return "'" + std::string(text) + "'";
  std::size_t cut = most;
  while (cut > 0 && (static_cast<unsigned char>(text[cut]) & 0xC0) == 0x80) --cut;  // not within a character
  return "'" + std::string(text.substr(0, cut)) + "...'";
}

Error too_long(std::int64_t line) {
  return Error("DataError", "a line is longer than 16 MiB.", "Is this a text file with one token per line?", line);
}

// Whether all bytes are ASCII and none is NUL; checks eight bytes at a time.
bool is_plain(std::string_view text) noexcept {
  constexpr std::uint64_t high = 0x8080808080808080ULL, ones = 0x0101010101010101ULL;
  std::uint64_t bad = 0;
  const char* at = text.data();
  std::size_t left = text.size();
  for (; left >= 8; left -= 8, at += 8) {
    std::uint64_t word;
    std::memcpy(&word, at, 8);
    bad |= (word | (word - ones)) & high;  // a byte that is 0, or whose highest bit is set
  }
  for (; left > 0; --left, ++at) bad |= static_cast<unsigned char>(*at - 1) >= 0x7F;
  return bad == 0;
}

void check_encoding(std::string_view text, std::int64_t line) {
  if (is_plain(text)) return;
  if (line == 1 && text.size() >= 2 && (text.substr(0, 2) == "\xFF\xFE" || text.substr(0, 2) == "\xFE\xFF"))
    throw Error("DataError", "the file starts with a UTF-16 byte order mark; expected UTF-8.", "Convert it: iconv -f UTF-16 -t UTF-8 FILE.",
                line);
  if (text.find('\0') != std::string_view::npos)
    throw Error("DataError", "found a NUL byte; expected UTF-8 text.",
                "Is this a text file? If it is UTF-16: iconv -f UTF-16 -t UTF-8 FILE.", line);
  const std::size_t bad = find_invalid_utf8(text);
  if (bad == std::string_view::npos) return;
  char hex[8];
  std::snprintf(hex, sizeof hex, "0x%02X", static_cast<unsigned>(static_cast<unsigned char>(text[bad])));
  throw Error("DataError", "byte " + std::to_string(bad + 1) + " of the line is " + hex + ", which is not valid UTF-8.",
              "If the file is Latin-1: iconv -f ISO-8859-1 -t UTF-8 FILE.", line);
}

// Lines that end with CR alone are one long line, and a second CR at the end would be a part of the label.
void check_line_ends(std::string_view text, std::int64_t line) {
  if (text.find('\r') == std::string_view::npos) return;
  throw Error("DataError", "found a carriage return (CR) inside the line; expected lines that end with LF or CR LF.",
              "Convert the line ends: tr '\\r' '\\n' < FILE; if each line has two of them, tr -d '\\r' < FILE.", line);
}

}  // namespace

void ColumnParser::feed(std::string_view bytes) {
  while (!bytes.empty()) {
    const std::size_t end = bytes.find('\n');
    if (end == std::string_view::npos) {
      if (carry_.size() + bytes.size() > longest_line) throw too_long(line_number_ + 1);
      carry_.append(bytes);
      return;
    }
    const std::string_view head = bytes.substr(0, end);
    bytes.remove_prefix(end + 1);
    if (carry_.empty()) {
      line(head);
    } else {
      if (carry_.size() + head.size() > longest_line) throw too_long(line_number_ + 1);
      carry_.append(head);
      const std::string whole = std::move(carry_);
      carry_.clear();
      line(whole);
    }
  }
}

void ColumnParser::finish() {
  if (!carry_.empty()) {
    const std::string whole = std::move(carry_);
    carry_.clear();
    line(whole);
  }
  holds_ = false;  // nothing follows that could tell what these lines are
  release();
  end_sentence();
}

void ColumnParser::line(std::string_view text) {
  ++line_number_;
  if (text.size() > longest_line) throw too_long(line_number_);
  if (line_number_ == 1 && text.starts_with("\xEF\xBB\xBF")) text.remove_prefix(3);
  if (text.ends_with('\r')) text.remove_suffix(1);
  check_encoding(text, line_number_);
  if (is_blank(text)) {
    if (held_.empty())
      end_sentence();
    else
      held_.push_back({std::string(), line_number_});
  } else if (format_ == Format::conllu && text.front() == '#') {
    comment(text);
  } else {
    token(text);
  }
}

void ColumnParser::comment(std::string_view text) {
  commented_ = true;
  if (!comments_.empty()) comments_ += '\n';
  comments_ += text;
}

// Whether the line starts with #, before the first token of a sentence, and is no token, since it has another number of columns. While
// no token has been read, lines that start with # are held back.
bool ColumnParser::is_comment(std::string_view text) {
  if (format_ != Format::columns || !text.starts_with('#') || done_.tokens() > done_.starts.back()) return false;
  if (width_ != 0) {
    split(text);
    return static_cast<std::int64_t>(fields_.size()) != width_;
  }
  if (holds_) held_.push_back({std::string(text), line_number_});
  return holds_;
}

void ColumnParser::release() {
  const std::int64_t here = line_number_;
  for (const Held& one : std::exchange(held_, {})) {
    line_number_ = one.line;
    if (one.text.empty())
      end_sentence();
    else
      token(one.text);
  }
  line_number_ = here;
}

void ColumnParser::set_width(std::string_view text) {
  check_line_ends(text, line_number_);
  separator_ = format_ == Format::conllu || text.find('\t') != std::string_view::npos ? '\t' : ' ';
  split(text);
  check_width(text);
  width_ = static_cast<std::int64_t>(fields_.size());
  width_line_ = line_number_;
  comment_ = text.starts_with('#');
  release();
}

void ColumnParser::token(std::string_view text) {
  if (format_ == Format::columns && starts_document(text)) {
    end_sentence();
    done_.documents.push_back({std::string(text), static_cast<std::int64_t>(done_.starts.size()) - 1});
    return;
  }
  if (is_comment(text)) {
    if (width_ == conllu_width && separator_ == '\t')
      throw Error("DataError", "a line starts with #, as comments of CoNLL-U do, and words have 10 columns: " + shown(text) + ".",
                  way_out(text, "If it is none, leave out the comments."), line_number_);
    if (width_ != 0) comment(text);
    return;
  }
  if (width_ == 0) set_width(text);
  split(text);
  check_width(text);
  if (format_ == Format::conllu && is_skipped_id(fields_.front())) {
    done_.others.push_back({std::string(text), place()});
    return;
  }
  if (format_ == Format::conllu) check_id(fields_.front());
  if (done_.ids.size() != fields_.size()) {
    done_.alphabets.resize(fields_.size());
    done_.ids.resize(fields_.size());
  }
  for (std::size_t c = 0; c < fields_.size(); ++c) done_.ids[c].push_back(done_.alphabets[c].add(fields_[c]));
  done_.lines.push_back(line_number_);
}

// Heads are numbers of tokens, so these must be counted as they should be.
void ColumnParser::check_id(std::string_view id) const {
  const std::string expected = std::to_string(done_.tokens() - done_.starts.back() + 1);
  if (id != expected)
    throw Error("DataError", "a token has the id " + shown(id) + "; expected " + expected + ".",
                "Number the tokens of every sentence 1, 2, 3 and so on, and leave a blank line between sentences.", line_number_);
}

void ColumnParser::split(std::string_view text) {
  fields_.clear();
  if (separator_ == '\t') {
    for (std::size_t end; (end = text.find('\t')) != std::string_view::npos; text.remove_prefix(end + 1))
      fields_.push_back(text.substr(0, end));
    fields_.push_back(text);
    return;
  }
  for (std::size_t at = text.find_first_not_of(' '); at != std::string_view::npos;) {
    const std::size_t end = std::min(text.find(' ', at), text.size());
    fields_.push_back(text.substr(at, end - at));
    at = text.find_first_not_of(' ', end);
  }
}

std::string ColumnParser::way_out(std::string_view text, const char* otherwise) const {
  const bool likely = comment_ || text.starts_with('#');
  return (likely
              ? "If this is CoNLL-U, add --format conllu; in Python, use read_conllu. Comments stand before the first token of a sentence. "
              : "") +
         std::string(otherwise);
}

void ColumnParser::check_width(std::string_view text) const {
  const auto found = static_cast<std::int64_t>(fields_.size());
  if (format_ == Format::conllu && found != conllu_width)
    throw Error("DataError", "expected the 10 tab-separated columns of CoNLL-U, found " + std::to_string(found) + ": " + shown(text) + ".",
                "If this is a plain column file, pass format=\"columns\" (--format columns), and columns by number.", line_number_);
  if (width_ != 0 && found != width_)
    throw Error("DataError",
                "expected " + std::to_string(width_) + " columns separated by " + (separator_ == '\t' ? "tabs" : "spaces") +
                    ", as in line " + std::to_string(width_line_) + ", found " + std::to_string(found) + ": " + shown(text) + ".",
                way_out(text, "Mend the line, or give every line the same number of columns."), line_number_);
  if (separator_ == ' ' && text.find('\t') != std::string_view::npos)
    throw Error("DataError",
                "found a tab: " + shown(text) + "; expected columns separated by spaces, as in line " + std::to_string(width_line_) + ".",
                way_out(text, "Separate the columns of every line alike."), line_number_);
  if (std::any_of(fields_.begin(), fields_.end(), [](std::string_view field) { return field.empty(); }))
    throw Error("DataError", "an empty column: " + shown(text) + ".", "Columns are separated by one tab; write _ for an empty value.",
                line_number_);
}

// Multiword tokens (3-4) and empty nodes (8.1) are not words of the sentence.
bool ColumnParser::is_skipped_id(std::string_view id) const {
  if (is_number(id)) return false;
  const std::size_t mark = std::min(id.find_first_of("-."), id.size() - 1);
  if (is_number(id.substr(0, mark)) && is_number(id.substr(mark + 1))) return true;
  throw Error("DataError", "the ID column holds " + shown(id) + "; expected a number such as 7, 3-4 or 8.1.", "Is this a CoNLL-U file?",
              line_number_);
}

void ColumnParser::end_sentence() {
  if (done_.tokens() > done_.starts.back()) {
    done_.starts.push_back(done_.tokens());
    if (format_ == Format::conllu || commented_) {
      done_.comments.resize(done_.starts.size() - 2);  // sentences before the first comment have none
      done_.comments.push_back(std::move(comments_));
    }
    comments_.clear();
  } else {  // comments without a sentence belong to the next one
    std::erase_if(done_.others, [&](const Between& line) { return line.place == place(); });  // lines that belong to no sentence
  }
}

Columns ColumnParser::take() {
  const auto complete = static_cast<std::size_t>(done_.starts.back());
  Columns rest;
  rest.alphabets.resize(done_.alphabets.size());
  rest.ids.resize(done_.ids.size());
  for (std::size_t c = 0; c < done_.ids.size(); ++c) {
    for (std::size_t i = complete; i < done_.ids[c].size(); ++i)
      rest.ids[c].push_back(rest.alphabets[c].add(done_.alphabets[c].text(done_.ids[c][i])));
    done_.ids[c].resize(complete);
  }
  rest.lines.assign(done_.lines.begin() + static_cast<std::ptrdiff_t>(complete), done_.lines.end());
  done_.lines.resize(complete);
  // A document that starts with the sentence that is still open stays with that sentence.
  const auto sentences = static_cast<std::int64_t>(done_.starts.size()) - 1;
  std::vector<Document> now;
  for (Document& document : done_.documents) {
    if (document.sentence < sentences)
      now.push_back(std::move(document));
    else
      rest.documents.push_back({std::move(document.text), document.sentence - sentences});
  }
  done_.documents = std::move(now);
  const std::int64_t open = done_.starts.back() + sentences;  // the first place of the sentence that is still open
  const auto first = std::find_if(done_.others.begin(), done_.others.end(), [&](const Between& line) { return line.place >= open; });
  for (auto line = first; line != done_.others.end(); ++line) rest.others.push_back({std::move(line->text), line->place - open});
  done_.others.erase(first, done_.others.end());
  std::swap(done_, rest);
  return rest;
}

}  // namespace riata
