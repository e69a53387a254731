#include "inference/parts/selection.hpp"

#include <algorithm>
#include <utility>

#include "inference/offered.hpp"
#include "inference/structures/part_potentials.hpp"
#include "inference/structures/part_structure.hpp"

namespace riata {

// A row of cells for every part: cell r stands for what the parts before can be if r more are to be chosen. A part is left out, which
// leaves r as it is, or chosen after r + 1. Cell `count` + 1 of a row stays the zero of the semiring.
std::shared_ptr<Recursion> selection(std::int64_t parts, std::int64_t count) {
  const auto number = static_cast<std::int32_t>(parts), width = static_cast<std::int32_t>(count) + 1;
  Tape tape;
  const Cell part = tape.parts(1, std::max(number, 1)), ones = tape.table(1, width);
  tape.one(ones, width);
  Cell before = tape.table(1, width + 1);
  tape.one(before + width - 1);
  for (std::int32_t t = 0; t < number; ++t) {
    const Cell here = tape.table(1, width + 1);
    tape.add({.to = here, .width = width, .a = {before}, .b = {ones}});
    tape.add({.to = here, .width = width, .a = {part + t}, .b = {before + 1}, .shared = true});
    before = here;
  }
  const Cell goal = tape.table(1, 1);
  tape.add({.to = goal, .a = {before}, .b = {ones}});
  tape.goal(goal);
  return std::make_shared<Recursion>(std::move(tape), parts);
}

namespace {
const RegisteredStructure entered("selection", operations_of<PartStructure<float>, PartPotentials<float>>());
}

}  // namespace riata
