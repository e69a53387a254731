#include "tests/cases/chain.hpp"

namespace riata::test {
namespace {

// One, two and three labels back; with three, there are only searches, since there is no dynamic program.
std::vector<Case> chains(Rng& rng) {
  std::vector<Case> out;
  out.push_back(enumerated_chain(rng, {}, true));
  out.push_back(enumerated_chain(rng, {{-1, 0, {1, 2}}, {0, 0, {2}}}, true));
  out.push_back(enumerated_chain(rng, {{-1, 0, {1, 3}}, {0, 0, {2}}}, false));
  return out;
}

const RegisteredCases entered(chains);

}  // namespace
}  // namespace riata::test
