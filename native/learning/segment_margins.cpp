#include "learning/segment_margins.hpp"

#include "learning/space_margins.hpp"

namespace riata {

template <class Real>
MarginReport segment_margins(const FeatureIndex& index, const SegmentTemplates& templates, const SegmentWeights<Real>& weights,
                             const Instances& instances, std::span<const std::int32_t> gold, const QueueSpec& queue, double p,
                             const Poll& poll) {
  check_fit(index, templates, weights, instances);
  Linear<Real> flat(weights.flat, p);
  GrownRows grown = weights.grown;  // features without weight count in norms, so they enter it
  SegmentSpace<Real> space(templates, weights.kinds, instances, flat, grown, &grown, queue);
  const auto open = [&](std::int64_t s) {
    space.open(s, gold.subspan(static_cast<std::size_t>(instances.starts[s]), static_cast<std::size_t>(instances.length(s))));
  };
  return space_margins(space, open, flat, instances, queue, weights.kinds.labels * weights.kinds.most, poll);
}

template MarginReport segment_margins(const FeatureIndex&, const SegmentTemplates&, const SegmentWeights<float>&, const Instances&,
                                      std::span<const std::int32_t>, const QueueSpec&, double, const Poll&);
template MarginReport segment_margins(const FeatureIndex&, const SegmentTemplates&, const SegmentWeights<double>&, const Instances&,
                                      std::span<const std::int32_t>, const QueueSpec&, double, const Poll&);

}  // namespace riata
