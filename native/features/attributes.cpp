#include "features/attributes.hpp"

#include <algorithm>
#include <array>
#include <utility>

#include "features/hashed.hpp"
#include "features/porter.hpp"

namespace riata {
namespace {

bool is_upper(char c) noexcept { return c >= 'A' && c <= 'Z'; }
bool is_lower(char c) noexcept { return c >= 'a' && c <= 'z'; }
bool is_digit(char c) noexcept { return c >= '0' && c <= '9'; }
char lowered(char c) noexcept { return is_upper(c) ? static_cast<char>(c - 'A' + 'a') : c; }
char class_of(char c) noexcept { return is_upper(c) ? 'X' : is_lower(c) ? 'x' : is_digit(c) ? 'd' : c; }

constexpr std::string_view yes = "yes";

bool identity(std::string_view text, std::string& out) {
  out = text;
  return true;
}

bool bias(std::string_view, std::string& out) {
  out.clear();
  return true;
}

bool outside(std::string_view, std::string&) { return false; }

bool lower(std::string_view text, std::string& out) {
  out.resize(text.size());
  std::transform(text.begin(), text.end(), out.begin(), lowered);
  return true;
}

bool stem(std::string_view text, std::string& out) {
  lower(text, out);
  const std::u32string left = porter(std::u32string(out.begin(), out.end()));
  out.assign(left.begin(), left.end());
  return true;
}

bool ending(std::string_view text, std::string& out) {
  std::string word, left;
  lower(text, word);
  stem(text, left);
  // Where word and stem begin to differ. The stemmer may end a stem with a letter that the word does not have.
  const auto same = std::mismatch(left.begin(), left.end(), word.begin(), word.end()).second;
  out.assign(same, word.end());
  return !out.empty();
}

bool initial(std::string_view text, std::string& out) {
  out = text.substr(0, 1);
  return !out.empty();
}

// Writes the class of every character, and shortens runs of one class to `most` characters. Line breaks are copied.
void classes(std::string_view text, std::size_t most, std::string& out) {
  out.clear();
  std::size_t run = 0;
  for (const char c : text) {
    const char kind = class_of(c);
    run = !out.empty() && out.back() == kind ? run + 1 : 1;
    if (run <= most || kind == '\n') out.push_back(kind);
  }
}

bool fullshape(std::string_view text, std::string& out) {
  classes(text, text.size(), out);
  return true;
}

bool shape(std::string_view text, std::string& out) {
  classes(text, 2, out);
  return true;
}

bool outline(std::string_view text, std::string& out) {
  classes(text, 1, out);
  return true;
}

bool letter_case(std::string_view text, std::string& out) {
  const auto upper = std::count_if(text.begin(), text.end(), is_upper), lower_ones = std::count_if(text.begin(), text.end(), is_lower);
  const bool title = upper == 1 && is_upper(text.front());
  out = std::string_view(upper + lower_ones == 0 ? "none" : upper == 0 ? "lower" : lower_ones == 0 ? "upper" : title ? "title" : "mixed");
  return true;
}

bool digit(std::string_view text, std::string& out) {
  out = yes;
  return std::any_of(text.begin(), text.end(), is_digit);
}

bool digits(std::string_view text, std::string& out) {
  out.resize(text.size());
  std::transform(text.begin(), text.end(), out.begin(), [](char c) { return is_digit(c) ? '0' : c; });
  return std::any_of(text.begin(), text.end(), is_digit);
}

bool hyphen(std::string_view text, std::string& out) {
  out = yes;
  return text.size() > 2 && text.substr(1, text.size() - 2).find('-') != std::string_view::npos;
}

bool capitalised(std::string_view text, std::string& out) {
  const bool one = text.size() > 1 && is_upper(text.front()) && std::all_of(text.begin() + 1, text.end(), is_lower);
  out = yes;
  return one;
}

bool capital(std::string_view text, std::string& out) {
  out = yes;
  return text.size() == 1 && is_upper(text.front());
}

bool allcaps(std::string_view text, std::string& out) {
  out = yes;
  return !text.empty() && std::all_of(text.begin(), text.end(), is_upper);
}

bool mixedcaps(std::string_view text, std::string& out) {
  classes(text, 1, out);
  const bool mixed = out == "XxX" || out == "XxXx";
  out = yes;
  return mixed;
}

bool initialcase(std::string_view text, std::string& out) {
  const char first = text.empty() ? '.' : text.front();
  out = std::string_view(is_lower(first) ? "lower" : is_upper(first) ? "upper" : "alphanumeric");
  return is_lower(first) || is_upper(first) || is_digit(first);
}

bool capitaldot(std::string_view text, std::string& out) {
  out = yes;
  return !text.empty() && is_upper(text.front()) && text.find('.') != std::string_view::npos;
}

bool uppercase(std::string_view text, std::string& out) {
  out = yes;
  return std::any_of(text.begin(), text.end(), is_upper) && std::none_of(text.begin(), text.end(), is_lower);
}

bool anyhyphen(std::string_view text, std::string& out) {
  out = yes;
  return text.find('-') != std::string_view::npos;
}

template <std::size_t length>
bool prefix(std::string_view text, std::string& out) {
  out = text.substr(0, length);
  return text.size() > length;
}

template <std::size_t length>
bool suffix(std::string_view text, std::string& out) {
  if (text.size() <= length) return false;
  out = text.substr(text.size() - length);
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
    {"asciilower", lower},
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

bool is_ascii(std::string_view text) noexcept {
  return std::none_of(text.begin(), text.end(), [](char c) { return static_cast<unsigned char>(c) >= 0x80; });
}

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
  for (const std::int32_t id : ids) {
    const std::string_view text = texts.text(id);
    if (!is_ascii(text))
      found.push_back(for_python);
    else if (!function(text, value))
      found.push_back(Alphabet::unknown);
    else
      found.push_back(!values ? hashed_text(value) : grow ? values->add(value) : values->find(value));
  }
  return found;
}

}  // namespace riata
