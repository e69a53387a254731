// A search space over the sentences of a corpus: what all native structures are searched in.
#pragma once

#include <cstdint>
#include <span>

#include "inference/search/lattice.hpp"
#include "inference/search/space.hpp"

namespace riata {

// How chunks are read off labels: what Track (units.hpp) takes.
struct ChunkFlags {
  std::span<const std::int32_t> types;
  std::span<const std::uint8_t> continues;
};

class CorpusSpace : public Space {
 public:
  // Opens a sentence; to be called before every search. with_truth: whether the search is to know which states are y-good.
  virtual void open(std::int64_t sentence, bool with_truth) = 0;

  // Throws where no path leads to the truth of a sentence, and none to the outputs of least loss either.
  virtual void check_truth(std::int64_t) const {}

  // The output that a path of operators gives, one number per token.
  virtual void codes(std::span<const ActionId> path, std::span<std::int32_t> out) const = 0;

  // The regret of the states along the path of an output, from the initial one to the goal. The space is open with the truth.
  virtual void regrets(std::span<const std::int32_t> output, std::vector<double>& out) = 0;

  // Writes for every token how probable the part of the output that it belongs to is, among the outputs that a search kept. A token may
  // belong to several parts, such as a tag and a chunk; they are tracks, and the probabilities of track k start at out + k * apart. chunks:
  // how chunks are read off the labels of the last track.
  virtual std::size_t tracks() const { return 1; }
  virtual void units(const Lattice& lattice, std::span<const std::int32_t> output, const ChunkFlags& chunks, std::int64_t apart,
                     double* out) = 0;
};

}  // namespace riata
