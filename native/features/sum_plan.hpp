// The order and the groups in which the weights of a token are added up. Folding (inference/structures/folded.hpp) replaces each group by
// one row. Sums that follow the plan are the same to the last bit, folded or not.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace riata {

struct FamilySpec {
  std::int32_t parent;     // an earlier family, or -1 for a root
  std::int32_t attribute;  // attribute that is read for the last element of the n-gram
  std::int32_t offset;     // position of that element, counted from the n-gram's first position; 0 for a root
};

// Where a template finds its row: in the block of `family`, row `id * slots + slot`.
struct Slot {
  std::int32_t family;
  std::int32_t offset;
  std::int32_t slot;
  std::int32_t slots;
};

struct SumPlan {
  // Templates that read the same single word type: the type of `column` at `offset`.
  struct TypeTerm {
    std::int32_t column, offset;
    std::vector<Slot> slots;
  };
  // Templates at one offset. The n-gram of each continues the n-gram of the one before, so if the last is known, all are.
  struct ChainTerm {
    std::int32_t offset;
    std::vector<Slot> slots;
  };

  SumPlan() = default;
  // columns: [attributes] the column of the data that each attribute reads.
  SumPlan(std::span<const FamilySpec> families, std::span<const std::int32_t> columns, std::span<const Slot> slots);

  std::vector<TypeTerm> types;    // ordered by column
  std::vector<ChainTerm> chains;  // added up after the types
};

}  // namespace riata
