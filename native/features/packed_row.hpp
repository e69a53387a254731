// A row with one weight per relation, of which most are never touched.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <limits>

namespace riata {

// The place of a weight in a vector, in 32 bits; or none.
class WeightPlace {
 public:
  static constexpr std::int64_t most = std::numeric_limits<std::uint32_t>::max();  // places are lower

  WeightPlace() = default;
  explicit WeightPlace(std::int64_t place) noexcept : place_(static_cast<std::uint32_t>(place)) {}
  bool operator==(const WeightPlace&) const = default;
  bool known() const noexcept { return place_ != none; }
  std::int64_t place() const noexcept { return known() ? std::int64_t{place_} : -1; }

 private:
  static constexpr std::uint32_t none = std::numeric_limits<std::uint32_t>::max();
  std::uint32_t place_ = none;
};

// The first four relations of a row stand together. If there are more, all others have a weight each.
struct PackedRow {
  static constexpr std::int32_t width = 4;
  WeightPlace few, all;  // where the four weights start, and the others, which have a place for each relation
  // The relations of the four. From the second on, one that equals the first has not been taken: its weight is 0.
  std::array<std::uint16_t, width> relations = {};

  static PackedRow of(std::int32_t relation, WeightPlace few) noexcept {
    PackedRow out;
    out.few = few;
    out.relations.fill(static_cast<std::uint16_t>(relation));
    return out;
  }
  bool operator==(const PackedRow&) const = default;
  bool known() const noexcept { return few.known(); }

  // The place of the weight of a relation; -1: it has none.
  std::int64_t place(std::int32_t relation) const noexcept {
    const auto at = std::ranges::find(relations, static_cast<std::uint16_t>(relation));
    if (at != relations.end()) return few.place() + (at - relations.begin());
    return all.known() ? all.place() + relation : -1;
  }
  // Whether a relation is one of the four; it becomes one if there is room.
  bool has_room(std::int32_t relation) noexcept {
    const auto wanted = static_cast<std::uint16_t>(relation);
    if (relations[0] == wanted) return true;
    for (std::size_t i = 1; i < relations.size(); ++i) {
      if (relations[i] == relations[0]) relations[i] = wanted;
      if (relations[i] == wanted) return true;
    }
    return false;
  }
  // Calls visit(relation, place) for all weights. count: of relations.
  template <class Visit>
  void each(std::int32_t count, Visit visit) const {
    for (std::size_t i = 0; i < relations.size(); ++i) {
      if (i == 0 || relations[i] != relations[0]) visit(std::int32_t{relations[i]}, few.place() + static_cast<std::int64_t>(i));
    }
    for (std::int32_t r = 0; all.known() && r < count; ++r) {
      if (std::ranges::find(relations, static_cast<std::uint16_t>(r)) == relations.end()) visit(r, all.place() + r);
    }
  }
  // Adds the weights to the scores of all relations, [padded].
  template <class Real>
  [[gnu::always_inline]] void add_to(Real* scores, std::int32_t stride, const Real* weights) const noexcept {
    if (all.known()) {
      const Real* row = weights + all.place();
      for (std::int32_t r = 0; r < stride; ++r) scores[r] += row[r];
    }
    const Real* four = weights + few.place();
    for (std::size_t i = 0; i < relations.size(); ++i) scores[relations[i]] += four[i];
  }
};

}  // namespace riata
