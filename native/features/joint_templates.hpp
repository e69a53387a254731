// What the features of tags and of chunk labels read (see src/riata/structures/joint/templates.py).
#pragma once

#include <algorithm>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "core/error.hpp"
#include "core/kinds.hpp"
#include "features/index.hpp"

namespace riata {

enum class Output : std::int32_t { tag, chunk };
inline constexpr std::size_t outputs = 2;
constexpr std::size_t number(Output output) noexcept { return static_cast<std::size_t>(output); }

// How many tags and chunk labels there are.
struct OutputCounts {
  std::int32_t tags = 0, chunks = 0;
};

// A feature of one output, the tag or the chunk label. The outputs that it reads are counted in operators back from the present one: 0 is
// the tag that the present operator gives.
struct JointSlot {
  Output output = Output::tag;
  std::int32_t family = -1;                          // -1: reads no n-gram
  std::int32_t offset = 0;                           // of the n-gram's first position, from the token
  std::vector<std::int32_t> tags = {}, chunks = {};  // how many operators back outputs are read, increasing
  // For slots that read no outputs: their rows stand in the block of `family`, row `id * slots + slot`.
  std::int32_t slot = 0, slots = 0;
};

// Slots of one output that read the same places of a window. A window holds the tags 0, 1, … operators back, then the chunk labels 1, 2, …
// back.
struct JointGroup {
  struct Place {
    std::int32_t at;  // place in the window
    bool tag;         // false: a chunk label
    bool operator==(const Place&) const = default;
  };
  std::vector<Place> places;
  std::vector<SlotId> slots;  // of this group
  GroupId number;             // of this group among the groups of both outputs
  bool candidate = false;     // whether the group reads the tag that the present operator gives

  // The values that the group reads in a window, as one number. The value of a label is the label plus one; 0 stands for before the
  // sentence.
  std::uint64_t packed(std::span<const std::int32_t> window, const OutputCounts& counts) const noexcept {
    std::uint64_t key = 0;
    for (const Place& place : places)
      key = key * std::uint64_t(base(place, counts)) + std::uint64_t(window[static_cast<std::size_t>(place.at)]);
    return key;
  }
  // The factor by which the value of the first place is multiplied in the packed number.
  std::uint64_t unit(const OutputCounts& counts) const noexcept {
    std::uint64_t unit = 1;
    for (std::size_t i = 1; i < places.size(); ++i) unit *= std::uint64_t(base(places[i], counts));
    return unit;
  }
  // An upper bound of the packed numbers (exclusive). A double, since it may exceed 64 bits.
  double size(const OutputCounts& counts) const noexcept {
    double size = 1;
    for (const Place& place : places) size *= base(place, counts);
    return size;
  }
  static std::int32_t base(const Place& place, const OutputCounts& counts) noexcept {
    return 1 + (place.tag ? counts.tags : counts.chunks);
  }
};

class JointTemplates {
 public:
  JointTemplates(const FeatureIndex& index, std::vector<JointSlot> slots) : slots_(std::move(slots)) {
    for (auto& counts : counts_) counts.assign(static_cast<std::size_t>(index.families()), 0);
    for (JointSlot& slot : slots_) {
      check(slot.family >= -1 && slot.family < index.families());
      for (const std::int32_t back : slot.tags) check(back >= 0 && back <= most_back && (back > 0 || slot.output == Output::chunk));
      for (const std::int32_t back : slot.chunks) check(back >= 1 && back <= most_back);
      check(std::is_sorted(slot.tags.begin(), slot.tags.end()) && std::is_sorted(slot.chunks.begin(), slot.chunks.end()));
      if (!slot.tags.empty()) tags_back_ = std::max(tags_back_, slot.tags.back());
      if (!slot.chunks.empty()) chunks_back_ = std::max(chunks_back_, slot.chunks.back());
      if (slot.tags.empty() && slot.chunks.empty()) {
        check(slot.family >= 0);
        slot.slot = counts_[number(slot.output)][slot.family]++;
      }
    }
    for (SlotId s(0); s.place() < slots_.size(); ++s) {
      JointSlot& slot = slots_[s.place()];
      if (!slot.tags.empty() || !slot.chunks.empty()) {
        join_group(s);
        continue;
      }
      slot.slots = counts_[number(slot.output)][slot.family];
      plain_[number(slot.output)].push_back(s);
    }
  }

  static constexpr std::int32_t most_back = 4;

  std::int32_t slots() const noexcept { return static_cast<std::int32_t>(slots_.size()); }
  const JointSlot& operator[](SlotId slot) const noexcept { return slots_[slot.place()]; }
  const std::vector<SlotId>& plain(Output output) const noexcept { return plain_[number(output)]; }  // slots that read no outputs
  const std::vector<JointGroup>& groups(Output output) const noexcept { return groups_[number(output)]; }
  std::int32_t all_groups() const noexcept { return static_cast<std::int32_t>(groups_[0].size() + groups_[1].size()); }
  // The group of a slot; nullptr if the slot reads no outputs.
  const JointGroup* group_of(SlotId slot) const noexcept {
    for (const JointGroup& group : groups_[number((*this)[slot].output)]) {
      if (std::find(group.slots.begin(), group.slots.end(), slot) != group.slots.end()) return &group;
    }
    return nullptr;
  }
  std::int32_t slots_of(Output output, std::int32_t family) const noexcept { return counts_[number(output)][family]; }

  // How many operators back tags and chunk labels are read. At least one chunk label is always read, to know which may follow.
  std::int32_t tags_back() const noexcept { return tags_back_; }
  std::int32_t chunks_back() const noexcept { return chunks_back_; }

  // The places of the window: of a tag or a chunk label that is `back` operators back, and how many places there are.
  std::int32_t tag_place(std::int32_t back) const noexcept { return back; }
  std::int32_t chunk_place(std::int32_t back) const noexcept { return tags_back_ + back; }
  std::int32_t window() const noexcept { return tags_back_ + chunks_back_ + 1; }

 private:
  static void check(bool ok) {
    if (!ok) throw Error("TemplateError", "the templates of tags and chunk labels are inconsistent");
  }

  void join_group(SlotId s) {
    const JointSlot& slot = (*this)[s];
    std::vector<JointGroup::Place> places;
    for (const std::int32_t back : slot.tags) places.push_back({tag_place(back), true});
    for (const std::int32_t back : slot.chunks) places.push_back({chunk_place(back), false});
    std::vector<JointGroup>& groups = groups_[number(slot.output)];
    auto same = std::find_if(groups.begin(), groups.end(), [&](const JointGroup& group) { return group.places == places; });
    if (same == groups.end()) same = groups.insert(groups.end(), {places, {}, GroupId(all_groups()), places.front().at == 0});
    same->slots.push_back(s);
  }

  std::vector<JointSlot> slots_;
  std::vector<std::int32_t> counts_[outputs];  // [F] how many slots that read no outputs read each family
  std::vector<SlotId> plain_[outputs];
  std::vector<JointGroup> groups_[outputs];
  std::int32_t tags_back_ = 0, chunks_back_ = 1;
};

}  // namespace riata
