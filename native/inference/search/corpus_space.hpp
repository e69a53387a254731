// A search space over the sentences of a corpus: what all native structures are searched in.
#pragma once

#include <cstdint>
#include <span>

#include "inference/search/lattice.hpp"
#include "inference/search/space.hpp"

namespace riata {

// How chunks are read off labels; as Track has it.
struct ChunkFlags {
  std::span<const std::int32_t> types;
  std::span<const std::uint8_t> continues;
};

class CorpusSpace : public Space {
 public:
  // Before every search. with_truth: whether y-good states are to be known.
  virtual void open(std::int64_t sentence, bool with_truth) = 0;

  // Throws where no path leads to the truth of a sentence, nor to what comes closest to it.
  virtual void check_truth(std::int64_t) const {}

  // The output that a path of operators gives, one number per token.
  virtual void codes(std::span<const ActionId> path, std::span<std::int32_t> out) const = 0;

  // The regret of the states along the path of an output, from the initial one to the goal. The space is open with the truth.
  virtual void regrets(std::span<const std::int32_t> output, std::vector<double>& out) = 0;

  // How probable the parts of an output are among what a search kept: each token has the probability of its part. A token may have several
  // parts, such as a tag and a chunk, which are tracks: those of track k are written from out + k * apart on. chunks: of the labels of the
  // last track.
  virtual std::size_t tracks() const { return 1; }
  virtual void units(const Lattice& lattice, std::span<const std::int32_t> output, const ChunkFlags& chunks, std::int64_t apart,
                     double* out) = 0;
};

}  // namespace riata
