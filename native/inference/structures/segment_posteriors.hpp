// How probable the tags of tokens are under a model of segments: exactly, over all segmentations.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "core/poll.hpp"
#include "inference/structures/segment_model.hpp"

namespace riata {

// The roles that a token can have in its segment.
inline constexpr std::int32_t segment_roles = 4;  // the only one, the first, inside, the last

struct SegmentProbabilities {
  std::vector<double> log_z;  // [S]
  std::vector<double> tags;   // [N][tags]
};

// A segmentation has the probability exp(score / temperature) / Z. tag_of: [labels][touching][segment_roles] the tag that a token of a
// segment has; touching: whether the segment before has the same label.
template <class Real>
SegmentProbabilities segment_probabilities(const SegmentModel<Real>& model, const Corpus& corpus, std::span<const std::int32_t> tag_of,
                                           std::int32_t tags, double temperature, const Poll& poll);

}  // namespace riata
