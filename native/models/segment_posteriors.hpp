// How probable the tags of tokens are under a model of segments: exactly, over all segmentations.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "features/index.hpp"
#include "features/instances.hpp"
#include "models/chain.hpp"
#include "models/segment_weights.hpp"

namespace riata {

// What a token is of its segment.
inline constexpr std::int32_t segment_roles = 4;  // the only one, the first, inside, the last

struct SegmentProbabilities {
  std::vector<double> log_z;  // [S]
  std::vector<double> tags;   // [N][tags]
};

// A segmentation has the probability exp(score / temperature) / Z. tag_of: [labels][touching][segment_roles] the tag that a token of a
// segment has; touching: whether the segment before has the same label.
template <class Real>
SegmentProbabilities segment_probabilities(const FeatureIndex& index, const SegmentTemplates& templates,
                                           const SegmentWeights<Real>& weights, const Instances& instances,
                                           std::span<const std::int32_t> tag_of, std::int32_t tags, double temperature, const Poll& poll);

}  // namespace riata
