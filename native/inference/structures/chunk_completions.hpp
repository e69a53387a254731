// Which chunk labels can be completed to a legal sentence, and with how many wrong chunk labels at least.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>

#include "inference/reach.hpp"
#include "models/joint_weights.hpp"

namespace riata {

class ChunkCompletions {
 public:
  explicit ChunkCompletions(const JointCoding& coding) : coding_(coding) {}

  // Whether a sentence can end legally if `after` tokens follow a token with this chunk label.
  bool alive(ChunkId chunk, std::int32_t after) {
    if (after >= longest_) enlarge(after + 1);
    return alive_.goes_on(longest_ - after, state_after(chunk));
  }
  // Whether the chunk label may follow another one (none: start the sentence) and can still be completed, with `after` tokens after it.
  bool allows(ChunkId before, ChunkId chunk, std::int32_t after) { return follows(before, chunk) && alive(chunk, after); }

  // Computes, for all t and `before`, how many chunk labels must be wrong from token t on, after the chunk label `before` (none: at the
  // start). gold: [T] codes.
  void open(std::span<const std::int32_t> gold) {
    const auto length = static_cast<std::int32_t>(gold.size());
    wrong_.find_ahead(
        length, states(), [this](std::size_t state) { return ends(state); },
        [&](std::int32_t t, std::size_t state, auto take) {
          if ((t > 0) == (state == 0)) return;
          const ChunkId before = last_of(state), right = coding_.chunk(gold[static_cast<std::size_t>(t)]);
          if (follows(before, right) && !take(state_after(right), 1, 0)) return;
          for (ChunkId chunk(0); chunk.number() < coding_.chunks; ++chunk) {
            if (chunk != right && follows(before, chunk) && !take(state_after(chunk), 1, 1)) return;
          }
        });
  }
  std::int32_t least(std::int32_t t, ChunkId before) const noexcept { return wrong_.rest(t, state_after(before)); }

 private:
  // The state is the last chunk label, counted from 1: state 0 is the start.
  std::size_t states() const noexcept { return static_cast<std::size_t>(coding_.chunks) + 1; }
  static std::size_t state_after(ChunkId chunk) noexcept { return static_cast<std::size_t>(chunk.value()); }
  static ChunkId last_of(std::size_t state) noexcept { return ChunkId(static_cast<std::int32_t>(state) - 1); }
  bool follows(ChunkId before, ChunkId chunk) const noexcept { return before ? coding_.follows(before, chunk) : coding_.starts(chunk); }
  bool ends(std::size_t state) const noexcept { return state == 0 || coding_.ends(last_of(state)); }

  void enlarge(std::int32_t length) {
    longest_ = std::max(length, 2 * longest_);
    alive_.find_ahead(
        longest_, states(), [this](std::size_t state) { return ends(state); },
        [&](std::int32_t, std::size_t state, auto take) {
          for (ChunkId chunk(0); state > 0 && chunk.number() < coding_.chunks; ++chunk) {
            if (coding_.follows(last_of(state), chunk) && !take(state_after(chunk), 1, 0)) return;
          }
        });
  }

  const JointCoding& coding_;
  std::int32_t longest_ = 0;
  Reach alive_;  // of a sentence of `longest_` tokens; what is ahead depends on the tokens after only
  Reach wrong_;  // of the open sentence; wrong chunk labels cost 1
};

}  // namespace riata
