// A dynamic program on tape: its inside recursion, recorded once, to be played in any semiring.
#pragma once

#include <cstdint>
#include <limits>
#include <utility>
#include <vector>

#include "core/error.hpp"
#include "core/kernels.hpp"

namespace riata {

// Cells are numbers of one array. They lie in rows, which begin at multiples of `lanes`.
using Cell = std::int32_t;
inline constexpr Cell no_cell = -1;
inline constexpr std::int32_t lanes = row_multiple;

// One factor of a run: the cells at + k * step + y.
struct Factor {
  Cell at = no_cell;
  std::int32_t step = 0;
};

// to[y] = weight[y] * the sum over k < count of a[k, y] * b[k, y] * c[k, y], for all y < width. `to` begins a row. c and the weight may be
// missing. shared: a is the same for all y, the cell at + k * step, and there is no c. Runs behind one another with the same `to` add up,
// and their common weight multiplies the whole sum.
struct Run {
  Cell to = no_cell;
  std::int32_t width = 1, count = 1;
  Factor a{}, b{}, c{};
  Cell weight = no_cell;
  bool shared = false;
  bool more = false, last = true;  // whether runs with the same `to` come before, and whether none follows; set by `add`
};

// One term of the sum that gives a cell, a hyperedge: the cells that are multiplied, besides the weight of the cell.
struct Way {
  Cell a = no_cell, b = no_cell, c = no_cell;
};

// The first cells are the scores of parts, which whoever plays the tape fills in; the others follow from them. A tape depends on the shape
// of a sentence only, such as its length.
class Tape {
 public:
  // Adds rows of cells, for `width` numbers each, and returns the first cell. Tables of parts come before all others.
  Cell table(std::int64_t rows, std::int32_t width) {
    const std::int64_t size = size_ + rows * padded(width);
    if (size > std::numeric_limits<Cell>::max() - lanes)
      throw Error("DataError", "a sentence has too many tokens to search all of its outputs.", "Split the sentence.");
    first_run_.resize(static_cast<std::size_t>(size / lanes), none);
    return std::exchange(size_, static_cast<Cell>(size));
  }
  Cell parts(std::int64_t rows, std::int32_t width) {
    const Cell first = table(rows, width);
    parts_ = size_;
    return first;
  }
  // Makes cells the one of the semiring.
  void one(Cell first, std::int32_t count = 1) {
    for (std::int32_t k = 0; k < count; ++k) ones_.push_back(first + k);
  }
  void add(Run run) {
    if (run.count <= 0) return;
    if (!runs_.empty() && runs_.back().to == run.to) {
      runs_.back().last = false;
      run.more = true;
    } else {
      for (Cell at = run.to; at < run.to + run.width; at += lanes)
        first_run_[static_cast<std::size_t>(at / lanes)] = static_cast<std::int32_t>(runs_.size());
    }
    runs_.push_back(run);
  }
  // The cell that stands for whole outputs.
  void goal(Cell at) noexcept { goal_ = at; }

  Cell parts() const noexcept { return parts_; }
  Cell goal() const noexcept { return goal_; }
  // How many numbers an array for all cells has: reading a row may go beyond its end.
  std::size_t size() const noexcept { return static_cast<std::size_t>(size_ + lanes); }
  const std::vector<Run>& runs() const noexcept { return runs_; }
  const std::vector<Cell>& ones() const noexcept { return ones_; }

  // Whether a cell is a sum: neither a part nor a one.
  bool is_sum(Cell at) const noexcept { return first_run_[static_cast<std::size_t>(at / lanes)] != none; }
  Cell weight(Cell sum) const noexcept {
    const Run& run = first_run(sum);
    return run.weight == no_cell ? no_cell : run.weight + (sum - run.to);
  }
  // Calls visit(Way) for all terms of a sum, in the order of the recording.
  template <class Visit>
  void each_way(Cell sum, Visit visit) const {
    for (const Run* run = &first_run(sum);; ++run) {
      const std::int32_t y = sum - run->to;
      Way way{run->a.at + (run->shared ? 0 : y), run->b.at + y, run->c.at == no_cell ? no_cell : run->c.at + y};
      for (std::int32_t k = 0; k < run->count; ++k) {
        visit(static_cast<const Way&>(way));
        way.a += run->a.step;
        way.b += run->b.step;
        if (way.c != no_cell) way.c += run->c.step;
      }
      if (run->last) return;
    }
  }

 private:
  static constexpr std::int32_t none = -1;

  const Run& first_run(Cell sum) const noexcept {
    return runs_[static_cast<std::size_t>(first_run_[static_cast<std::size_t>(sum / lanes)])];
  }

  Cell parts_ = 0, size_ = 0, goal_ = no_cell;
  std::vector<Run> runs_;
  std::vector<Cell> ones_;
  std::vector<std::int32_t> first_run_;  // of every row, in steps of `lanes` cells
};

}  // namespace riata
