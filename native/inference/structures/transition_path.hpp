// The best path of a parser to an output. transition_space.hpp includes this.
#pragma once

#include <algorithm>
#include <cstdint>
#include <unordered_map>
#include <vector>

#include "inference/structures/transition_space.hpp"

namespace riata {

// Follows all moves that keep to the output, until all ways have reached it.
template <class Real>
std::vector<ActionId> TransitionSpace<Real>::path_to(std::int64_t sentence, Codes output) {
  constexpr std::size_t most = 64;
  struct Step {
    StateId state;
    double score;
    std::int32_t before;  // place in steps
    ActionId action;
  };
  open(sentence, output);
  std::vector<Step> steps{{initial(), 0, -1, -1}};
  std::size_t first = 0, best = 0;  // best: of the steps to goals; 0: there is none yet
  while (first < steps.size()) {
    const std::size_t end = steps.size();
    std::vector<Step> level;
    std::unordered_map<std::uint64_t, std::size_t> places;
    for (std::size_t i = first; i < end; ++i) {
      const ParserState from = states_[steps[i].state];
      if (states_.is_goal(from)) {
        if (best == 0 || steps[i].score > steps[best].score) best = i;
        continue;
      }
      score(from);
      for (const Move move : all_moves) {
        if (!states_.allows(from, move) || oracle_.cost(from, move).loses) continue;
        const auto enter = [&](ActionId action) {
          const Step step{steps[i].state, steps[i].score + score_of(action), static_cast<std::int32_t>(i), action};
          const auto [at, fresh] = places.emplace(states_.mark_after(from, action), level.size());
          if (fresh)
            level.push_back(step);
          else if (step.score > level[at->second].score)
            level[at->second] = step;
        };
        if (moves::adds_arc(move))
          enter(moves::action(move, oracle_.relation(states_.arc(from, move).child)));
        else if (move != Move::shift || !chooses_tag(from))
          enter(moves::action(move));
        else if (true_tag(from.next) >= 0)
          enter(moves::shift(true_tag(from.next)));
        else
          for (const std::int32_t tag : tags_of(from.next)) enter(moves::shift(tag));
      }
    }
    std::stable_sort(level.begin(), level.end(), [](const Step& a, const Step& b) { return a.score > b.score; });
    if (level.size() > most) level.resize(most);
    for (Step& step : level) {
      step.state = states_.apply(step.state, step.action);
      steps.push_back(step);
    }
    first = end;
  }
  std::vector<ActionId> path;
  for (std::int32_t at = static_cast<std::int32_t>(best); steps[static_cast<std::size_t>(at)].before >= 0;
       at = steps[static_cast<std::size_t>(at)].before)
    path.push_back(steps[static_cast<std::size_t>(at)].action);
  return {path.rbegin(), path.rend()};
}

}  // namespace riata
