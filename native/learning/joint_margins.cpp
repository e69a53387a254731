#include "learning/joint_margins.hpp"

#include <memory>

namespace riata {

template <class Real>
MarginReport joint_margins(const FeatureIndex& index, const JointTemplates& templates, const JointWeights<Real>& weights, const Instances& instances,
                           std::span<const std::int32_t> gold, const QueueSpec& queue, double p, const Poll& poll) {
  const JointLayout layout(index, templates, weights.kinds);
  check_fit(index, layout, weights.kinds, weights.rows, weights.flat.size(), instances);
  Linear<Real> flat(weights.flat, p);
  JointRows rows = weights.rows;  // features without weight count in norms, so they enter it
  JointSpace<Real> space(templates, layout, weights.kinds, instances, flat, rows, &rows, queue);
  const std::unique_ptr<Queue> pending = make_queue(queue);
  std::int64_t done = 0;
  Limits limits;
  limits.poll = [&] { poll(done); };
  Search search(space, *pending, limits);
  Margins<Real> margins(queue, flat);
  PollClock clock(weights.kinds.tags + weights.kinds.chunks);
  for (std::int64_t s = 0; s < instances.sentences(); ++s) {
    if (clock.due(instances.length(s)) && !poll(s)) break;
    if (instances.length(s) == 0) continue;
    done = s;
    space.open(s, gold.subspan(static_cast<std::size_t>(instances.starts[s]), static_cast<std::size_t>(instances.length(s))));
    search.run(&margins);
  }
  return margins.report();
}

template MarginReport joint_margins(const FeatureIndex&, const JointTemplates&, const JointWeights<float>&, const Instances&,
                                    std::span<const std::int32_t>, const QueueSpec&, double, const Poll&);
template MarginReport joint_margins(const FeatureIndex&, const JointTemplates&, const JointWeights<double>&, const Instances&,
                                    std::span<const std::int32_t>, const QueueSpec&, double, const Poll&);

}  // namespace riata
