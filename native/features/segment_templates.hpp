// What the features of a labelled segment read (see src/riata/features/segments.py).
#pragma once

#include <algorithm>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "core/error.hpp"
#include "features/index.hpp"

namespace riata {

// Where the n-gram of an anchored slot stands in the segment. inside: wherever all of it is within.
enum class Role : std::int32_t { first, last, inside };

// A feature whose n-gram is known before the search: block of `family`, row `id * slots + slot`.
struct AnchoredSlot {
  Role role;
  std::int32_t family;
  std::int32_t offset;  // of the n-gram's first position from the segment's first or last token; inside: 0
  std::int32_t reach = 0, slot = 0, slots = 0;
};

// Features that are found while searching; their rows are GrownRows.
enum class Grown : std::int32_t { length, sequence, history };

struct GrownSlot {
  Grown kind;
  std::int32_t family = -1;  // -1: none
  std::int32_t offset = 0;
  std::vector<std::int32_t> back = {};  // of history: segments back, 1 for the one before, in increasing order
};

class SegmentTemplates {
 public:
  SegmentTemplates(const FeatureIndex& index, std::vector<AnchoredSlot> anchored, std::vector<GrownSlot> grown)
      : anchored_(std::move(anchored)), grown_(std::move(grown)), counts_(static_cast<std::size_t>(index.families()), 0) {
    for (AnchoredSlot& slot : anchored_) {
      check(slot.family >= 0 && slot.family < index.families() && (slot.role != Role::inside || slot.offset == 0));
      slot.reach = index.reach(slot.family);
      slot.slot = counts_[slot.family]++;
      if (slot.role == Role::inside) reach_ = std::max(reach_, slot.reach);
    }
    for (AnchoredSlot& slot : anchored_) slot.slots = counts_[slot.family];
    for (const GrownSlot& slot : grown_) {
      check(slot.family >= -1 && slot.family < index.families() && (slot.kind != Grown::sequence || slot.family >= 0));
      check((slot.kind == Grown::history) == !slot.back.empty());
      for (const std::int32_t back : slot.back) check(back >= 1 && back <= most_back);
      if (!slot.back.empty()) order_ = std::max(order_, slot.back.back());
    }
  }

  static constexpr std::int32_t most_back = 2;

  const std::vector<AnchoredSlot>& anchored() const noexcept { return anchored_; }
  const std::vector<GrownSlot>& grown() const noexcept { return grown_; }
  std::int32_t slots_of(std::int32_t family) const noexcept { return counts_[family]; }
  std::int32_t reach() const noexcept { return reach_; }  // of the longest n-gram inside
  std::int32_t order() const noexcept { return order_; }  // how many segments back labels are read

 private:
  static void check(bool ok) {
    if (!ok) throw Error("TemplateError", "the templates of segments are inconsistent");
  }

  std::vector<AnchoredSlot> anchored_;
  std::vector<GrownSlot> grown_;
  std::vector<std::int32_t> counts_;  // [F] anchored slots
  std::int32_t reach_ = 0, order_ = 0;
};

}  // namespace riata
