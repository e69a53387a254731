// Writes sentences as the text of a column file.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/alphabet.hpp"

namespace riata {

struct TextColumn {
  const Alphabet* texts;
  std::span<const std::int32_t> ids;  // [N]
};

// The first column and token whose text is empty or contains a forbidden character.
std::optional<std::pair<std::int64_t, std::int64_t>> find_unwritable(std::span<const TextColumn> columns, std::string_view forbidden);

// Sentences low to high - 1: one line per token, and a blank line after each sentence. before: other lines by their places (see Between in
// columns.hpp), in ascending order.
std::string written(std::span<const TextColumn> columns, std::span<const std::int64_t> starts, std::int64_t low, std::int64_t high,
                    char separator, const std::vector<std::pair<std::int64_t, std::string>>& before);

}  // namespace riata
