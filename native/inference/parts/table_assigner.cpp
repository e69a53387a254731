#include "inference/parts/table_assigner.hpp"

#include <algorithm>
#include <limits>
#include <utility>

#include "core/error.hpp"
#include "core/kernel_blocks.hpp"

namespace riata {
namespace {

constexpr std::int32_t none = -1;
constexpr int rounds = 3;
constexpr double never = std::numeric_limits<double>::infinity();
constexpr std::size_t wide = 8;  // numbers that are looked at together

std::size_t at(std::int32_t i) noexcept { return static_cast<std::size_t>(i); }

using Numbers = double* __restrict;
using Given = const double* __restrict;

// left: what every column leaves after its price. The most of these and 0, and the second most.
RIATA_CLONES void look_at_prices(Given gain, Given price, std::size_t columns, Numbers left, Numbers two) {
  double most[wide] = {}, second[wide] = {};
  std::size_t j = 0;
  for (; j + wide <= columns; j += wide) {
    for (std::size_t k = 0; k < wide; ++k) {
      const double here = gain[j + k] - price[j + k], less = here < most[k] ? here : most[k];
      left[j + k] = here;
      second[k] = less > second[k] ? less : second[k];
      most[k] = here > most[k] ? here : most[k];
    }
  }
  two[0] = two[1] = 0;
  const auto take = [&](double here) {
    const double less = here < two[0] ? here : two[0];
    two[1] = less > two[1] ? less : two[1];
    two[0] = here > two[0] ? here : two[0];
  };
  for (std::size_t k = 0; k < wide; ++k) take(most[k]), take(second[k]);
  for (; j < columns; ++j) take(left[j] = gain[j] - price[j]);
}

// Shortens the ways to columns by those over one row. open: the lengths of ways to columns that are not done. Returns the least of them.
RIATA_CLONES double shorten(Given gain, Given price, double base, double from, std::size_t columns, Numbers length, Numbers open) {
  double least[wide];
  for (double& one : least) one = never;
  const auto shortened = [&](std::size_t j) __attribute__((always_inline)) {
    const double way = base - gain[j] + price[j], to = way < from ? from : way, now = to < length[j] ? to : length[j];
    length[j] = now;
    return open[j] = now < from ? never : now;
  };
  std::size_t j = 0;
  for (; j + wide <= columns; j += wide) {
    for (std::size_t k = 0; k < wide; ++k) {
      const double here = shortened(j + k);
      least[k] = here < least[k] ? here : least[k];
    }
  }
  double found = *std::min_element(least, least + wide);
  for (; j < columns; ++j) found = std::min(found, shortened(j));
  return found;
}

}  // namespace

void TableAssigner::solve(std::span<const double> gains, std::span<const std::int32_t> row_open, std::span<const std::int32_t> column_open,
                          std::vector<std::int32_t>& chosen) {
  gains_ = gains.data();
  price_.assign(column_open.size(), 0);
  for (std::size_t j = 0; j < price_.size(); ++j) price_[j] = column_open[j] > 0 ? 0 : never;
  worth_.assign(row_open.size(), 0);
  row_of_.assign(column_open.size(), none);
  column_of_.assign(row_open.size(), none);
  left_.resize(price_.size()), length_.resize(price_.size());
  bidders_.clear();
  for (std::size_t row = 0; row < row_open.size(); ++row) {
    if (row_open[row] > 0) bidders_.push_back(static_cast<std::int32_t>(row));
  }
  std::vector<std::int32_t>& searchers = chosen;  // until the links are written
  searchers.clear();
  for (int round = 0; round < rounds && !bidders_.empty(); ++round) {
    losers_.clear();
    for (const std::int32_t row : bidders_) {
      std::int32_t loser = none;
      if (!win(row, loser)) searchers.push_back(row);
      if (loser != none) losers_.push_back(loser);
    }
    std::swap(bidders_, losers_);
  }
  searchers.insert(searchers.end(), bidders_.begin(), bidders_.end());
  for (const std::int32_t row : searchers) search(row);
  chosen.clear();
  for (std::size_t row = 0; row < column_of_.size(); ++row) {
    if (column_of_[row] != none) chosen.push_back(static_cast<std::int32_t>(row * price_.size()) + column_of_[row]);
  }
}

TableAssigner::Bid TableAssigner::bid(std::int32_t row) {
  double two[2];
  look_at_prices(gains(row), price_.data(), price_.size(), left_.data(), two);
  Bid found{two[0], two[1]};
  if (found.most > 0) found.column = static_cast<std::int32_t>(std::ranges::find(left_, found.most) - left_.begin());
  return found;
}

// A row takes the column that leaves it most, and pays what makes it as good as the second best. Who had it is the loser.
bool TableAssigner::win(std::int32_t row, std::int32_t& loser) {
  const Bid made = bid(row);
  if (made.column == none) return true;  // prices only rise, so it stays alone
  loser = row_of_[at(made.column)];
  if (loser != none && !(made.most > made.second)) {
    loser = none;
    return false;
  }
  if (loser != none) column_of_[at(loser)] = none, worth_[at(loser)] = 0;
  give(row, made.column);
  price_[at(made.column)] += made.most - made.second;
  worth_[at(row)] = gains(row)[made.column] - price_[at(made.column)];
  return true;
}

void TableAssigner::give(std::int32_t row, std::int32_t column) {
  row_of_[at(column)] = row;
  column_of_[at(row)] = column;
}

// Dijkstra's algorithm: the way goes from a row to a column, and on from the row that has this column. It ends at a column that is free, or
// at a row that stays alone.
void TableAssigner::search(std::int32_t first) {
  std::ranges::fill(length_, never);
  done_.clear();
  worth_[at(first)] = bid(first).most;
  double length = 0, give_up = never;
  std::int32_t row = first, giver = none, column = none;
  done_.push_back({first, none, 0});
  while (true) {
    if (length + worth_[at(row)] < give_up) give_up = length + worth_[at(row)], giver = row;
    column = relax(row, length);
    const double next = column == none ? never : length_[at(column)];
    if (next >= give_up) {
      length = give_up;
      column = none;
      break;
    }
    length = next;
    row = row_of_[at(column)];
    if (row == none) break;
    length_[at(column)] = -never;
    done_.push_back({row, column, length});
  }
  if (column != none || giver != first) move(column, giver, length);
  for (const Done& one : done_) {
    worth_[at(one.row)] -= length - one.length;
    if (one.column != none) price_[at(one.column)] += length - one.length;
  }
}

// Gives the columns of a way to the rows before them, from its end back. column: the last; none: the way ends at the giver.
void TableAssigner::move(std::int32_t column, std::int32_t giver, double length) {
  const auto length_of = [&](std::int32_t of) { return std::ranges::find(done_, of, &Done::column)->length; };
  if (column == none) {
    column = std::exchange(column_of_[at(giver)], none);
    length = length_of(column);
  }
  while (true) {
    const std::int32_t to = reached_by(column, length), before = column_of_[at(to)];
    give(to, column);
    if (before == none) return;
    column = before;
    length = length_of(column);
  }
}

std::int32_t TableAssigner::relax(std::int32_t row, double length) {
  const double least = shorten(gains(row), price_.data(), length + worth_[at(row)], length, price_.size(), length_.data(), left_.data());
  return least == never ? none : static_cast<std::int32_t>(std::ranges::find(left_, least) - left_.begin());
}

// The first row that leads to a column on a way of this length.
std::int32_t TableAssigner::reached_by(std::int32_t column, double length) const {
  for (const Done& one : done_) {
    const double way = one.length + worth_[at(one.row)] - gains(one.row)[column] + price_[at(column)];
    if (std::max(way, one.length) == length) return one.row;
  }
  throw Error("RiataError", "a way through a table of scores is lost");
}

}  // namespace riata
