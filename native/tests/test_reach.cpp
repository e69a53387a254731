// What Reach finds compared with all ways through random automata, with steps of several lengths and with costs.
#include <algorithm>
#include <cstdint>
#include <vector>

#include "core/rng.hpp"
#include "inference/reach.hpp"
#include "tests/check.hpp"

using namespace riata;

namespace {

struct Step {
  std::size_t next;
  std::int32_t length, cost;
};

struct Case {
  std::int32_t length;
  std::size_t states;
  std::vector<bool> accepted;
  std::vector<std::vector<Step>> steps;  // [t * states + state]

  explicit Case(Rng& rng) : length(static_cast<std::int32_t>(rng.below(5))), states(1 + rng.below(3)) {
    for (std::size_t s = 0; s < states; ++s) accepted.push_back(rng.below(2) == 0);
    steps.resize(static_cast<std::size_t>(length) * states);
    for (std::size_t k = 0; k < steps.size(); ++k) {
      const auto left = length - static_cast<std::int32_t>(k / states);
      for (std::uint64_t n = rng.below(3); n > 0; --n) {
        const auto over = static_cast<std::int32_t>(1 + rng.below(static_cast<std::uint64_t>(left)));
        steps[k].push_back({static_cast<std::size_t>(rng.below(states)), over, static_cast<std::int32_t>(rng.below(3))});
      }
    }
  }
  const std::vector<Step>& at(std::int32_t t, std::size_t state) const { return steps[static_cast<std::size_t>(t) * states + state]; }
};

// All ways, one by one.
struct Ways {
  const Case& given;
  std::vector<std::uint8_t> comes;

  explicit Ways(const Case& one) : given(one), comes((static_cast<std::size_t>(one.length) + 1) * one.states, 0) { walk(0, 0); }
  void walk(std::int32_t t, std::size_t state) {
    comes[static_cast<std::size_t>(t) * given.states + state] = 1;
    if (t == given.length) return;
    for (const Step& step : given.at(t, state)) walk(t + step.length, step.next);
  }
  std::int32_t rest(std::int32_t t, std::size_t state) const {
    if (t == given.length) return given.accepted[state] ? 0 : Reach::never;
    std::int32_t least = Reach::never;
    for (const Step& step : given.at(t, state)) least = std::min(least, rest(t + step.length, step.next) + step.cost);
    return least;
  }
};

void check_case(Rng& rng) {
  const Case given(rng);
  const Ways ways(given);
  const auto accepted = [&](std::size_t state) { return static_cast<bool>(given.accepted[state]); };
  const auto steps = [&](std::int32_t t, std::size_t state, auto take) {
    for (const Step& step : given.at(t, state)) {
      if (!take(step.next, step.length, step.cost)) return;
    }
  };
  Reach reach, ahead;
  reach.find(given.length, given.states, accepted, steps);
  ahead.find_ahead(given.length, given.states, accepted, steps);
  CHECK(reach.some() == (ways.rest(0, 0) < Reach::never));
  for (std::int32_t t = 0; t <= given.length; ++t) {
    for (std::size_t state = 0; state < given.states; ++state) {
      const bool comes = ways.comes[static_cast<std::size_t>(t) * given.states + state] != 0;
      CHECK(reach.comes(t, state) == comes);
      CHECK(ahead.rest(t, state) == ways.rest(t, state));
      CHECK(reach.between(t, state) == (comes && ways.rest(t, state) < Reach::never));
      if (comes && t < given.length) CHECK(reach.furthest() >= t);
    }
  }
}

}  // namespace

int main() {
  Rng rng(3);
  for (int k = 0; k < 500; ++k) check_case(rng);
}
