// The links between rows and columns with the largest sum of gains: each row and each column has room for so many.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace riata {

// A link that may be chosen, if its gain is above 0.
struct Link {
  std::int32_t row = 0, column = 0;
};

// A flow of largest gain, by shortest augmenting paths (Ahuja, Magnanti & Orlin 1993, Sec. 9.7): row after row gets its links, by the
// cheapest way to move others aside. Links that there are not take neither time nor memory. For one thread; memory is kept.
class Assigner {
 public:
  // links: in rows that rise. gains: [links]; those at most 0, or NaN, are not chosen. rooms: how many links each row and column may have.
  // Writes the numbers of the chosen links, row by row.
  void solve(std::span<const Link> links, std::span<const double> gains, std::span<const std::int32_t> row_room,
             std::span<const std::int32_t> column_room, std::vector<std::int32_t>& chosen);

 private:
  // An edge is a link whose gain is above 0.
  struct Edge {
    std::int32_t row, column;
    double gain;
    std::int32_t link;
    bool used;
  };

  void take_edges(std::span<const Link> links, std::span<const double> gains, std::span<const std::int32_t> row_room,
                  std::span<const std::int32_t> column_room);
  void place(std::int32_t row, std::int32_t links);  // gives a row links, one by one, while that gains something
  bool augment(std::int32_t row);                    // gives it one; false: it has all that gain something
  void reach_row(std::int32_t row, std::int32_t from, double at);
  void reach_column(std::int32_t column, double at);
  void shift(double end);                                      // makes worths and prices fit the shortest ways
  void flip(std::int32_t last_row, std::int32_t last_column);  // last_column: -1 if the last row of the way gives up a link
  void use(std::int32_t edge);
  void drop(std::int32_t edge);
  std::int32_t* held(std::int32_t column) { return holders_.data() + first_holder_[static_cast<std::size_t>(column)]; }

  std::vector<Edge> edges_;
  std::vector<std::int32_t> first_edge_;                // [rows + 1]
  std::vector<std::int32_t> room_, first_holder_;       // [columns], [columns + 1]
  std::vector<std::int32_t> holders_, holding_;         // the edges that a column has; [columns] how many
  std::vector<double> worth_, price_;                   // duals, [rows] and [columns]: worth + price >= gain, and equal on used edges
  std::vector<double> row_at_, column_at_;              // lengths of the shortest ways of one search
  std::vector<std::int32_t> row_from_, column_from_;    // the edge by which they were reached
  std::vector<std::int32_t> row_state_, column_state_;  // 2 * search: reached, 2 * search + 1: done
  std::vector<std::int32_t> open_rows_, open_columns_, done_rows_, done_columns_;
  std::int32_t search_ = 0;
  double give_up_ = 0;  // the shortest way that ends at a row that stays with one link less
  std::int32_t giver_ = -1;
};

}  // namespace riata
