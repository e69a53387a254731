// Tags with chunk labels, the larger column first, and three columns; with and without factors that read words.
#include "tests/cases/factorial.hpp"

namespace riata::test {
namespace {

std::vector<Case> factorials(Rng& rng) {
  std::vector<Case> out;
  out.push_back(enumerated_factorial(rng, two_columns(), false, 4));
  out.push_back(enumerated_factorial(rng, two_columns(), true, 3));
  out.push_back(enumerated_factorial(rng, wide_first(), true, 3));
  out.push_back(enumerated_factorial(rng, three_columns(), false, 3));
  return out;
}

const RegisteredCases entered(factorials);

}  // namespace
}  // namespace riata::test
