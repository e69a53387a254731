// In which order, and in which groups, the weights of a token are added up. Groups are what folding (models/folded.hpp)
// replaces by one row; sums that keep to the plan are the same to the last bit, folded or not.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace riata {

struct FamilySpec {
  std::int32_t parent;     // an earlier family, or -1 for a root
  std::int32_t attribute;  // what the last element of the n-gram reads
  std::int32_t offset;     // where, counted from the n-gram's first position; 0 for a root
};

// Where one template finds its row: block of `family`, row `id * slots + slot`.
struct Slot {
  std::int32_t family;
  std::int32_t offset;
  std::int32_t slot;
  std::int32_t slots;
};

struct SumPlan {
  // Templates that read one and the same word type.
  struct TypeTerm {
    std::int32_t column, offset;
    std::vector<Slot> slots;
  };
  // Templates at one offset, each of which goes on where the n-gram of the one before ends: wherever the last is known, all are.
  struct ChainTerm {
    std::int32_t offset;
    std::vector<Slot> slots;
  };

  SumPlan() = default;
  // columns: [attributes] of whose word types each is a function.
  SumPlan(std::span<const FamilySpec> families, std::span<const std::int32_t> columns, std::span<const Slot> slots);

  std::vector<TypeTerm> types;    // column by column
  std::vector<ChainTerm> chains;  // come after the types
};

}  // namespace riata
