#include "tests/cases/segments.hpp"

namespace riata::test {
namespace {

// Truths that can be reached, truths that are too long, and templates that exact search cannot use.
std::vector<Case> all_segments(Rng& rng) {
  std::vector<Case> out;
  out.push_back(enumerated_segments(rng, 3, false));
  out.push_back(enumerated_segments(rng, 2, false));
  out.push_back(enumerated_segments(rng, 3, true));
  return out;
}

const RegisteredCases entered(all_segments);

}  // namespace
}  // namespace riata::test
