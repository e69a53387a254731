#include "inference/parts/matching.hpp"

#include <algorithm>
#include <limits>
#include <numeric>
#include <optional>
#include <queue>
#include <set>
#include <string>
#include <tuple>
#include <utility>

#include "inference/offered.hpp"
#include "inference/parts/recursion.hpp"
#include "inference/parts/table_assigner.hpp"
#include "inference/structures/part_structure.hpp"

namespace riata {
namespace {

constexpr double never = -std::numeric_limits<double>::infinity();
constexpr std::int64_t most_for_sums = 12;                 // rows or columns, whichever are fewer
constexpr std::int64_t most_ways = std::int64_t{1} << 23;  // of the recursion over subsets

std::size_t at(std::int32_t i) noexcept { return static_cast<std::size_t>(i); }

// All matchings as a recursion: a cell for every set of columns that the rows up to one have taken. There are as many sets as 2 to the
// number of columns; the permanent, a sum of this kind, has no algorithm that is not exponential (Valiant 1979).
Recursion over_subsets(const Matching& set) {
  const bool turned = set.column_room().size() > set.row_room().size();  // the fewer are in the set
  const std::vector<std::int32_t>& long_room = turned ? set.column_room() : set.row_room();
  const std::vector<std::int32_t>& short_room = turned ? set.row_room() : set.column_room();
  std::vector<std::vector<std::pair<std::int32_t, std::int32_t>>> ways(long_room.size());  // of every place: column and part
  for (std::int32_t part = 0; part < static_cast<std::int32_t>(set.links().size()); ++part) {
    auto [row, column] = set.links()[at(part)];
    if (turned) std::swap(row, column);
    if (long_room[at(row)] > 0 && short_room[at(column)] > 0) ways[at(row)].emplace_back(column, part);
  }
  Tape tape;
  tape.parts(1, std::max(static_cast<std::int32_t>(set.parts()), 1));
  const Cell one = tape.table(1, 1);
  tape.one(one);
  Cell all_given = one;
  for (const std::int32_t part : set.given()) {
    const Cell next = tape.table(1, 1);
    tape.add({.to = next, .a = {all_given, 0}, .b = {part, 0}});
    all_given = next;
  }
  const std::uint32_t sets = std::uint32_t{1} << short_room.size();
  std::vector<Cell> before(sets, no_cell), here;
  before[0] = all_given;
  for (const auto& of : ways) {
    here.assign(sets, no_cell);
    for (std::uint32_t taken = 0; taken < sets; ++taken) {
      const auto add = [&](Cell from, Cell part) {
        if (from == no_cell) return;
        if (here[taken] == no_cell) here[taken] = tape.table(1, 1);
        tape.add({.to = here[taken], .a = {from, 0}, .b = {part, 0}});
      };
      add(before[taken], one);
      for (const auto& [column, part] : of) {
        if ((taken >> column & 1) != 0) add(before[taken ^ (std::uint32_t{1} << column)], part);
      }
    }
    std::swap(before, here);
  }
  const Cell goal = tape.table(1, 1);
  for (const Cell from : before) {
    if (from != no_cell) tape.add({.to = goal, .a = {from, 0}, .b = {one, 0}});
  }
  tape.goal(goal);
  return Recursion(std::move(tape), set.parts());
}

// The next best by Murty's partition (1968). All other outputs lack one of the free links of the best, or have all of them and more. The
// first kinds are solved again, with links that every output has and links that none has. Of the second kind, the best adds the best of the
// links that still fit, none of which gains anything; so no more is to be solved there.
class MatchingSolver final : public PartSolver {
 public:
  void open(const OutputSet& set, std::span<const double> scores) override {
    set_ = &static_cast<const Matching&>(set);
    scores_ = scores;
    sums_ = nullptr;
  }

  std::optional<double> best(std::vector<std::int32_t>& parts) override {
    parts.clear();
    for (const std::int32_t part : set_->given()) {
      if (scores_[at(part)] == never) return std::nullopt;
    }
    fixed_ = set_->given();
    barred_.clear();
    solve(parts);
    return total(parts);
  }

  void open_list() override {
    queue_ = {};
    Found first;
    const std::optional<double> score = best(first.parts);
    if (!score) return;
    first.score = *score;
    first.fixed = set_->given();
    push(std::move(first));
  }

  std::optional<double> next(std::vector<std::int32_t>& parts) override {
    if (queue_.empty()) {
      parts.clear();
      return std::nullopt;
    }
    const Found found = queue_.top();
    queue_.pop();
    parts = found.parts;
    if (found.more == nullptr)
      partition(found);
    else
      push_extended(found);
    return found.score;
  }

  double sums(std::span<double> shares) override {
    if (const std::string why = set_->why_no_sums(); !why.empty())
      throw Error("UnsupportedError", "there is no sum over all matchings: " + why + ".",
                  "Learn with a recipe that needs the best output alone, such as m3n, mira or perceptron.");
    recursion_ = std::make_unique<Recursion>(over_subsets(*set_));
    sums_ = recursion_->solver();
    sums_->open(*recursion_, scores_);
    return sums_->sums(shares);
  }
  void draw(Rng& rng, std::vector<std::int32_t>& parts) override { sums_->draw(rng, parts); }

 private:
  using Parts = std::vector<std::int32_t>;
  struct Found {
    double score = never;
    std::int64_t order = 0;
    Parts parts;                          // the output, sorted
    Parts fixed, barred;                  // what all outputs of this share of the partition have, and have not; both sorted
    std::shared_ptr<const Parts> more{};  // extensions: what may be added to the rest of the output, best first; the output has the last
    std::size_t last = 0;
    bool operator<(const Found& other) const noexcept { return score != other.score ? score < other.score : order > other.order; }
  };

  void push(Found&& found) {
    found.order = ++pushed_;
    queue_.push(std::move(found));
  }

  double total(const Parts& parts) const {
    double sum = 0;
    for (const std::int32_t part : parts) sum += scores_[at(part)];
    return sum;
  }

  // The best output with the links of fixed_ and none of barred_.
  void solve(Parts& parts) {
    row_room_ = set_->row_room(), column_room_ = set_->column_room();
    gains_.clear();
    for (const std::int32_t part : set_->by_row()) gains_.push_back(scores_[at(part)]);
    for (const std::int32_t part : barred_) gains_[at(set_->place(part))] = never;
    for (const std::int32_t part : fixed_) {
      gains_[at(set_->place(part))] = never;
      if (!std::ranges::binary_search(set_->given(), part)) take_room(part);
    }
    if (set_->is_table())
      of_table_.solve(gains_, row_room_, column_room_, chosen_);
    else
      assigner_.solve(set_->sorted(), gains_, row_room_, column_room_, chosen_);
    parts = fixed_;
    for (const std::int32_t k : chosen_) parts.push_back(set_->by_row()[at(k)]);
    std::ranges::sort(parts);
  }
  void take_room(std::int32_t part) {
    const Link link = set_->links()[at(part)];
    --row_room_[at(link.row)], --column_room_[at(link.column)];
  }

  void partition(const Found& found) {
    fixed_ = found.fixed;
    barred_ = found.barred;
    Parts free;
    std::ranges::set_difference(found.parts, found.fixed, std::back_inserter(free));
    for (const std::int32_t part : free) {
      barred_.insert(std::ranges::lower_bound(barred_, part), part);
      Found other;
      solve(other.parts);
      other.score = total(other.parts);
      other.fixed = fixed_, other.barred = barred_;
      push(std::move(other));
      barred_.erase(std::ranges::lower_bound(barred_, part));
      fixed_.insert(std::ranges::lower_bound(fixed_, part), part);
    }
    Parts others;
    for (std::int32_t part = 0; part < static_cast<std::int32_t>(set_->links().size()); ++part) {
      if (scores_[at(part)] != never && !std::ranges::binary_search(found.parts, part) && !std::ranges::binary_search(found.barred, part))
        others.push_back(part);
    }
    std::ranges::stable_sort(others, std::greater<>(), [&](std::int32_t part) { return scores_[at(part)]; });
    extend(found.parts, others);
  }

  // Pushes an output with the first of those links that fit; the others may follow.
  void extend(const Parts& parts, std::span<const std::int32_t> others) {
    row_room_ = set_->row_room(), column_room_ = set_->column_room();
    for (const std::int32_t part : parts) {
      if (!std::ranges::binary_search(set_->given(), part)) take_room(part);
    }
    auto fitting = std::make_shared<Parts>();
    for (const std::int32_t part : others) {
      const Link link = set_->links()[at(part)];
      if (row_room_[at(link.row)] > 0 && column_room_[at(link.column)] > 0) fitting->push_back(part);
    }
    if (!fitting->empty()) push_with(parts, std::move(fitting), 0);
  }
  void push_with(Parts parts, std::shared_ptr<const Parts> more, std::size_t which) {
    Found found;
    parts.insert(std::ranges::lower_bound(parts, (*more)[which]), (*more)[which]);
    found.score = total(parts);
    found.parts = std::move(parts);
    found.more = std::move(more);
    found.last = which;
    push(std::move(found));
  }
  // The next link instead of the last; and one more after it.
  void push_extended(const Found& found) {
    Parts without = found.parts;
    without.erase(std::ranges::lower_bound(without, (*found.more)[found.last]));
    if (found.last + 1 < found.more->size()) push_with(std::move(without), found.more, found.last + 1);
    extend(found.parts, std::span(*found.more).subspan(found.last + 1));
  }

  const Matching* set_ = nullptr;
  std::span<const double> scores_;
  Assigner assigner_;
  TableAssigner of_table_;
  Parts fixed_, barred_, chosen_, row_room_, column_room_;
  std::vector<double> gains_;
  std::priority_queue<Found> queue_;
  std::int64_t pushed_ = 0;
  std::unique_ptr<Recursion> recursion_;
  std::unique_ptr<PartSolver> sums_;
};

}  // namespace

Matching::Matching(std::vector<Link> links, std::vector<std::int32_t> row_room, std::vector<std::int32_t> column_room,
                   std::vector<std::int32_t> given, bool sums)
    : links_(std::move(links)),
      row_room_(std::move(row_room)),
      column_room_(std::move(column_room)),
      given_(std::move(given)),
      sums_(sums) {
  const auto more = [](std::int32_t room) { return room > 1; };
  single_ = std::ranges::none_of(row_room_, more) && std::ranges::none_of(column_room_, more);
  by_row_.resize(links_.size());
  std::iota(by_row_.begin(), by_row_.end(), 0);
  std::ranges::sort(by_row_, {}, [&](std::int32_t part) {
    const auto [row, column] = links_[at(part)];
    return std::tuple(row, column, part);
  });
  place_.resize(links_.size());
  for (std::size_t k = 0; k < by_row_.size(); ++k) {
    place_[at(by_row_[k])] = static_cast<std::int32_t>(k);
    sorted_.push_back(links_[at(by_row_[k])]);
  }
  is_full_ = links_.size() == row_room_.size() * column_room_.size();
  for (std::size_t k = 0; is_full_ && k < sorted_.size(); ++k)
    is_full_ = static_cast<std::size_t>(sorted_[k].row) * column_room_.size() + static_cast<std::size_t>(sorted_[k].column) == k;
  std::ranges::sort(given_);
  for (const std::int32_t part : given_) {
    const auto [row, column] = links_[at(part)];
    if (--row_room_[at(row)] < 0 || --column_room_[at(column)] < 0)
      throw Error("DataError",
                  "the given links contradict each other: " + std::string(row_room_[at(row)] < 0 ? "row " : "column ") +
                      std::to_string(row_room_[at(row)] < 0 ? row : column) + " has more of them than it may have links.",
                  "Give fewer, or allow more links.");
  }
}

std::string Matching::why_no_sums() const {
  const auto fewer = static_cast<std::int64_t>(std::min(row_room_.size(), column_room_.size()));
  if (!single_) return "it is only there where nothing has more than one link";
  if (sums_ && fewer <= most_for_sums && (std::max<std::int64_t>(parts(), 1) << fewer) <= most_ways) return "";
  return "it is a permanent, which is #P-complete (Valiant 1979), and is computed only of tables with at most " +
         std::to_string(most_for_sums) + " rows or columns";
}

std::unique_ptr<PartSolver> Matching::solver() const { return std::make_unique<MatchingSolver>(); }

namespace {

// Sums are permanents.
std::set<std::string> operations() {
  std::set<std::string> offered = operations_of<PartStructure<float>>();
  for (const char* missing : {"expected features", "posteriors", "single weights"}) offered.erase(missing);
  return offered;
}
const RegisteredStructure entered("matching", operations());

}  // namespace

}  // namespace riata
