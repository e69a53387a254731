// The margins that a search over a space shows, sentence by sentence.
#pragma once

#include <cstdint>
#include <memory>
#include <span>

#include "inference/search/engine.hpp"
#include "learning/chain_perceptron.hpp"
#include "learning/margins.hpp"

namespace riata {

// Space: has an open(sentence, gold of the sentence). labels: of a token, to know when to look up.
template <class Real, class Space>
MarginReport space_margins(Space& space, Linear<Real>& weights, const Instances& instances, std::span<const std::int32_t> gold, const QueueSpec& queue,
                           std::int32_t labels, const Poll& poll) {
  const std::unique_ptr<Queue> pending = make_queue(queue);
  std::int64_t done = 0;
  Limits limits;
  limits.poll = [&] { poll(done); };
  Search search(space, *pending, limits);
  Margins<Real> margins(queue, weights);
  PollClock clock(labels);
  for (std::int64_t s = 0; s < instances.sentences(); ++s) {
    if (clock.due(instances.length(s)) && !poll(s)) break;
    if (instances.length(s) == 0) continue;
    done = s;
    space.open(s, gold.subspan(static_cast<std::size_t>(instances.starts[s]), static_cast<std::size_t>(instances.length(s))));
    search.run(&margins);
  }
  return margins.report();
}

}  // namespace riata
