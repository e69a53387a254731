// Outputs that link rows with columns: each has at most so many links, and may stay alone.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "inference/parts/assigner.hpp"
#include "inference/parts/output_set.hpp"

namespace riata {

class Matching final : public OutputSet {
 public:
  // links: of all parts, of any order. row_room, column_room: how many links each row and each column may have. given: the numbers of
  // parts that every output has; together, they must fit. sums: whether there are sums where the table is small enough.
  Matching(std::vector<Link> links, std::vector<std::int32_t> row_room, std::vector<std::int32_t> column_room,
           std::vector<std::int32_t> given, bool sums);

  std::int64_t parts() const noexcept override { return static_cast<std::int64_t>(links_.size()); }
  std::unique_ptr<PartSolver> solver() const override;

  const std::vector<Link>& links() const noexcept { return links_; }
  const std::vector<std::int32_t>& by_row() const noexcept { return by_row_; }  // the numbers of parts, row by row
  const std::vector<Link>& sorted() const noexcept { return sorted_; }          // their links
  std::int32_t place(std::int32_t part) const noexcept { return place_[static_cast<std::size_t>(part)]; }  // of a part in these
  // What the given links leave.
  const std::vector<std::int32_t>& row_room() const noexcept { return row_room_; }
  const std::vector<std::int32_t>& column_room() const noexcept { return column_room_; }
  const std::vector<std::int32_t>& given() const noexcept { return given_; }
  bool is_table() const noexcept { return single_ && is_full_; }  // whether every row can have every column, but only one
  // Why there are no sums; empty if there are.
  std::string why_no_sums() const;

 private:
  std::vector<Link> links_, sorted_;
  std::vector<std::int32_t> by_row_, place_, row_room_, column_room_, given_;
  bool sums_;
  bool single_ = true;   // whether nothing has more than one link
  bool is_full_ = true;  // whether there is a part for every cell, row by row when sorted
};

}  // namespace riata
