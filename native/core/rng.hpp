// The project's own random generator, so that a seed gives the same numbers on every platform and standard library.
#pragma once

#include <cstdint>
#include <numeric>
#include <utility>
#include <vector>

namespace riata {

// SplitMix64 (Steele, Lea & Flood 2014).
class Rng {
 public:
  explicit Rng(std::uint64_t seed) noexcept : state_(seed) {}

  std::uint64_t next() noexcept {
    std::uint64_t z = (state_ += 0x9E3779B97F4A7C15ULL);
    z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9ULL;
    z = (z ^ (z >> 27)) * 0x94D049BB133111EBULL;
    return z ^ (z >> 31);
  }

  // Uniform in [0, bound) by rejection; bound > 0.
  std::uint64_t below(std::uint64_t bound) noexcept {
    const std::uint64_t reject_under = (0 - bound) % bound;
    std::uint64_t draw = next();
    while (draw < reject_under) draw = next();
    return draw % bound;
  }

 private:
  std::uint64_t state_;
};

// The order in which an epoch visits its sentences. Each epoch has an independent stream of the seed, so a resumed training visits the same
// sentences as an uninterrupted one.
inline std::vector<std::int64_t> shuffled(std::int64_t size, std::uint64_t seed, std::uint64_t epoch) {
  std::vector<std::int64_t> order(static_cast<std::size_t>(size));
  std::iota(order.begin(), order.end(), std::int64_t{0});
  Rng rng(Rng(seed).next() ^ Rng(~epoch).next());
  for (std::size_t i = order.size(); i > 1; --i) std::swap(order[i - 1], order[rng.below(i)]);
  return order;
}

}  // namespace riata
