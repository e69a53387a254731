// The best output of a tape, the second best, and so on. Each is found when it is asked for.
#pragma once

#include <algorithm>
#include <cstdint>
#include <deque>
#include <limits>
#include <optional>
#include <utility>
#include <vector>

#include "core/numbers.hpp"
#include "inference/tape/play.hpp"

namespace riata {

// Huang & Chiang 2005, Algorithm 3: one pass forwards gives the best way to every cell; further ways are found on the way back, only in
// cells that need them. Differs: a loop instead of the recursion, since sentences may be long; ties go to the way that was recorded first,
// then to the one that was found first; and a part may have further scores of its own, such as the labels of an arc.
template <class Real>
class TapeList {
 public:
  // A part of an output, and which of its scores: 0 is the one on the tape.
  struct Part {
    Cell cell;
    std::int32_t rank;
  };

  // Returns the cells of parts, to be filled in with scores; they are minus infinity. The tape must outlive the list.
  Real* open(const Tape& tape) {
    tape_ = &tape;
    v_.assign(tape.size(), never);
    used_ = 0;
    rank_ = 0;
    played_ = false;
    return v_.data();
  }

  // Writes the parts of the next output and returns its score; nothing if there are no more. further(part, rank): the score of a part that
  // comes after that of rank - 1, or nothing; rank is at least 1.
  template <class Further>
  std::optional<Real> next(Further further, std::vector<Part>& parts) {
    play();
    const Cell goal = tape_->goal();
    while (states_[0].found.size() <= rank_ && !states_[0].exhausted) find_one_more(goal, further);
    if (states_[0].found.size() <= rank_) return std::nullopt;
    parts.clear();
    todo_.assign(1, {goal, static_cast<std::int32_t>(rank_)});
    while (!todo_.empty()) {
      const Part at = todo_.back();
      todo_.pop_back();
      if (at.cell < tape_->parts()) {
        parts.push_back(at);
      } else if (tape_->is_sum(at.cell)) {
        const Found way = state(at.cell).found[static_cast<std::size_t>(at.rank)];
        each_tail(at.cell, way.way, [&](int i, Cell tail) { todo_.push_back({tail, way.ranks[i]}); });
      }
    }
    return states_[0].found[rank_++].score;
  }
  std::optional<Real> next(std::vector<Part>& parts) {
    return next([](Cell, std::int32_t) { return std::optional<Real>(); }, parts);
  }

 private:
  static constexpr Real never = -std::numeric_limits<Real>::infinity();
  static constexpr std::int32_t no_state = -1;

  // A way to a cell, with the ranks of a, b, c and the weight among their own ways (the back-pointers).
  struct Found {
    Real score;
    std::int32_t number;   // of the way, in the order of the recording
    std::int32_t entered;  // how many were in the frontier before
    Way way;
    std::int32_t ranks[4] = {};
    bool operator<(const Found& other) const noexcept {  // for a heap, whose largest element is the best
      if (score != other.score) return score < other.score;
      return number != other.number ? number > other.number : entered > other.entered;
    }
  };
  struct State {
    std::vector<Found> found;     // best first
    std::vector<Found> frontier;  // heap
    std::int32_t entered = 0;     // how many ways have entered the frontier
    bool exhausted = false;       // otherwise the successors of the last way found must still enter it
  };

  // visit(which, cell) for the factors of a way and the weight of its cell.
  template <class Visit>
  void each_tail(Cell of, const Way& way, Visit visit) const {
    visit(0, way.a);
    visit(1, way.b);
    if (way.c != no_cell) visit(2, way.c);
    if (const Cell weight = tape_->weight(of); weight != no_cell) visit(3, weight);
  }
  Real product(const Way& way) const noexcept {
    const Real two = v_[place(way.a)] + v_[place(way.b)];
    return way.c == no_cell ? two : two + v_[place(way.c)];
  }
  Real weigh(Cell of, Real sum) const noexcept {
    const Cell weight = tape_->weight(of);
    return weight == no_cell ? sum : sum + v_[place(weight)];
  }
  static std::size_t place(std::int32_t number) noexcept { return static_cast<std::size_t>(number); }

  void play() {
    if (played_) return;
    played_ = true;
    play_largest(*tape_, v_.data());
    state_of_.assign(tape_->size(), no_state);
    state(tape_->goal());
  }

  // A new state has found its best way.
  State& state(Cell of) {
    std::int32_t& id = state_of_[place(of)];
    if (id == no_state) {
      id = used_++;
      if (place(id) == states_.size()) states_.emplace_back();
      State& fresh = states_[place(id)];
      fresh.found.clear();
      fresh.frontier.clear();
      fresh.entered = 0;
      find_best(of, fresh);
    }
    return states_[place(id)];
  }
  void find_best(Cell of, State& state) const {
    Found best{never, 0, 0, {}};
    std::int32_t number = 0;
    tape_->each_way(of, [&](const Way& way) {
      if (const Real score = product(way); score > best.score) best = {score, number, 0, way};
      ++number;
    });
    best.score = weigh(of, best.score);
    state.exhausted = !(best.score > never);
    if (!state.exhausted) state.found.push_back(best);
  }
  // All ways but the best one enter the frontier.
  void fill_frontier(Cell of, State& state) const {
    tape_->each_way(of, [&](const Way& way) {
      const std::int32_t number = state.entered++;
      if (const Real score = weigh(of, product(way)); score > never && number != state.found[0].number)
        state.frontier.push_back({score, number, 0, way});
    });
    std::make_heap(state.frontier.begin(), state.frontier.end());
  }

  // One more way to a cell, after one more to those cells below it that need it.
  template <class Further>
  void find_one_more(Cell to, Further further) {
    asked_.assign(1, to);
    while (!asked_.empty()) {
      const Cell at = asked_.back();
      State& here = state(at);  // states_ is a deque, so `here` does not move
      if (!here.exhausted && ask_successors(at, here.found.back())) continue;
      asked_.pop_back();
      if (!here.exhausted) add_successors(at, here, further);
      here.exhausted = here.frontier.empty();
      if (here.exhausted) continue;
      std::pop_heap(here.frontier.begin(), here.frontier.end());
      here.found.push_back(here.frontier.back());
      here.frontier.pop_back();
    }
  }
  // Calls visit(which, cell) for the tails of a way that go on to their next rank: all behind the last one whose rank is not 0, and that
  // one. So no way is reached twice.
  template <class Visit>
  void each_successor(Cell at, const Found& last, Visit visit) const {
    int first = 3;
    while (first > 0 && last.ranks[first] == 0) --first;
    each_tail(at, last.way, [&](int i, Cell tail) {
      if (i >= first) visit(i, tail);
    });
  }
  // Whether cells below have to find one more way first.
  bool ask_successors(Cell at, const Found& last) {
    const std::size_t before = asked_.size();
    each_successor(at, last, [&](int i, Cell tail) {
      if (!tape_->is_sum(tail)) return;
      const State& below = state(tail);
      if (!below.exhausted && below.found.size() <= place(last.ranks[i]) + 1) asked_.push_back(tail);
    });
    return asked_.size() > before;
  }
  template <class Further>
  void add_successors(Cell at, State& here, Further further) {
    if (here.found.size() == 1) fill_frontier(at, here);
    const Found last = here.found.back();
    each_successor(at, last, [&](int i, Cell tail) {
      Found next = last;
      if (!score_of(tail, ++next.ranks[i], further)) return;
      next.score = 0;
      each_tail(at, last.way, [&](int j, Cell other) { next.score += *score_of(other, next.ranks[j], further); });
      if (!(next.score > never)) return;
      next.entered = here.entered++;
      here.frontier.push_back(next);
      std::push_heap(here.frontier.begin(), here.frontier.end());
    });
  }
  template <class Further>
  std::optional<Real> score_of(Cell cell, std::int32_t rank, Further& further) {
    if (rank == 0) return v_[place(cell)];
    if (cell < tape_->parts()) return further(cell, rank);
    if (!tape_->is_sum(cell)) return std::nullopt;
    const State& below = state(cell);
    return place(rank) < below.found.size() ? std::optional(below.found[place(rank)].score) : std::nullopt;
  }

  const Tape* tape_ = nullptr;
  bool played_ = false;
  Numbers<Real> v_;                     // the best score of every cell
  std::vector<std::int32_t> state_of_;  // of every cell: the place of its state in states_
  std::deque<State> states_;            // of the goal, and of cells below that were visited
  std::int32_t used_ = 0;               // how many states belong to this sentence
  std::size_t rank_ = 0;                // outputs that were returned
  std::vector<Part> todo_;
  std::vector<Cell> asked_;
};

}  // namespace riata
