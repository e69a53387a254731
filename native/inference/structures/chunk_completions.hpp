// Which chunk labels can be completed to a legal sentence, and with how many wrong chunk labels at least.
#pragma once

#include <algorithm>
#include <cstdint>
#include <limits>
#include <span>
#include <vector>

#include "models/joint_weights.hpp"

namespace riata {

class ChunkCompletions {
 public:
  static constexpr std::int32_t never = std::numeric_limits<std::int32_t>::max() / 2;

  explicit ChunkCompletions(const JointCoding& coding) : coding_(coding) {}

  // Whether a sentence can end legally if `after` tokens follow a token with this chunk label.
  bool alive(ChunkId chunk, std::int32_t after) {
    while (static_cast<std::int32_t>(alive_.size()) <= after) add_token();
    return alive_[static_cast<std::size_t>(after)][chunk.place()] != 0;
  }
  // Whether the chunk label may follow another one (none: start the sentence) and can still be completed, with `after` tokens after it.
  bool allows(ChunkId before, ChunkId chunk, std::int32_t after) {
    return (before ? coding_.follows(before, chunk) : coding_.starts(chunk)) && alive(chunk, after);
  }

  // Computes, for all t and `before`, how many chunk labels must be wrong from token t on, after the chunk label `before` (none: at the
  // start). gold: [T] codes.
  void open(std::span<const std::int32_t> gold) {
    const auto length = static_cast<std::int32_t>(gold.size());
    least_.assign(static_cast<std::size_t>(length + 1) * row(), 0);
    for (std::int32_t t = length - 1; t >= 0; --t) {
      for (ChunkId before(t == 0 ? -1 : 0); before.number() < (t == 0 ? 0 : coding_.chunks); ++before)
        entry(t, before) = least_after(t, length, before, coding_.chunk(gold[t]));
    }
  }
  std::int32_t least(std::int32_t t, ChunkId before) const noexcept { return least_[place(t, before)]; }

 private:
  std::size_t row() const noexcept { return static_cast<std::size_t>(coding_.chunks) + 1; }
  std::size_t place(std::int32_t t, ChunkId before) const noexcept {
    return static_cast<std::size_t>(t) * row() + static_cast<std::size_t>(before.value());
  }
  std::int32_t& entry(std::int32_t t, ChunkId before) noexcept { return least_[place(t, before)]; }

  std::int32_t least_after(std::int32_t t, std::int32_t length, ChunkId before, ChunkId gold) {
    const std::int32_t after = length - t - 1;
    std::int32_t least = allows(before, gold, after) ? this->least(t + 1, gold) : never;
    for (ChunkId chunk(0); chunk.number() < coding_.chunks && least > 0; ++chunk) {
      if (chunk != gold && allows(before, chunk, after)) least = std::min(least, this->least(t + 1, chunk) + 1);
    }
    return least;
  }

  void add_token() {
    std::vector<std::uint8_t> flags(coding_.end);
    if (!alive_.empty()) {
      for (ChunkId chunk(0); chunk.number() < coding_.chunks; ++chunk) {
        bool any = false;
        for (ChunkId next(0); next.number() < coding_.chunks && !any; ++next)
          any = coding_.follows(chunk, next) && alive_.back()[next.place()];
        flags[chunk.place()] = any;
      }
    }
    alive_.push_back(std::move(flags));
  }

  const JointCoding& coding_;
  std::vector<std::vector<std::uint8_t>> alive_;  // [tokens after][chunks] whether the chunk label can be completed
  std::vector<std::int32_t> least_;               // [T + 1][chunks + 1] least number of wrong chunk labels
};

}  // namespace riata
