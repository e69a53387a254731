// Riata's own attributes, for texts whose letters are known. Python defines all attributes (riata/features/attributes.py) and computes them
// for other texts.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/alphabet.hpp"
#include "features/letters.hpp"

namespace riata {

// Writes the value of the attribute. Returns false if the text does not have the attribute.
using NativeAttribute = bool (*)(const Word& word, std::string& out);

// The attribute by its name in templates; nullptr if only Python defines it.
NativeAttribute native_attribute(std::string_view name) noexcept;

// The values of an attribute for the texts with these ids, as ids in `values`: -1 if the text does not have the attribute or `values` does
// not contain the value, `for_python` if the text is not ASCII. With `grow`, new values are added to `values`. If `values` is null, hashes
// of the values.
inline constexpr std::int32_t for_python = -2;
std::vector<std::int32_t> look_up_values(NativeAttribute function, const Alphabet& texts, std::span<const std::int32_t> ids,
                                         Alphabet* values, bool grow);

}  // namespace riata
