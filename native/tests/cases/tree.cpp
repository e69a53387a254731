#include "tests/cases/arcs.hpp"

namespace riata::test {
namespace {

std::vector<Case> trees(Rng& rng) {
  std::vector<Case> out;
  out.push_back(enumerated_trees<AllTrees>(rng, 2, 3));
  out.push_back(enumerated_trees<AllTrees>(rng, 1, 5));
  return out;
}

const RegisteredCases entered(trees);

}  // namespace
}  // namespace riata::test
