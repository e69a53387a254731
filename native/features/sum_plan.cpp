#include "features/sum_plan.hpp"

#include <algorithm>

namespace riata {

SumPlan::SumPlan(std::span<const FamilySpec> families, std::span<const std::int32_t> columns, std::span<const Slot> slots) {
  const auto column_of = [&](std::int32_t family) { return columns[families[family].attribute]; };
  const auto reads_one_type = [&](std::int32_t family) {
    for (std::int32_t f = family; f >= 0; f = families[f].parent) {
      if (families[f].offset != 0 || column_of(f) != column_of(family)) return false;
    }
    return true;
  };
  std::vector<Slot> longer;  // templates that read several word types
  for (const Slot& slot : slots) {
    if (!reads_one_type(slot.family)) {
      longer.push_back(slot);
      continue;
    }
    const std::int32_t column = column_of(slot.family);
    const auto same =
        std::find_if(types.begin(), types.end(), [&](const TypeTerm& t) { return t.column == column && t.offset == slot.offset; });
    if (same == types.end())
      types.push_back({column, slot.offset, {slot}});
    else
      same->slots.push_back(slot);
  }
  std::stable_sort(types.begin(), types.end(), [](const TypeTerm& a, const TypeTerm& b) { return a.column < b.column; });
  // Parents come before their children, so that a chain grows step by step.
  std::stable_sort(longer.begin(), longer.end(), [](const Slot& a, const Slot& b) { return a.family < b.family; });
  for (const Slot& slot : longer) {
    const auto goes_on = [&](const auto& term) {
      return term.offset == slot.offset && term.slots.back().family == families[slot.family].parent;
    };
    if (const auto chain = std::find_if(chains.begin(), chains.end(), goes_on); chain != chains.end()) {
      chain->slots.push_back(slot);
      continue;
    }
    chains.push_back({slot.offset, {slot}});
    // If a term of one word type has a single template, and the chain goes on from that template, the template moves into the chain.
    const auto alone = std::find_if(types.begin(), types.end(), [&](const TypeTerm& t) { return t.slots.size() == 1 && goes_on(t); });
    if (alone == types.end()) continue;
    chains.back().slots.insert(chains.back().slots.begin(), alone->slots.front());
    types.erase(alone);
  }
}

}  // namespace riata
