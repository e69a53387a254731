#include "learning/joint_margins.hpp"

#include "learning/space_margins.hpp"

namespace riata {

template <class Real>
MarginReport joint_margins(const FeatureIndex& index, const JointTemplates& templates, const JointWeights<Real>& weights, const Instances& instances,
                           std::span<const std::int32_t> gold, const QueueSpec& queue, double p, const Poll& poll) {
  const JointLayout layout(index, templates, weights.kinds);
  check_fit(index, layout, weights.kinds, weights.rows, weights.flat.size(), instances);
  Linear<Real> flat(weights.flat, p);
  JointRows rows = weights.rows;  // features without weight count in norms, so they enter it
  JointSpace<Real> space(templates, layout, weights.kinds, instances, flat, rows, &rows, queue);
  return space_margins(space, flat, instances, gold, queue, weights.kinds.tags + weights.kinds.chunks, poll);
}

template MarginReport joint_margins(const FeatureIndex&, const JointTemplates&, const JointWeights<float>&, const Instances&,
                                    std::span<const std::int32_t>, const QueueSpec&, double, const Poll&);
template MarginReport joint_margins(const FeatureIndex&, const JointTemplates&, const JointWeights<double>&, const Instances&,
                                    std::span<const std::int32_t>, const QueueSpec&, double, const Poll&);

}  // namespace riata
