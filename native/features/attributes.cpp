#include "features/attributes.hpp"

#include <algorithm>
#include <array>
#include <string_view>
#include <utility>

#include "features/hashed.hpp"
#include "features/porter.hpp"

namespace riata {
namespace {

constexpr std::string_view yes = "yes";

bool is_capital(const Letter& c) noexcept { return c.code >= U'A' && c.code <= U'Z'; }
bool is_small(const Letter& c) noexcept { return c.code >= U'a' && c.code <= U'z'; }

void append(char32_t code, std::string& out) {
  const auto byte = [&](char32_t bits, char32_t mark) { out.push_back(static_cast<char>(mark | bits)); };
  const auto rest = [&](int shift) { byte((code >> shift) & 0x3F, 0x80); };
  if (code < 0x80) {
    byte(code, 0);
  } else if (code < 0x800) {
    byte(code >> 6, 0xC0);
    rest(0);
  } else if (code < 0x10000) {
    byte(code >> 12, 0xE0);
    rest(6);
    rest(0);
  } else {
    byte(code >> 18, 0xF0);
    rest(12);
    rest(6);
    rest(0);
  }
}

// Writes one character for each letter.
template <class Of>
void write(std::span<const Letter> letters, std::string& out, Of of) {
  out.clear();
  for (const Letter& letter : letters) append(of(letter), out);
}

void copy(std::span<const Letter> letters, std::string& out) {
  write(letters, out, [](const Letter& c) { return c.code; });
}

bool any(const Word& word, std::uint8_t flag) noexcept {
  return std::any_of(word.letters.begin(), word.letters.end(), [flag](const Letter& c) { return c.has(flag); });
}

bool contains(std::span<const Letter> letters, char32_t code) noexcept {
  return std::any_of(letters.begin(), letters.end(), [code](const Letter& c) { return c.code == code; });
}

bool identity(const Word& word, std::string& out) {
  out = word.text;
  return true;
}

bool bias(const Word&, std::string& out) {
  out.clear();
  return true;
}

bool outside(const Word&, std::string&) { return false; }

bool lower(const Word& word, std::string& out) {
  write(word.letters, out, [](const Letter& c) { return c.lower; });
  return true;
}

bool ascii_lower(const Word& word, std::string& out) {
  write(word.letters, out, [](const Letter& c) { return is_capital(c) ? c.lower : c.code; });
  return true;
}

std::u32string lowered(const Word& word) {
  std::u32string out;
  for (const Letter& letter : word.letters) out.push_back(letter.lower);
  return out;
}

bool stem(const Word& word, std::string& out) {
  out.clear();
  for (const char32_t code : porter(lowered(word))) append(code, out);
  return true;
}

bool ending(const Word& word, std::string& out) {
  const std::u32string whole = lowered(word), left = porter(whole);
  // Where word and stem begin to differ. The stemmer may end a stem with a letter that the word does not have.
  const auto same = std::mismatch(left.begin(), left.end(), whole.begin(), whole.end()).second;
  out.clear();
  std::for_each(same, whole.end(), [&](char32_t code) { append(code, out); });
  return !out.empty();
}

bool initial(const Word& word, std::string& out) {
  copy(word.letters.first(std::min<std::size_t>(word.letters.size(), 1)), out);
  return !out.empty();
}

// Writes the class of every character, and shortens runs of one class to `most` characters. Line breaks are copied.
void classes(const Word& word, std::size_t most, std::string& out) {
  out.clear();
  std::size_t run = 0;
  char32_t last = 0;
  for (const Letter& letter : word.letters) {
    run = run > 0 && last == letter.shape ? run + 1 : 1;
    last = letter.shape;
    if (run <= most || last == U'\n') append(last, out);
  }
}

bool fullshape(const Word& word, std::string& out) {
  classes(word, word.letters.size(), out);
  return true;
}

bool shape(const Word& word, std::string& out) {
  classes(word, 2, out);
  return true;
}

bool outline(const Word& word, std::string& out) {
  classes(word, 1, out);
  return true;
}

bool letter_case(const Word& word, std::string& out) {
  const auto is_upper = [](const Letter& c) { return c.has(Letter::upper); };
  const bool uppers = any(word, Letter::upper), lowers = any(word, Letter::small);
  const bool title = uppers && std::count_if(word.letters.begin(), word.letters.end(), is_upper) == 1 && is_upper(word.letters.front());
  out = std::string_view(!any(word, Letter::changes) ? "none"
                         : lowers && !uppers         ? "lower"
                         : uppers && !lowers         ? "upper"
                         : title                     ? "title"
                                                     : "mixed");
  return true;
}

bool digit(const Word& word, std::string& out) {
  out = yes;
  return any(word, Letter::decimal);
}

bool digits(const Word& word, std::string& out) {
  write(word.letters, out, [](const Letter& c) { return c.has(Letter::decimal) ? U'0' : c.code; });
  return any(word, Letter::decimal);
}

bool hyphen(const Word& word, std::string& out) {
  out = yes;
  return word.letters.size() > 2 && contains(word.letters.subspan(1, word.letters.size() - 2), U'-');
}

bool capitalised(const Word& word, std::string& out) {
  out = yes;
  const auto& letters = word.letters;
  return letters.size() > 1 && is_capital(letters.front()) && std::all_of(letters.begin() + 1, letters.end(), is_small);
}

bool capital(const Word& word, std::string& out) {
  out = yes;
  return word.letters.size() == 1 && is_capital(word.letters.front());
}

bool allcaps(const Word& word, std::string& out) {
  out = yes;
  return !word.letters.empty() && std::all_of(word.letters.begin(), word.letters.end(), is_capital);
}

bool mixedcaps(const Word& word, std::string& out) {
  const auto a_to_z = [](const Letter& c) { return is_capital(c) || is_small(c); };
  if (!std::all_of(word.letters.begin(), word.letters.end(), a_to_z)) return false;
  classes(word, 1, out);
  const bool mixed = out == "XxX" || out == "XxXx";
  out = yes;
  return mixed;
}

bool initialcase(const Word& word, std::string& out) {
  if (word.letters.empty()) return false;
  const Letter& first = word.letters.front();
  out = std::string_view(first.has(Letter::small) ? "lower" : first.has(Letter::upper) ? "upper" : "alphanumeric");
  return first.has(Letter::small) || first.has(Letter::upper) || first.has(Letter::alphanumeric);
}

bool capitaldot(const Word& word, std::string& out) {
  out = yes;
  return !word.letters.empty() && word.letters.front().has(Letter::upper) && contains(word.letters, U'.');
}

bool uppercase(const Word& word, std::string& out) {
  out = yes;
  return any(word, Letter::upper) && !any(word, Letter::small);
}

bool anyhyphen(const Word& word, std::string& out) {
  out = yes;
  return contains(word.letters, U'-');
}

template <std::size_t length>
bool prefix(const Word& word, std::string& out) {
  if (word.letters.size() <= length) return false;
  copy(word.letters.first(length), out);
  return true;
}

template <std::size_t length>
bool suffix(const Word& word, std::string& out) {
  if (word.letters.size() <= length) return false;
  copy(word.letters.last(length), out);
  return true;
}

constexpr std::array<std::pair<std::string_view, NativeAttribute>, 31> all{{
    {"identity", identity},
    {"bias", bias},
    {"outside", outside},
    {"lower", lower},
    {"stem", stem},
    {"ending", ending},
    {"initial", initial},
    {"fullshape", fullshape},
    {"shape", shape},
    {"outline", outline},
    {"case", letter_case},
    {"digit", digit},
    {"digits", digits},
    {"hyphen", hyphen},
    {"prefix1", prefix<1>},
    {"prefix2", prefix<2>},
    {"prefix3", prefix<3>},
    {"prefix4", prefix<4>},
    {"suffix1", suffix<1>},
    {"suffix2", suffix<2>},
    {"suffix3", suffix<3>},
    {"suffix4", suffix<4>},
    {"asciilower", ascii_lower},
    {"capitalised", capitalised},
    {"capital", capital},
    {"allcaps", allcaps},
    {"mixedcaps", mixedcaps},
    {"initialcase", initialcase},
    {"capitaldot", capitaldot},
    {"uppercase", uppercase},
    {"anyhyphen", anyhyphen},
}};

}  // namespace

NativeAttribute native_attribute(std::string_view name) noexcept {
  for (const auto& [each, function] : all) {
    if (each == name) return function;
  }
  return nullptr;
}

std::vector<std::int32_t> look_up_values(NativeAttribute function, const Alphabet& texts, std::span<const std::int32_t> ids,
                                         Alphabet* values, bool grow) {
  std::vector<std::int32_t> found;
  found.reserve(ids.size());
  std::string value;
  Word word;
  for (const std::int32_t id : ids) {
    const std::string_view text = texts.text(id);
    // Also with letters that are known by now: the order of values must not depend on what was read before.
    if (!is_ascii(text) || !word.read(text))
      found.push_back(for_python);
    else if (!function(word, value))
      found.push_back(Alphabet::unknown);
    else
      found.push_back(!values ? hashed_text(value) : grow ? values->add(value) : values->find(value));
  }
  return found;
}

}  // namespace riata
