#include "learning/joint_margins.hpp"

#include "learning/space_margins.hpp"

namespace riata {

template <class Real>
MarginReport joint_margins(const FeatureIndex& index, const JointTemplates& templates, const JointWeights<Real>& weights,
                           const Instances& instances, std::span<const std::int32_t> gold, const QueueSpec& queue, double p,
                           const Poll& poll) {
  const JointLayout layout(index, templates, weights.kinds);
  check_fit(index, layout, weights.kinds, weights.rows, weights.flat.size(), instances);
  Linear<Real> flat(weights.flat, p);
  JointRows rows = weights.rows;  // features without weight count in norms, so they enter it
  JointSpace<Real> space(templates, layout, weights.kinds, instances, flat, rows, &rows, queue);
  const auto open = [&](std::int64_t s) {
    space.open(s, gold.subspan(static_cast<std::size_t>(instances.starts[s]), static_cast<std::size_t>(instances.length(s))));
  };
  return space_margins(space, open, flat, instances, queue, weights.kinds.tags + weights.kinds.chunks, poll);
}

template MarginReport joint_margins(const FeatureIndex&, const JointTemplates&, const JointWeights<float>&, const Instances&,
                                    std::span<const std::int32_t>, const QueueSpec&, double, const Poll&);
template MarginReport joint_margins(const FeatureIndex&, const JointTemplates&, const JointWeights<double>&, const Instances&,
                                    std::span<const std::int32_t>, const QueueSpec&, double, const Poll&);

}  // namespace riata
