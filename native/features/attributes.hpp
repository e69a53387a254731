// Riata's own attributes for texts in ASCII. Python has the definitions (riata/features/attributes.py) and every other text.
#pragma once

#include <string>
#include <string_view>

namespace riata {

bool is_ascii(std::string_view text) noexcept;

// Writes the value for an ASCII text; false where the text has no such attribute.
using NativeAttribute = bool (*)(std::string_view text, std::string& out);

// By the word used in templates; null where only Python knows it.
NativeAttribute native_attribute(std::string_view name) noexcept;

}  // namespace riata
