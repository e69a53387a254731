#include "data/column_writer.hpp"

#include <algorithm>

#include "core/error.hpp"

namespace riata {

std::optional<std::pair<std::int64_t, std::int64_t>> find_unwritable(std::span<const TextColumn> columns, std::string_view forbidden) {
  for (std::size_t c = 0; c < columns.size(); ++c) {
    const Alphabet& texts = *columns[c].texts;
    std::vector<std::uint8_t> bad(static_cast<std::size_t>(texts.size()));
    bool any = false;
    for (std::int32_t id = 0; id < texts.size(); ++id) {
      const std::string_view text = texts.text(id);
      bad[id] = text.empty() || text.find_first_of(forbidden) != std::string_view::npos;
      any = any || bad[id];
    }
    if (!any) continue;
    for (std::size_t t = 0; t < columns[c].ids.size(); ++t) {
      if (bad[columns[c].ids[t]]) return std::pair(static_cast<std::int64_t>(c), static_cast<std::int64_t>(t));
    }
  }
  return std::nullopt;
}

std::string written(std::span<const TextColumn> columns, std::span<const std::int64_t> starts, std::int64_t low, std::int64_t high,
                    char separator, const std::vector<std::pair<std::int64_t, std::string>>& before) {
  std::string out;
  std::size_t room = static_cast<std::size_t>(high - low);
  for (const TextColumn& column : columns) {
    for (std::int64_t t = starts[low]; t < starts[high]; ++t) room += column.texts->length(column.ids[t]) + 1;
  }
  out.reserve(room);
  auto next = std::find_if(before.begin(), before.end(), [&](const auto& line) { return line.first >= starts[low] + low; });
  const auto lines_at = [&](std::int64_t place) {
    for (; next != before.end() && next->first == place; ++next) out += next->second;
  };
  for (std::int64_t s = low; s < high; ++s) {
    for (std::int64_t t = starts[s]; t < starts[s + 1]; ++t) {
      lines_at(t + s);
      for (const TextColumn& column : columns) {
        out.append(column.texts->at(column.ids[t]));
        out.push_back(separator);
      }
      out.back() = '\n';
    }
    lines_at(starts[s + 1] + s);
    out += '\n';
  }
  return out;
}

}  // namespace riata
