#include "inference/tape/play.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "core/kernel_blocks.hpp"

#pragma GCC diagnostic ignored "-Wpsabi"  // functions that return blocks are always inlined

namespace riata {
namespace {

template <class Real>
struct Largest {
  using Number = Real;
  static constexpr Real one = 0, zero = -std::numeric_limits<Real>::infinity();
  template <class V>
  RIATA_INLINE static V times(const V& a, const V& b) noexcept {
    return a + b;
  }
  template <class V>
  RIATA_INLINE static V plus(const V& a, const V& b) noexcept {
    return b > a ? b : a;
  }
};
struct Factors {
  using Number = double;
  static constexpr double one = 1, zero = 0;
  template <class V>
  RIATA_INLINE static V times(const V& a, const V& b) noexcept {
    return a * b;
  }
  template <class V>
  RIATA_INLINE static V plus(const V& a, const V& b) noexcept {
    return a + b;
  }
};

template <class Number>
using Lanes = typename Block<Number>::type;

template <class Number>
RIATA_INLINE Lanes<Number> load(const Number* from) noexcept {
  Lanes<Number> out;
  std::memcpy(&out, from, sizeof out);
  return out;
}
template <class Number>
RIATA_INLINE void store(Number* to, const Lanes<Number>& numbers) noexcept {
  std::memcpy(to, &numbers, sizeof numbers);
}

template <class Number>
RIATA_INLINE Number largest(const Lanes<Number>& of) noexcept {
  Number most = of[0];
  for (std::int32_t x = 1; x < lanes; ++x) most = of[x] > most ? of[x] : most;
  return most;
}

// Sums of a run, for `blocks` blocks of y.
template <class Semiring, int blocks, bool three, bool shared, class Number = typename Semiring::Number>
RIATA_INLINE void play_blocks(const Run& run, std::int32_t y, Number* v, Lanes<Number>& most) noexcept {
  using V = Lanes<Number>;
  V sums[blocks];
  for (V& sum : sums) sum = V{} + Semiring::zero;
  const Number *a = v + run.a.at + (shared ? 0 : y), *b = v + run.b.at + y, *c = three ? v + run.c.at + y : nullptr;
  for (std::int32_t k = 0; k < run.count; ++k, a += run.a.step, b += run.b.step) {
    for (int x = 0; x < blocks; ++x) {
      V product = Semiring::times(shared ? V{} + *a : load(a + (shared ? 0 : x * lanes)), load(b + x * lanes));
      if constexpr (three) product = Semiring::times(product, load(c + x * lanes));
      sums[x] = Semiring::plus(sums[x], product);
    }
    if constexpr (three) c += run.c.step;
  }
  for (int x = 0; x < blocks; ++x, y += lanes) {
    Number* to = v + run.to + y;
    if (run.more) sums[x] = Semiring::plus(load(to), sums[x]);
    if (run.last && run.weight != no_cell) sums[x] = Semiring::times(sums[x], load(v + run.weight + y));
    sums[x] = V{0, 1, 2, 3, 4, 5, 6, 7} < static_cast<Number>(run.width - y) ? sums[x] : V{} + Semiring::zero;
    store(to, sums[x]);
    most = sums[x] > most ? sums[x] : most;
  }
}

template <class Semiring, bool three, bool shared, class Number = typename Semiring::Number>
RIATA_INLINE void play_run(const Run& run, Number* v, Lanes<Number>& most) noexcept {
  std::int32_t y = 0;
  for (; y + 3 * lanes < run.width; y += 4 * lanes) play_blocks<Semiring, 4, three, shared>(run, y, v, most);
  if (y + lanes < run.width) {
    play_blocks<Semiring, 2, three, shared>(run, y, v, most);
    y += 2 * lanes;
  }
  if (y < run.width) play_blocks<Semiring, 1, three, shared>(run, y, v, most);
}

template <class Semiring, class Number = typename Semiring::Number>
RIATA_INLINE Number play_forwards(const Tape& tape, Number* v) noexcept {
  Lanes<Number> most = Lanes<Number>{} + Semiring::zero;
  for (const Cell at : tape.ones()) v[at] = Semiring::one;
  for (const Run& run : tape.runs()) {
    if (run.c.at == no_cell && run.shared)
      play_run<Semiring, false, true>(run, v, most);
    else if (run.c.at == no_cell)
      play_run<Semiring, false, false>(run, v, most);
    else
      play_run<Semiring, true, false>(run, v, most);
  }
  return largest<Number>(most);
}

RIATA_INLINE void add_to(double* to, const Lanes<double>& numbers) noexcept { store(to, load(to) + numbers); }

template <bool three, bool shared>
RIATA_INLINE void back_run(const Run& run, const double* v, double* out, Lanes<double>& most) noexcept {
  using V = Lanes<double>;
  for (std::int32_t y = 0; y < run.width; y += lanes) {
    const V whole = load(out + run.to + y);
    most = whole <= most ? most : whole;  // also if it is not a number
    const V share = run.weight == no_cell ? whole : whole * load(v + run.weight + y);
    V sum{};
    Cell a = run.a.at + (shared ? 0 : y), b = run.b.at + y, c = run.c.at + y;
    for (std::int32_t k = 0; k < run.count; ++k, a += run.a.step, b += run.b.step) {
      const V of_a = shared ? V{} + v[a] : load(v + a), of_b = load(v + b);
      V with = share, product = of_a * of_b;
      if constexpr (three) {
        const V of_c = load(v + c);
        with *= of_c;
        add_to(out + c, share * product);
        product *= of_c;
        c += run.c.step;
      }
      if constexpr (shared)
        out[a] += in_all<double>(with * of_b);
      else
        add_to(out + a, with * of_b);
      add_to(out + b, with * of_a);
      sum += product;
    }
    if (run.weight != no_cell) add_to(out + run.weight + y, whole * sum);
  }
}

}  // namespace

RIATA_CLONES void play_largest(const Tape& tape, float* scores) noexcept { play_forwards<Largest<float>>(tape, scores); }
RIATA_CLONES void play_largest(const Tape& tape, double* scores) noexcept { play_forwards<Largest<double>>(tape, scores); }
RIATA_CLONES double play_factors(const Tape& tape, double* inside) noexcept { return play_forwards<Factors>(tape, inside); }

RIATA_CLONES double play_back(const Tape& tape, const double* inside, double* outside) noexcept {
  Lanes<double> most{};
  outside[tape.goal()] = 1;
  for (auto run = tape.runs().rbegin(); run != tape.runs().rend(); ++run) {
    if (run->c.at == no_cell && run->shared)
      back_run<false, true>(*run, inside, outside, most);
    else if (run->c.at == no_cell)
      back_run<false, false>(*run, inside, outside, most);
    else
      back_run<true, false>(*run, inside, outside, most);
  }
  return largest<double>(most);
}

namespace {

double score_of(const double* v, const Way& way) noexcept { return v[way.a] + v[way.b] + (way.c == no_cell ? 0 : v[way.c]); }

// Calls visit(sum) for all sums, in the order of the recording.
template <class Visit>
void each_sum(const Run& run, Visit visit) {
  for (Cell at = run.to; run.last && at < run.to + run.width; ++at) visit(at);
}

}  // namespace

void play_logarithms(const Tape& tape, double* inside) {
  constexpr double never = -std::numeric_limits<double>::infinity();
  for (const Cell at : tape.ones()) inside[at] = 0;
  const auto fill = [&](Cell at) {
    double most = never, sum = 0;
    tape.each_way(at, [&](const Way& way) { most = std::max(most, score_of(inside, way)); });
    inside[at] = never;
    if (most == never) return;
    tape.each_way(at, [&](const Way& way) { sum += std::exp(score_of(inside, way) - most); });
    inside[at] = most + std::log(sum);
    if (const Cell weight = tape.weight(at); weight != no_cell) inside[at] += inside[weight];
  };
  for (const Run& run : tape.runs()) each_sum(run, fill);
}

void share_logarithms(const Tape& tape, const double* inside, double* shares) {
  shares[tape.goal()] = 1;
  const auto hand_on = [&](Cell at) {
    const double share = shares[at];
    if (!(share > 0)) return;
    const Cell weight = tape.weight(at);
    const double sum = inside[at] - (weight == no_cell ? 0 : inside[weight]);
    if (weight != no_cell) shares[weight] += share;
    tape.each_way(at, [&](const Way& way) {
      const double part = share * std::exp(score_of(inside, way) - sum);
      shares[way.a] += part;
      shares[way.b] += part;
      if (way.c != no_cell) shares[way.c] += part;
    });
  };
  for (auto run = tape.runs().rbegin(); run != tape.runs().rend(); ++run) each_sum(*run, hand_on);
}

}  // namespace riata
