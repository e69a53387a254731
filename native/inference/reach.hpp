// Which states of an automaton lie between the start and the end of a sentence. All that can be completed is found here.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <vector>

namespace riata {

// An automaton walks through a sentence from state 0 before its first position. A step at position t leads to another state before position
// t + length, and may have a cost. Legal outputs are the ways to a state that is accepted after the last position. What a step may be, such
// as a label that the encoding lets follow and that users allow here, is up to the caller.
class Reach {
 public:
  static constexpr std::int32_t never = std::numeric_limits<std::int32_t>::max() / 2;

  // accepted(state): whether an output may end there. steps(t, state, take): calls take(next state, length, cost) for the steps at position
  // t until it returns false. Steps end within the sentence.
  template <class Accepted, class Steps>
  void find(std::int32_t length, std::size_t states, Accepted accepted, Steps steps) {
    states_ = states;
    comes_.assign((static_cast<std::size_t>(length) + 1) * states_, 0);
    comes_[0] = 1;
    furthest_ = 0;
    for (std::int32_t t = 0; t < length; ++t) {
      for (std::size_t state = 0; state < states_; ++state) {
        if (!comes(t, state)) continue;
        furthest_ = t;
        steps(t, state, [&](std::size_t next, std::int32_t over, std::int32_t) {
          comes_[place(t + over, next)] = 1;
          return true;
        });
      }
    }
    look_ahead(length, accepted, steps, [this](std::int32_t t, std::size_t state) { return comes(t, state); });
  }

  // Finds out only what is ahead: rest, goes_on and some.
  template <class Accepted, class Steps>
  void find_ahead(std::int32_t length, std::size_t states, Accepted accepted, Steps steps) {
    states_ = states;
    look_ahead(length, accepted, steps, [](std::int32_t, std::size_t) { return true; });
  }

  // Whether a way leads to a state before position t; and whether one leads from there to the end.
  bool comes(std::int32_t t, std::size_t state) const noexcept { return comes_[place(t, state)] != 0; }
  bool goes_on(std::int32_t t, std::size_t state) const noexcept { return rest(t, state) < never; }
  bool between(std::int32_t t, std::size_t state) const noexcept { return comes(t, state) && goes_on(t, state); }
  // What the way from there to the end costs at least.
  std::int32_t rest(std::int32_t t, std::size_t state) const noexcept { return rest_[place(t, state)]; }
  // Whether there is a legal output; and the last position before the end that a way leads to.
  bool some() const noexcept { return goes_on(0, 0); }
  std::int32_t furthest() const noexcept { return furthest_; }

 private:
  template <class Accepted, class Steps, class Asked>
  void look_ahead(std::int32_t length, Accepted accepted, Steps steps, Asked asked) {
    rest_.assign((static_cast<std::size_t>(length) + 1) * states_, never);
    for (std::size_t state = 0; state < states_; ++state) {
      if (accepted(state)) rest_[place(length, state)] = 0;
    }
    for (std::int32_t t = length; t-- > 0;) {
      for (std::size_t state = 0; state < states_; ++state) {
        if (!asked(t, state)) continue;
        std::int32_t least = never;
        steps(t, state, [&](std::size_t next, std::int32_t over, std::int32_t cost) {
          least = std::min(least, rest(t + over, next) + cost);
          return least > 0;
        });
        rest_[place(t, state)] = least;
      }
    }
  }
  std::size_t place(std::int32_t t, std::size_t state) const noexcept { return static_cast<std::size_t>(t) * states_ + state; }

  std::size_t states_ = 0;
  std::int32_t furthest_ = 0;
  std::vector<std::uint8_t> comes_;  // [length + 1][states]
  std::vector<std::int32_t> rest_;   // [length + 1][states]
};

}  // namespace riata
