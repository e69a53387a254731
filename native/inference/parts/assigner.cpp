#include "inference/parts/assigner.hpp"

#include <algorithm>
#include <limits>

namespace riata {
namespace {

constexpr std::int32_t none = -1;
constexpr double never = std::numeric_limits<double>::infinity();

std::size_t at(std::int32_t i) noexcept { return static_cast<std::size_t>(i); }

}  // namespace

void Assigner::take_edges(std::span<const Link> links, std::span<const double> gains, std::span<const std::int32_t> row_room,
                          std::span<const std::int32_t> column_room) {
  edges_.clear();
  first_edge_.assign(row_room.size() + 1, 0);
  for (std::size_t k = 0; k < links.size(); ++k) {
    const auto [row, column] = links[k];
    if (!(gains[k] > 0) || row_room[at(row)] == 0 || column_room[at(column)] == 0) continue;
    edges_.push_back({row, column, gains[k], static_cast<std::int32_t>(k), false});
    first_edge_[at(row) + 1] = static_cast<std::int32_t>(edges_.size());
  }
  for (std::size_t row = 1; row < first_edge_.size(); ++row) first_edge_[row] = std::max(first_edge_[row], first_edge_[row - 1]);
  room_.assign(column_room.begin(), column_room.end());
  first_holder_.assign(room_.size() + 1, 0);
  for (std::size_t j = 0; j < room_.size(); ++j) first_holder_[j + 1] = first_holder_[j] + room_[j];
  holders_.resize(at(first_holder_.back()));
  holding_.assign(room_.size(), 0);
  worth_.assign(row_room.size(), 0);
  price_.assign(room_.size(), 0);
}

void Assigner::solve(std::span<const Link> links, std::span<const double> gains, std::span<const std::int32_t> row_room,
                     std::span<const std::int32_t> column_room, std::vector<std::int32_t>& chosen) {
  take_edges(links, gains, row_room, column_room);
  chosen.clear();
  if (edges_.empty()) return;
  search_ = 0;
  for (auto* state : {&row_state_, &column_state_}) state->assign(std::max(row_room.size(), room_.size()), 0);
  row_at_.resize(row_room.size()), row_from_.resize(row_room.size());
  column_at_.resize(room_.size()), column_from_.resize(room_.size());
  for (std::size_t row = 0; row < row_room.size(); ++row) {
    if (first_edge_[row] < first_edge_[row + 1]) place(static_cast<std::int32_t>(row), row_room[row]);
  }
  for (const Edge& edge : edges_) {
    if (edge.used) chosen.push_back(edge.link);
  }
}

void Assigner::place(std::int32_t row, std::int32_t links) {
  double most = 0;
  for (std::int32_t e = first_edge_[at(row)]; e < first_edge_[at(row) + 1]; ++e)
    most = std::max(most, edges_[at(e)].gain - price_[at(edges_[at(e)].column)]);
  worth_[at(row)] = most;
  for (std::int32_t n = 0; n < links && augment(row); ++n) {
  }
}

// Dijkstra's algorithm over rows and columns. Unused edges lead from rows to columns, used ones back.
bool Assigner::augment(std::int32_t row) {
  ++search_;
  give_up_ = never;
  for (auto* list : {&open_rows_, &open_columns_, &done_rows_, &done_columns_}) list->clear();
  reach_row(row, none, 0);
  while (true) {
    double least = give_up_;
    std::size_t place = 0;
    int kind = 0;
    for (std::size_t k = 0; k < open_columns_.size(); ++k) {
      if (column_at_[at(open_columns_[k])] < least) least = column_at_[at(open_columns_[k])], place = k, kind = 1;
    }
    for (std::size_t k = 0; k < open_rows_.size(); ++k) {
      if (row_at_[at(open_rows_[k])] < least) least = row_at_[at(open_rows_[k])], place = k, kind = 2;
    }
    if (kind == 0) {
      shift(least);
      flip(giver_, none);
      return giver_ != row;
    }
    std::vector<std::int32_t>& open = kind == 1 ? open_columns_ : open_rows_;
    const std::int32_t next = open[place];
    open[place] = open.back();
    open.pop_back();
    if (kind == 2) {
      reach_row(next, row_from_[at(next)], least);
      continue;
    }
    if (holding_[at(next)] < room_[at(next)]) {
      shift(least);
      flip(none, next);
      return true;
    }
    reach_column(next, least);
  }
}

void Assigner::reach_row(std::int32_t row, std::int32_t from, double length) {
  row_at_[at(row)] = length;
  row_from_[at(row)] = from;
  row_state_[at(row)] = 2 * search_ + 1;
  done_rows_.push_back(row);
  const double base = length + worth_[at(row)];
  if (base < give_up_) give_up_ = base, giver_ = row;
  for (std::int32_t e = first_edge_[at(row)]; e < first_edge_[at(row) + 1]; ++e) {
    const Edge& edge = edges_[at(e)];
    std::int32_t& state = column_state_[at(edge.column)];
    if (edge.used || state == 2 * search_ + 1) continue;
    const double to = std::max(length, base - edge.gain + price_[at(edge.column)]);
    if (to >= give_up_) continue;
    if (state != 2 * search_) {
      state = 2 * search_;
      open_columns_.push_back(edge.column);
    } else if (to >= column_at_[at(edge.column)]) {
      continue;
    }
    column_at_[at(edge.column)] = to;
    column_from_[at(edge.column)] = e;
  }
}

void Assigner::reach_column(std::int32_t column, double length) {
  column_state_[at(column)] = 2 * search_ + 1;
  done_columns_.push_back(column);
  for (std::int32_t k = 0; k < holding_[at(column)]; ++k) {
    const std::int32_t e = held(column)[k], row = edges_[at(e)].row;
    std::int32_t& state = row_state_[at(row)];
    if (state == 2 * search_ + 1) continue;
    const double to = std::max(length, length + edges_[at(e)].gain - price_[at(column)] - worth_[at(row)]);
    if (state != 2 * search_) {
      state = 2 * search_;
      open_rows_.push_back(row);
    } else if (to >= row_at_[at(row)]) {
      continue;
    }
    row_at_[at(row)] = to;
    row_from_[at(row)] = e;
  }
}

void Assigner::shift(double end) {
  for (const std::int32_t row : done_rows_) worth_[at(row)] -= end - row_at_[at(row)];
  for (const std::int32_t column : done_columns_) price_[at(column)] += end - column_at_[at(column)];
}

void Assigner::flip(std::int32_t row, std::int32_t column) {
  while (true) {
    if (column != none) {
      const std::int32_t e = column_from_[at(column)];
      row = edges_[at(e)].row;
      const std::int32_t lost = row_from_[at(row)];
      if (lost != none) drop(lost);
      use(e);
      if (lost == none) return;
      column = edges_[at(lost)].column;
    } else {
      const std::int32_t lost = row_from_[at(row)];
      if (lost == none) return;
      column = edges_[at(lost)].column;
      drop(lost);
    }
  }
}

void Assigner::use(std::int32_t e) {
  Edge& edge = edges_[at(e)];
  edge.used = true;
  held(edge.column)[holding_[at(edge.column)]++] = e;
}

void Assigner::drop(std::int32_t e) {
  Edge& edge = edges_[at(e)];
  edge.used = false;
  std::int32_t* first = held(edge.column);
  std::int32_t& count = holding_[at(edge.column)];
  *std::find(first, first + count, e) = first[count - 1];
  --count;
}

}  // namespace riata
