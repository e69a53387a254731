// The links of a full table with the largest sum of gains, each row and each column having at most one.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace riata {

// Solves the assignment problem by shortest augmenting paths (Jonker & Volgenant 1987): rows first bid for columns, then every row that is
// left looks for the cheapest way to move others aside.
// Differs: a row may stay alone, at no gain, so tables need not be square. For one thread; memory is kept.
class TableAssigner {
 public:
  // gains: [rows * columns]; links that gain nothing are not chosen. row_open, column_open: 0 if it may have no link. Writes the numbers of
  // the chosen links, row by row.
  void solve(std::span<const double> gains, std::span<const std::int32_t> row_open, std::span<const std::int32_t> column_open,
             std::vector<std::int32_t>& chosen);

 private:
  struct Bid {
    double most = 0, second = 0;  // what the best column leaves a row, and the second best; 0: to stay alone
    std::int32_t column = -1;
  };

  const double* gains(std::int32_t row) const noexcept { return gains_ + std::size_t(row) * price_.size(); }
  Bid bid(std::int32_t row);
  bool win(std::int32_t row, std::int32_t& loser);  // false: it has to search
  void search(std::int32_t row);
  std::int32_t relax(std::int32_t row, double length);  // the nearest column that is not done
  std::int32_t reached_by(std::int32_t column, double length) const;
  void move(std::int32_t column, std::int32_t giver, double length);
  void give(std::int32_t row, std::int32_t column);

  const double* gains_ = nullptr;
  std::vector<double> price_, worth_;             // duals: worth + price >= gain, and equal where there is a link
  std::vector<std::int32_t> row_of_, column_of_;  // -1: alone
  std::vector<double> left_, length_;             // [columns]; length_: of the shortest way, minus infinity for columns that are done
  struct Done {
    std::int32_t row, column;  // the row was reached by the column; -1: it is the first
    double length;
  };
  std::vector<Done> done_;
  std::vector<std::int32_t> bidders_, losers_;
};

}  // namespace riata
