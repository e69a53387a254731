#include "features/porter.hpp"

#include <span>
#include <string_view>
#include <vector>

namespace riata {
namespace {

using Text = std::u32string_view;

struct Rule {
  Text ending, other;
};

constexpr Rule step_2[] = {{U"ational", U"ate"}, {U"tional", U"tion"}, {U"enci", U"ence"}, {U"anci", U"ance"}, {U"izer", U"ize"},
                           {U"abli", U"able"},   {U"alli", U"al"},     {U"entli", U"ent"}, {U"eli", U"e"},     {U"ousli", U"ous"},
                           {U"ization", U"ize"}, {U"ation", U"ate"},   {U"ator", U"ate"},  {U"alism", U"al"},  {U"iveness", U"ive"},
                           {U"fulness", U"ful"}, {U"ousness", U"ous"}, {U"aliti", U"al"},  {U"iviti", U"ive"}, {U"biliti", U"ble"}};
constexpr Rule step_3[] = {{U"icate", U"ic"}, {U"ative", U""}, {U"alize", U"al"}, {U"iciti", U"ic"},
                           {U"ical", U"ic"},  {U"ful", U""},   {U"ness", U""}};
constexpr Rule step_4[] = {{U"al", U""},  {U"ance", U""},  {U"ence", U""}, {U"er", U""},  {U"ic", U""},  {U"able", U""}, {U"ible", U""},
                           {U"ant", U""}, {U"ement", U""}, {U"ment", U""}, {U"ent", U""}, {U"ion", U""},  // -ion only after s or t
                           {U"ou", U""},  {U"ism", U""},   {U"ate", U""},  {U"iti", U""}, {U"ous", U""}, {U"ive", U""},  {U"ize", U""}};

bool is_vowel(Text word, std::size_t at, bool after_consonant) noexcept {
  const char32_t c = word[at];
  return c == U'a' || c == U'e' || c == U'i' || c == U'o' || c == U'u' || (c == U'y' && after_consonant);
}

// Properties of the letters of a stem. y is a vowel if it follows a consonant.
struct Kinds {
  int measure = 0;  // the paper's m: how many times a run of consonants follows a run of vowels
  bool has_vowel = false;
  bool last[3] = {};  // whether the last, the second last and the third last letter is a vowel
};

Kinds kinds_of(Text word) noexcept {
  Kinds kinds;
  for (std::size_t i = 0; i < word.size(); ++i) {
    const bool vowel = is_vowel(word, i, i > 0 && !kinds.last[0]);
    if (i > 0 && kinds.last[0] && !vowel) ++kinds.measure;
    kinds.has_vowel = kinds.has_vowel || vowel;
    kinds.last[2] = kinds.last[1];
    kinds.last[1] = kinds.last[0];
    kinds.last[0] = vowel;
  }
  return kinds;
}

bool ends_cvc(Text word, const Kinds& kinds) noexcept {
  if (word.size() < 3 || kinds.last[2] || !kinds.last[1] || kinds.last[0]) return false;
  return word.back() != U'w' && word.back() != U'x' && word.back() != U'y';
}

bool ends_double(Text word, const Kinds& kinds) noexcept {
  return word.size() > 1 && word.back() == word[word.size() - 2] && !kinds.last[0];
}

Text before(Text word, std::size_t ending) noexcept { return word.substr(0, word.size() - ending); }

// Removes plural endings.
void step_1a(std::u32string& word) {
  const Text text = word;
  if (text.ends_with(U"sses") || text.ends_with(U"ies"))
    word.resize(word.size() - 2);
  else if (text.ends_with(U's') && !text.ends_with(U"ss"))
    word.pop_back();
}

// Removes -eed, -ed and -ing, and repairs the stems that -ed and -ing leave.
void step_1b(std::u32string& word) {
  const Text text = word;
  if (text.ends_with(U"eed")) {
    if (kinds_of(before(text, 3)).measure > 0) word.pop_back();
    return;
  }
  const std::size_t ending = text.ends_with(U"ed") ? 2 : text.ends_with(U"ing") ? 3 : 0;
  const Text stem = before(text, ending);
  const Kinds kinds = kinds_of(stem);
  if (ending == 0 || !kinds.has_vowel) return;
  const bool repaired = stem.ends_with(U"at") || stem.ends_with(U"bl") || stem.ends_with(U"iz");
  const bool twice = !repaired && ends_double(stem, kinds) && stem.back() != U'l' && stem.back() != U's' && stem.back() != U'z';
  const bool with_e = repaired || (!twice && kinds.measure == 1 && ends_cvc(stem, kinds));
  word.resize(word.size() - ending - (twice ? 1 : 0));
  if (with_e) word.push_back(U'e');
}

void step_1c(std::u32string& word) {
  if (word.ends_with(U'y') && kinds_of(before(word, 1)).has_vowel) word.back() = U'i';
}

// Replaces the longest ending that matches a rule, if the measure of the stem before it is at least `least`.
void replace_longest(std::u32string& word, std::span<const Rule> rules, int least) {
  const Rule* found = nullptr;
  for (const Rule& rule : rules) {
    if (word.ends_with(rule.ending) && (!found || rule.ending.size() > found->ending.size())) found = &rule;
  }
  if (!found) return;
  const Text stem = before(word, found->ending.size());
  if (found->ending == U"ion" && !stem.ends_with(U's') && !stem.ends_with(U't')) return;
  if (kinds_of(stem).measure < least) return;
  word.resize(stem.size());
  word += found->other;
}

// Removes a final -e, and one l of a final -ll.
void step_5(std::u32string& word) {
  if (word.ends_with(U'e')) {
    const Text stem = before(word, 1);
    const Kinds kinds = kinds_of(stem);
    if (kinds.measure > 1 || (kinds.measure == 1 && !ends_cvc(stem, kinds))) word.pop_back();
  }
  if (word.ends_with(U"ll") && kinds_of(word).measure > 1) word.pop_back();
}

}  // namespace

std::u32string porter(std::u32string word) {
  if (word.size() <= 2) return word;
  step_1a(word);
  step_1b(word);
  step_1c(word);
  replace_longest(word, step_2, 1);
  replace_longest(word, step_3, 1);
  replace_longest(word, step_4, 2);
  step_5(word);
  return word;
}

}  // namespace riata
