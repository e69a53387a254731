// The margins of a search over chains, sentence by sentence.
#pragma once

#include "features/index.hpp"
#include "features/instances.hpp"
#include "inference/constraint.hpp"
#include "inference/search/queue.hpp"
#include "learning/margins.hpp"
#include "models/chain.hpp"
#include "models/weights.hpp"

namespace riata {

// The instances must have labels. p: the norm of differences.
template <class Real>
MarginReport chain_margins(const FeatureIndex& index, const Weights<Real>& weights, const Constraint<Real>& constraint,
                           const Instances& instances, const QueueSpec& queue, double p, const Poll& poll);

}  // namespace riata
