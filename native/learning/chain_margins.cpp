#include "learning/chain_margins.hpp"

#include <algorithm>
#include <memory>

#include "core/error.hpp"
#include "inference/search/engine.hpp"
#include "inference/spaces/chain.hpp"
#include "models/layout.hpp"

namespace riata {

template <class Real>
MarginReport chain_margins(const FeatureIndex& index, const Weights<Real>& weights, const Constraint<Real>& constraint,
                           const Instances& instances, const QueueSpec& queue, double p, const Poll& poll) {
  check_fit(index, weights, instances);
  bool ok = static_cast<std::int64_t>(instances.labels.size()) == instances.tokens();
  for (const std::int32_t label : instances.labels) ok = ok && label >= 0 && label < weights.labels;
  if (!ok) throw Error("RiataError", "the labels do not fit the instances");
  const Layout layout(index, weights);
  Linear<Real> flat(layout.flat(weights), p);
  HistoryIndex history = weights.history;  // features without weight count in norms, so they enter it
  ChainSpace<Real> space(index, layout, constraint, instances, flat, history, true, queue);
  const std::unique_ptr<Queue> pending = make_queue(queue);
  std::int64_t done = 0;
  Limits limits;
  limits.poll = [&] { poll(done); };
  Search search(space, *pending, limits);
  Margins<Real> margins(queue, flat);
  PollClock clock(weights.labels);
  for (std::int64_t s = 0; s < instances.sentences(); ++s) {
    if (clock.due(instances.length(s)) && !poll(s)) break;
    if (instances.length(s) == 0) continue;
    done = s;
    space.open(s);
    search.run(&margins);
  }
  return margins.report();
}

template MarginReport chain_margins(const FeatureIndex&, const Weights<float>&, const Constraint<float>&, const Instances&, const QueueSpec&, double, const Poll&);
template MarginReport chain_margins(const FeatureIndex&, const Weights<double>&, const Constraint<double>&, const Instances&, const QueueSpec&, double, const Poll&);

}  // namespace riata
