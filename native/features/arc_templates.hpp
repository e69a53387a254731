// What the features of dependency arcs read: n-grams at the head, at the child and at its sibling, what stands between head and child, and
// how far apart they are.
#pragma once

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <utility>
#include <vector>

#include "core/error.hpp"
#include "features/index.hpp"

namespace riata {

// An n-gram at a token: its family, and the offset of its first position from the token. Family -1: none.
struct NgramRead {
  std::int32_t family = -1, offset = 0;
  bool reads() const noexcept { return family >= 0; }
};

// In which way features also read where an arc goes. A group of features may have several of them.
enum ArcContext : std::uint8_t { plain = 1, with_direction = 2, with_distance = 4 };

// The direction and the distance of an arc as one number: lengths 1, 2, 3, 4, 5 to 10 and above 10 (McDonald, Crammer & Pereira 2005), to
// the left or to the right.
inline constexpr std::int32_t distance_classes = 6, arc_ways = 2 * distance_classes;
inline std::int32_t way_of(std::int32_t head, std::int32_t child) noexcept {
  const std::int32_t distance = std::abs(head - child);
  const std::int32_t bucket = distance <= 4 ? distance - 1 : distance <= 10 ? 4 : 5;
  return (head < child ? distance_classes : 0) + bucket;
}

// Features that read the same n-grams. Their weights stand together, in a block: one number for the arc alone, two by direction, and twelve
// by direction and distance, as far as the group has these contexts; or a row for all relations instead of each number.
struct ArcGroup {
  NgramRead head, child;
  std::int32_t between = -1;  // family: one feature for each of its values at the tokens between
  bool relation = false;      // whether relations are scored, not arcs
  std::uint8_t contexts = plain;
  NgramRead sibling = {};  // if it is read, a child beside its sibling is scored; the distance is that between them

  bool two_sided() const noexcept { return (head.reads() && child.reads()) || between >= 0; }
  // Whether blocks are found by the pair of n-grams at head and child, and a third number.
  bool has_pairs() const noexcept { return between >= 0 || sibling.reads(); }
  std::int32_t numbers() const noexcept {
    return (contexts & plain ? 1 : 0) + (contexts & with_direction ? 2 : 0) + (contexts & with_distance ? arc_ways : 0);
  }
  // Calls visit(number in the block) for the contexts of an arc that goes this way.
  template <class Visit>
  void each(std::int32_t way, Visit visit) const {
    std::int32_t at = 0;
    if (contexts & plain) visit(at++);
    if (contexts & with_direction) {
      visit(at + way / distance_classes);
      at += 2;
    }
    if (contexts & with_distance) visit(at + way);
  }
};

class ArcTemplates {
 public:
  ArcTemplates(const FeatureIndex& index, std::vector<ArcGroup> groups) : groups_(std::move(groups)) {
    for (const ArcGroup& group : groups_) {
      for (const std::int32_t family : {group.head.family, group.child.family, group.between, group.sibling.family}) {
        if (family < -1 || family >= index.families() || group.numbers() == 0 || (group.has_pairs() && group.relation) ||
            (group.between >= 0 && group.sibling.reads()))
          throw Error("RiataError", "the templates of arcs do not fit the feature index");
      }
    }
  }

  const std::vector<ArcGroup>& groups() const noexcept { return groups_; }
  std::int32_t size() const noexcept { return static_cast<std::int32_t>(groups_.size()); }
  const ArcGroup& operator[](std::int32_t g) const noexcept { return groups_[static_cast<std::size_t>(g)]; }
  bool read_siblings() const noexcept {
    return std::ranges::any_of(groups_, [](const ArcGroup& group) { return group.sibling.reads(); });
  }

 private:
  std::vector<ArcGroup> groups_;
};

}  // namespace riata
