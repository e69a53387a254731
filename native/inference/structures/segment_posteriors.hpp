// Exact probabilities of the tags of tokens under a model of segments, over all segmentations.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "core/poll.hpp"
#include "inference/structures/segment_model.hpp"

namespace riata {

// The number of roles that a token can have in its segment.
inline constexpr std::int32_t segment_roles = 4;  // the only token, the first, inside, the last

struct SegmentProbabilities {
  std::vector<double> log_z;  // [S] log Z of the scores divided by the temperature
  std::vector<double> tags;   // [N][tags] the probability of each tag at each token
};

// A segmentation has the probability exp(score / temperature) / Z. tag_of: [labels][touching][segment_roles] the tag of a token in a
// segment of this label; touching: 1 if the segment before has the same label.
template <class Real>
SegmentProbabilities segment_probabilities(const SegmentModel<Real>& model, const Corpus& corpus, std::span<const std::int32_t> tag_of,
                                           std::int32_t tags, double temperature, const Poll& poll);

}  // namespace riata
