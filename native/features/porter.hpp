// Porter's stemmer for English.
#pragma once

#include <string>

namespace riata {

// The stem of a word in lower case: `relational` is `relat`. Characters other than English letters count as consonants.
// Porter 1980, Sec. 2: steps 1 to 5 in their order; within a step, the longest ending that matches decides.
// Differs: words of one or two letters stay as they are (the paper would make `as` into `a`).
std::u32string porter(std::u32string word);

}  // namespace riata
