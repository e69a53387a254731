// Adds pairs of ids to a dictionary, quickly where the same pairs come often.
#pragma once

#include <cstdint>
#include <vector>

#include "core/id_pair_index.hpp"

namespace riata {

// Left ids start at -1, right ids at 0. If all possible pairs fit into a table, the table answers for every pair that has been added
// before.
class IdPairAdder {
 public:
  // lefts, rights: ids are smaller than these. room: the largest number of entries that the table may have.
  IdPairAdder(IdPairIndex& pairs, std::int64_t lefts, std::int64_t rights, std::int64_t room) : pairs_(pairs), rights_(rights) {
    if (fits(lefts, rights, room)) table_.assign(static_cast<std::size_t>((lefts + 1) * rights), IdPairIndex::unknown);
  }

  static bool fits(std::int64_t lefts, std::int64_t rights, std::int64_t room) noexcept { return lefts + 1 <= room / rights; }

  std::int32_t operator()(std::int32_t left, std::int32_t right) {
    if (table_.empty()) return pairs_.add(left, right);
    std::int32_t& id = table_[static_cast<std::size_t>((std::int64_t{left} + 1) * rights_ + right)];
    if (id == IdPairIndex::unknown) id = pairs_.add(left, right);
    return id;
  }

 private:
  IdPairIndex& pairs_;
  std::int64_t rights_;
  std::vector<std::int32_t> table_;  // [left + 1][right] the pair's id; unknown: not added yet
};

}  // namespace riata
