#include "tests/cases/chain.hpp"

namespace riata::test {
namespace {

// Chains whose tokens have vectors, in single and in half precision.
std::vector<Case> chains_with_vectors(Rng& rng) {
  std::vector<Case> out;
  out.push_back(enumerated_chain(rng, {}, true, false));
  out.push_back(enumerated_chain(rng, {{-1, 0, {1, 2}}, {0, 0, {2}}}, true, true));
  return out;
}

const RegisteredCases entered(chains_with_vectors);

}  // namespace
}  // namespace riata::test
