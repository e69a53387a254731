// The margins of a search over segments, sentence by sentence.
#pragma once

#include <cstdint>
#include <span>

#include "learning/margins.hpp"
#include "learning/segment_search.hpp"

namespace riata {

// gold: [N] as for learning. p: the norm of differences.
template <class Real>
MarginReport segment_margins(const FeatureIndex& index, const SegmentTemplates& templates, const SegmentWeights<Real>& weights,
                             const Instances& instances, std::span<const std::int32_t> gold, const QueueSpec& queue, double p,
                             const Poll& poll);

}  // namespace riata
