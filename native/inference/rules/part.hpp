// A part of an output: a label that is chosen at a position. Rules about outputs are rules about parts.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace riata {

// Every structure says which parts its outputs have. A chain has one at every token, segments have one at their first token, tags with
// chunk labels have two at every token: the chunk labels are numbered after the tags.
struct Part {
  std::int32_t position;
  std::int32_t label;
};

// Appends the parts of an output that gives every token a label.
inline void append_labels(std::span<const std::int32_t> labels, std::vector<Part>& out) {
  for (std::size_t t = 0; t < labels.size(); ++t) out.push_back({static_cast<std::int32_t>(t), labels[t]});
}

}  // namespace riata
