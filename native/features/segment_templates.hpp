// What the features of a labelled segment read (see src/riata/structures/segments/templates.py).
#pragma once

#include <algorithm>
#include <cstdint>
#include <utility>
#include <vector>

#include "core/error.hpp"
#include "core/kinds.hpp"
#include "features/index.hpp"

namespace riata {

// Where the n-gram of an anchored slot stands: relative to the segment's first or last token, or anywhere as long as it is all inside.
enum class Role : std::int32_t { first, last, inside };

struct AnchoredSlot {
  Role role;
  std::int32_t family;
  std::int32_t offset;  // of the n-gram's first position, from the segment's first or last token; 0 if the role is inside
  // slot: number of the slot. reach: distance from the first to the last position of the family's n-grams.
  SlotId slot = {};
  std::int32_t reach = 0;
};

// All tokens of the segment, and `around` tokens on either side, as one feature.
struct SequenceSlot {
  std::int32_t family;
  std::int32_t around;
  SlotId slot = {};
};

// Labels of earlier segments, and with them, if asked for, the length of the segment before and an n-gram.
struct BackSlot {
  std::vector<std::int32_t> back;  // how many segments back each label is, 1 for the segment before; increasing
  bool length;                     // whether the length of the segment before is read
  std::int32_t family;             // -1: reads no n-gram
  std::int32_t offset;
  bool previous;  // whether the n-gram stands at the first token of the segment before instead of the present segment
  SlotId slot = {};
};

// Slots are numbered in this order: anchored slots, the length (if it is read), sequences, histories.
class SegmentTemplates {
 public:
  SegmentTemplates(const FeatureIndex& index, std::vector<AnchoredSlot> anchored, bool length, std::vector<SequenceSlot> sequences,
                   std::vector<BackSlot> histories)
      : anchored_(std::move(anchored)), sequences_(std::move(sequences)), histories_(std::move(histories)) {
    for (AnchoredSlot& slot : anchored_) {
      check(slot.family >= 0 && slot.family < index.families() && (slot.role != Role::inside || slot.offset == 0));
      slot.reach = index.reach(slot.family);
      slot.slot = SlotId(slots_++);
      if (slot.role == Role::inside) reach_ = std::max(reach_, slot.reach);
    }
    if (length) length_ = SlotId(slots_++);
    for (SequenceSlot& slot : sequences_) {
      check(slot.family >= 0 && slot.family < index.families() && slot.around >= 0);
      slot.slot = SlotId(slots_++);
    }
    for (BackSlot& slot : histories_) {
      check(slot.family >= -1 && slot.family < index.families());
      for (const std::int32_t back : slot.back) check(back >= 1 && back <= most_back);
      slot.slot = SlotId(slots_++);
      if (!slot.back.empty()) order_ = std::max(order_, slot.back.back());
      reads_start_ = reads_start_ || slot.length || slot.previous;
    }
  }

  static constexpr std::int32_t most_back = 2;

  // About how many rows there can be, to reserve memory: one per n-gram of anchored slots, and a guess for the other slots.
  std::int64_t most_rows(const FeatureIndex& index) const noexcept {
    std::int64_t rows = 0;
    for (const AnchoredSlot& slot : anchored_) rows += index.size(slot.family);
    for (const SequenceSlot& slot : sequences_) rows += 4 * std::int64_t{index.size(slot.family)};
    for (const BackSlot& slot : histories_) rows += slot.family < 0 ? 0 : 2 * std::int64_t{index.size(slot.family)};
    return rows;
  }

  const std::vector<AnchoredSlot>& anchored() const noexcept { return anchored_; }
  const std::vector<SequenceSlot>& sequences() const noexcept { return sequences_; }
  const std::vector<BackSlot>& histories() const noexcept { return histories_; }
  SlotId length() const noexcept { return length_; }  // the slot of the length; -1: the length is not read
  std::int32_t slots() const noexcept { return slots_; }
  std::int32_t reach() const noexcept { return reach_; }      // of the longest n-gram that is read inside segments
  std::int32_t order() const noexcept { return order_; }      // how many segments back labels are read
  bool reads_start() const noexcept { return reads_start_; }  // whether any slot reads where the segment before starts
  bool looks_back() const noexcept { return !histories_.empty(); }

 private:
  static void check(bool ok) {
    if (!ok) throw Error("TemplateError", "the templates of segments are inconsistent");
  }

  std::vector<AnchoredSlot> anchored_;
  std::vector<SequenceSlot> sequences_;
  std::vector<BackSlot> histories_;
  std::int32_t slots_ = 0, reach_ = 0, order_ = 0;
  SlotId length_;
  bool reads_start_ = false;
};

}  // namespace riata
