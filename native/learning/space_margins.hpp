// The margins that a search over a space shows, sentence by sentence.
#pragma once

#include <cstdint>
#include <memory>

#include "inference/search/engine.hpp"
#include "learning/chain_perceptron.hpp"
#include "learning/margins.hpp"

namespace riata {

// open(sentence): opens it in the space, with its truth. labels: of a token, to know when to look up.
template <class Real, class Open>
MarginReport space_margins(Space& space, Open open, Linear<Real>& weights, const Instances& instances, const QueueSpec& queue,
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
    open(s);
    search.run(&margins);
  }
  return margins.report();
}

}  // namespace riata
