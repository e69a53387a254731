#include "tests/cases/arcs.hpp"

namespace riata::test {
namespace {

std::vector<Case> projective(Rng& rng) {
  std::vector<Case> out;
  out.push_back(enumerated_trees<ProjectiveTrees>(rng, 2, 4));
  out.push_back(enumerated_trees<ProjectiveTrees>(rng, 1, 5));
  out.push_back(enumerated_trees<ProjectiveTrees>(rng, 2, 4, sibling_groups()));
  out.push_back(enumerated_trees<ProjectiveTrees>(rng, 1, 5, sibling_groups()));
  out.push_back(enumerated_trees<ProjectiveTrees>(rng, 3, 3, arc_groups(), true));
  out.push_back(enumerated_trees<ProjectiveTrees>(rng, 2, 4, sibling_groups(), true));
  out.push_back(enumerated_trees<ProjectiveTrees>(rng, 7, 2));  // more relations than a packed row holds together
  return out;
}

const RegisteredCases entered(projective);

}  // namespace
}  // namespace riata::test
