#include "learning/chain_margins.hpp"

#include "core/error.hpp"
#include "inference/spaces/chain.hpp"
#include "learning/space_margins.hpp"
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
  return space_margins(space, [&](std::int64_t s) { space.open(s); }, flat, instances, queue, weights.labels, poll);
}

template MarginReport chain_margins(const FeatureIndex&, const Weights<float>&, const Constraint<float>&, const Instances&,
                                    const QueueSpec&, double, const Poll&);
template MarginReport chain_margins(const FeatureIndex&, const Weights<double>&, const Constraint<double>&, const Instances&,
                                    const QueueSpec&, double, const Poll&);

}  // namespace riata
