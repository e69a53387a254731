// Riata's own attributes for texts in ASCII. Python has the definitions (riata/features/attributes.py) and every other text.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/alphabet.hpp"

namespace riata {

bool is_ascii(std::string_view text) noexcept;

// Writes the value for an ASCII text; false where the text has no such attribute.
using NativeAttribute = bool (*)(std::string_view text, std::string& out);

// By the word used in templates; null where only Python knows it.
NativeAttribute native_attribute(std::string_view name) noexcept;

// The ids in `values` of the attribute of some texts: -1 where a text has no such attribute or `values` does not hold its value,
// for_python where the text is not in ASCII. With `grow`, new values are added. Without `values`, their hashes.
inline constexpr std::int32_t for_python = -2;
std::vector<std::int32_t> look_up_values(NativeAttribute function, const Alphabet& texts, std::span<const std::int32_t> ids,
                                         Alphabet* values, bool grow);

}  // namespace riata
