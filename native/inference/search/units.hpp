// The probabilities of parts of an output among the outputs of a lattice.
#pragma once

#include <algorithm>
#include <cstdint>
#include <span>
#include <vector>

#include "inference/search/lattice.hpp"

namespace riata {

// The labels that the operators of a path give to tokens: the operator at `depth` gives the label label(action) to token depth - ahead.
template <class Label>
struct Track {
  std::int32_t ahead;
  std::span<const std::int32_t> types;      // [labels] the type of the chunk of a token with this label, or the label itself
  std::span<const std::uint8_t> continues;  // [labels x labels] whether a label continues the chunk of the label before it
  Label label;
};

// A unit is a chunk: a token, and the tokens after it whose labels continue the chunk. Its probability is the sum over all outputs that
// have exactly this chunk at this place, whichever labels express it. If no label continues a chunk, a unit is the label of one token. out:
// [T] the probability of the unit that contains each token.
template <class Label>
class Units {
 public:
  explicit Units(const Track<Label>& track) : track_(track) {}

  void operator()(const Lattice& lattice, std::span<const std::int32_t> labels, double* out) {
    const auto length = static_cast<std::int32_t>(labels.size());
    open(lattice, length);
    for (std::int32_t first = 0; first < length;) {
      std::int32_t end = first + 1;
      while (end < length && continues(labels[static_cast<std::size_t>(end) - 1], labels[static_cast<std::size_t>(end)])) ++end;
      std::fill(out + first, out + end, probability(lattice, labels, first, end));
      first = end;
    }
  }

 private:
  bool continues(std::int32_t before, std::int32_t label) const noexcept {
    return track_.continues[static_cast<std::size_t>(before) * track_.types.size() + static_cast<std::size_t>(label)] != 0;
  }

  // Finds the first edge of every depth. Edges of one depth are neighbours.
  void open(const Lattice& lattice, std::int32_t length) {
    firsts_.assign(static_cast<std::size_t>(length + track_.ahead) + 1, lattice.edges().size());
    for (std::size_t e = lattice.edges().size(); e-- > 0;) firsts_[depth(lattice, e)] = e;
    for (std::size_t d = firsts_.size() - 1; d-- > 0;) firsts_[d] = std::min(firsts_[d], firsts_[d + 1]);
    passed_.assign(lattice.nodes().size(), 0);
  }
  static std::size_t depth(const Lattice& lattice, std::size_t edge) noexcept {
    return static_cast<std::size_t>(lattice.nodes()[static_cast<std::size_t>(lattice.edges()[edge].from)].depth);
  }

  // The edges that decide the label of a token.
  std::span<const Lattice::Edge> at(const Lattice& lattice, std::int32_t token) const noexcept {
    const auto d = static_cast<std::size_t>(token + track_.ahead);
    return std::span(lattice.edges()).subspan(firsts_[d], firsts_[d + 1] - firsts_[d]);
  }

  // Whether an edge continues the chunk of the token before.
  bool continues(const Lattice& lattice, const Lattice::Edge& edge) const noexcept {
    return continues(track_.label(lattice.nodes()[static_cast<std::size_t>(edge.from)].action), track_.label(edge.action));
  }

  double probability(const Lattice& lattice, std::span<const std::int32_t> labels, std::int32_t first, std::int32_t end) {
    const auto type = [&](std::int32_t label) { return track_.types[static_cast<std::size_t>(label)]; };
    for (const Lattice::Edge& edge : at(lattice, first)) {
      if (type(track_.label(edge.action)) != type(labels[static_cast<std::size_t>(first)])) continue;
      if (first > 0 && continues(lattice, edge)) continue;
      passed_[static_cast<std::size_t>(edge.to)] += lattice.probability(edge.from) * edge.probability;
    }
    double sum = 0;
    // passed_ contains the probability that has come through up to and including token t - 1.
    for (std::int32_t t = first + 1; t <= end; ++t) {
      if (t == static_cast<std::int32_t>(labels.size())) break;
      for (const Lattice::Edge& edge : at(lattice, t)) {
        const double through = passed_[static_cast<std::size_t>(edge.from)] * edge.probability;
        if (through == 0 || continues(lattice, edge) != (t < end)) continue;
        (t < end ? passed_[static_cast<std::size_t>(edge.to)] : sum) += through;
      }
      clear(at(lattice, t - 1));
    }
    if (end == static_cast<std::int32_t>(labels.size())) {
      for (const Lattice::Edge& edge : at(lattice, end - 1)) {
        sum += passed_[static_cast<std::size_t>(edge.to)];
        passed_[static_cast<std::size_t>(edge.to)] = 0;  // several edges lead there
      }
    }
    return std::min(sum, 1.0);
  }

  void clear(std::span<const Lattice::Edge> edges) noexcept {
    for (const Lattice::Edge& edge : edges) passed_[static_cast<std::size_t>(edge.to)] = 0;
  }

  Track<Label> track_;
  std::vector<std::size_t> firsts_;  // [depths + 1] the first edge of each depth
  std::vector<double> passed_;       // [nodes] the probability of all outputs that contain the unit up to the node and pass through it
};

}  // namespace riata
