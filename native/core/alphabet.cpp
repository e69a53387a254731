#include "core/alphabet.hpp"

#include <algorithm>
#include <bit>
#include <limits>
#include <utility>

#include "core/error.hpp"
#include "core/hash.hpp"
#include "core/utf8.hpp"

namespace riata {

Alphabet::Alphabet(std::string bytes, std::vector<std::int64_t> offsets) {
  const auto bad = [] { return Error("ModelFileError", "an alphabet's offsets do not fit its bytes"); };
  if (offsets.empty() || offsets.front() != 0 || offsets.back() != static_cast<std::int64_t>(bytes.size())) throw bad();
  for (std::size_t i = 1; i < offsets.size(); ++i) {
    if (offsets[i] < offsets[i - 1]) throw bad();
  }
  if (offsets.size() > std::numeric_limits<std::int32_t>::max()) throw bad();
  bytes_ = std::move(bytes);
  offsets_ = std::move(offsets);
  make_table(std::max<std::size_t>(64, std::bit_ceil(2 * offsets_.size())));
  for (std::int32_t id = 0; id < size(); ++id) {
    const std::string_view text = at(id);
    if (find_invalid_utf8(text) != std::string_view::npos) throw Error("ModelFileError", "an alphabet holds a text that is not UTF-8");
    const std::uint64_t hash = hash_bytes(text);
    Entry& entry = table_[slot_of(text, hash)];
    if (entry.id != unknown) throw Error("ModelFileError", "an alphabet holds a text twice");
    entry = {id, static_cast<std::uint32_t>(hash)};
  }
}

std::size_t Alphabet::slot_of(std::string_view text, std::uint64_t hash) const noexcept {
  const std::size_t mask = table_.size() - 1;
  std::size_t slot = static_cast<std::uint32_t>(hash) & mask;
  while (table_[slot].id != unknown) {
    if (table_[slot].hash == static_cast<std::uint32_t>(hash) && at(table_[slot].id) == text) break;
    slot = (slot + 1) & mask;
  }
  return slot;
}

std::int32_t Alphabet::find(std::string_view text) const noexcept {
  return table_.empty() ? unknown : table_[slot_of(text, hash_bytes(text))].id;
}

void Alphabet::find_all(std::string_view bytes, std::span<const std::size_t> ends, std::int32_t* ids) const noexcept {
  constexpr std::size_t together = 32;
  const std::size_t mask = table_.size() - 1;
  std::string_view texts[together];
  std::uint64_t hashes[together];
  std::size_t from = 0;
  for (std::size_t first = 0; first < ends.size(); first += together) {
    const std::size_t here = std::min(together, ends.size() - first);
    if (table_.empty()) {
      std::fill_n(ids + first, here, unknown);
      continue;
    }
    for (std::size_t k = 0; k < here; ++k) {
      const std::size_t end = ends[first + k];
      texts[k] = bytes.substr(from, end - from);
      hashes[k] = hash_bytes(texts[k]);
      __builtin_prefetch(&table_[static_cast<std::uint32_t>(hashes[k]) & mask]);
      from = end;
    }
    for (std::size_t k = 0; k < here; ++k) {
      const std::int32_t id = table_[static_cast<std::uint32_t>(hashes[k]) & mask].id;
      if (id != unknown) __builtin_prefetch(&offsets_[id]);
    }
    for (std::size_t k = 0; k < here; ++k) ids[first + k] = table_[slot_of(texts[k], hashes[k])].id;
  }
}

std::int32_t Alphabet::add(std::string_view text) {
  if (table_.size() < 2 * offsets_.size()) grow_table();
  const std::uint64_t hash = hash_bytes(text);
  const std::size_t slot = slot_of(text, hash);
  if (table_[slot].id != unknown) return table_[slot].id;
  if (size() == std::numeric_limits<std::int32_t>::max()) throw Error("DataError", "more than 2^31 distinct texts");
  const std::int32_t id = size();
  table_[slot] = {id, static_cast<std::uint32_t>(hash)};
  bytes_.append(text);
  offsets_.push_back(static_cast<std::int64_t>(bytes_.size()));
  return id;
}

std::string_view Alphabet::text(std::int32_t id) const {
  if (id < 0 || id >= size()) throw Error("RiataError", "no text with id " + std::to_string(id));
  return at(id);
}

void Alphabet::grow_table() { make_table(table_.empty() ? 64 : (table_.size() < (1 << 16) ? 4 : 2) * table_.size()); }

void Alphabet::make_table(std::size_t slots) {
  const std::vector<Entry> old = std::exchange(table_, std::vector<Entry>(slots));
  const std::size_t mask = table_.size() - 1;
  for (const Entry& entry : old) {
    if (entry.id == unknown) continue;
    // In a table with more slots than the hash has values, entries start in the lowest slots only.
    std::size_t slot = entry.hash & mask;
    while (table_[slot].id != unknown) slot = (slot + 1) & mask;
    table_[slot] = entry;
  }
}

}  // namespace riata
