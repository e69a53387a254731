// Adding the same pairs to a dictionary again and again.
#pragma once

#include <cstdint>
#include <vector>

#include "core/id_pair_index.hpp"

namespace riata {

// Pairs of left ids from -1 and right ids from 0. Where all of them fit into a table, it answers for the dictionary from the second time
// on.
class IdPairAdder {
 public:
  // Ids are below lefts and rights; room: how large a table may be.
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
  std::vector<std::int32_t> table_;  // [left + 1][right] their ids
};

}  // namespace riata
