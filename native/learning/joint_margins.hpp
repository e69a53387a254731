// The margins of a search for tags and chunk labels, sentence by sentence.
#pragma once

#include <cstdint>
#include <span>

#include "learning/joint_search.hpp"
#include "learning/margins.hpp"

namespace riata {

// gold: [N] codes. p: the norm of differences.
template <class Real>
MarginReport joint_margins(const FeatureIndex& index, const JointTemplates& templates, const JointWeights<Real>& weights,
                           const Instances& instances, std::span<const std::int32_t> gold, const QueueSpec& queue, double p,
                           const Poll& poll);

}  // namespace riata
