// What the bindings of models share.
#pragma once

#include <cstdint>
#include <optional>

#include "bind/arrays.hpp"
#include "core/error.hpp"
#include "inference/model.hpp"

namespace riata::bind {

using Flags = In<std::uint8_t>;
using Outputs = In<std::int32_t>;

// The true outputs are `gold` or, if it is not given, the labels of the instances, which may be missing.
inline Corpus as_corpus(const FeatureIndex& index, const Instances& instances, const std::optional<Outputs>& gold) {
  return {index, instances, gold ? view(*gold) : Codes(instances.labels)};
}

// A corpus without true outputs.
inline Corpus without_truth(const FeatureIndex& index, const Instances& instances) { return {index, instances, {}}; }

}  // namespace riata::bind
