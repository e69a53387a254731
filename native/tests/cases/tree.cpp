#include "tests/cases/arcs.hpp"

namespace riata::test {
namespace {

std::vector<Case> trees(Rng& rng) {
  std::vector<Case> out;
  out.push_back(enumerated_trees<AllTrees>(rng, 2, 3));
  out.push_back(enumerated_trees<AllTrees>(rng, 1, 5));
  out.push_back(enumerated_trees<AllTrees>(rng, 3, 3, arc_groups(), true));
  out.push_back(enumerated_trees<AllTrees>(rng, 2, 4, arc_groups(), true));
  return out;
}

const RegisteredCases entered(trees);

}  // namespace
}  // namespace riata::test
