#include "learning/segment_margins.hpp"

#include <memory>

namespace riata {

template <class Real>
MarginReport segment_margins(const FeatureIndex& index, const SegmentTemplates& templates, const SegmentWeights<Real>& weights,
                             const Instances& instances, std::span<const std::int32_t> gold, const QueueSpec& queue, double p, const Poll& poll) {
  check_fit(index, templates, weights, instances);
  Linear<Real> flat(weights.flat, p);
  GrownRows grown = weights.grown;  // features without weight count in norms, so they enter it
  SegmentSpace<Real> space(templates, weights.kinds, instances, flat, grown, &grown, queue);
  const std::unique_ptr<Queue> pending = make_queue(queue);
  std::int64_t done = 0;
  Limits limits;
  limits.poll = [&] { poll(done); };
  Search search(space, *pending, limits);
  Margins<Real> margins(queue, flat);
  PollClock clock(weights.kinds.labels * weights.kinds.most);
  for (std::int64_t s = 0; s < instances.sentences(); ++s) {
    if (clock.due(instances.length(s)) && !poll(s)) break;
    if (instances.length(s) == 0) continue;
    done = s;
    space.open(s, gold.subspan(static_cast<std::size_t>(instances.starts[s]), static_cast<std::size_t>(instances.length(s))));
    search.run(&margins);
  }
  return margins.report();
}

template MarginReport segment_margins(const FeatureIndex&, const SegmentTemplates&, const SegmentWeights<float>&, const Instances&,
                                      std::span<const std::int32_t>, const QueueSpec&, double, const Poll&);
template MarginReport segment_margins(const FeatureIndex&, const SegmentTemplates&, const SegmentWeights<double>&, const Instances&,
                                      std::span<const std::int32_t>, const QueueSpec&, double, const Poll&);

}  // namespace riata
