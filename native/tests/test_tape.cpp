// Tapes compared with all outputs: lists in order, log Z and probabilities in factors and in logarithms, ties, and long sentences.
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <functional>
#include <limits>
#include <map>
#include <set>
#include <vector>

#include "inference/exact/projective_tape.hpp"
#include "inference/exact/segment_tape.hpp"
#include "inference/tape/kept_shapes.hpp"
#include "inference/tape/list.hpp"
#include "inference/tape/sums.hpp"
#include "tests/all_trees.hpp"
#include "tests/cases/segments.hpp"
#include "tests/check.hpp"

using namespace riata;
using namespace riata::test;

namespace {

constexpr double never = -std::numeric_limits<double>::infinity();

bool near(double a, double b) { return std::abs(a - b) < 1e-9 * (1 + std::abs(a)); }

using Parts = std::vector<Cell>;  // of one output, in ascending order

// A tape with scores of its parts, and all outputs.
struct Listing {
  const Tape& tape;
  std::vector<Parts> outputs;
  std::vector<double> scores;  // [tape.parts()]
  // Further scores of parts, best first.
  std::map<Cell, std::vector<double>> further = {};

  double score(const Parts& output) const {
    double sum = 0;
    for (const Cell part : output) sum += scores[static_cast<std::size_t>(part)];
    return sum;
  }
};

Parts sorted(const std::vector<TapeList<double>::Part>& parts) {
  Parts out;
  for (const auto& [cell, rank] : parts) out.push_back(cell);
  std::sort(out.begin(), out.end());
  return out;
}

// The whole list: every output once with every combination of ranks, in descending order.
void check_list(const Listing& in) {
  std::vector<double> expected;
  for (const Parts& output : in.outputs) {
    std::vector<double> sums{0};
    for (const Cell part : output) {
      std::vector<double> of{in.scores[static_cast<std::size_t>(part)]}, longer;
      if (const auto found = in.further.find(part); found != in.further.end())
        of.insert(of.end(), found->second.begin(), found->second.end());
      for (const double sum : sums) {
        for (const double score : of) longer.push_back(sum + score);
      }
      sums = std::move(longer);
    }
    for (const double sum : sums) {
      if (sum > never) expected.push_back(sum);
    }
  }
  std::sort(expected.begin(), expected.end(), std::greater<>());
  const auto further = [&](Cell part, std::int32_t rank) -> std::optional<double> {
    const auto found = in.further.find(part);
    if (found == in.further.end() || static_cast<std::size_t>(rank) > found->second.size()) return std::nullopt;
    return found->second[static_cast<std::size_t>(rank - 1)];
  };
  TapeList<double> list;
  std::copy(in.scores.begin(), in.scores.end(), list.open(in.tape));
  std::vector<TapeList<double>::Part> parts;
  std::set<std::vector<std::pair<Cell, std::int32_t>>> seen;
  for (const double score : expected) {
    const auto found = list.next(further, parts);
    CHECK(found && near(*found, score));
    double sum = 0;
    std::vector<std::pair<Cell, std::int32_t>> ranks;
    for (const auto& [cell, rank] : parts) {
      sum += rank == 0 ? in.scores[static_cast<std::size_t>(cell)] : *further(cell, rank);
      ranks.emplace_back(cell, rank);
    }
    CHECK(near(sum, score));
    std::sort(ranks.begin(), ranks.end());
    CHECK(seen.insert(ranks).second);
  }
  CHECK(!list.next(further, parts) && !list.next(further, parts));
}

// more: added to all scores, and so many times to those of outputs, since all of them have as many parts; large numbers overflow factors.
void check_sums(const Listing& in, double more) {
  TapeSums sums;
  double* to = sums.open(in.tape);
  for (std::size_t p = 0; p < in.scores.size(); ++p) to[p] = in.scores[p] + more;
  double best = never, z = 0;
  const auto score = [&](const Parts& output) { return in.score(output) + more * double(output.size()); };
  for (const Parts& output : in.outputs) best = std::max(best, score(output));
  std::vector<double> shares(in.scores.size(), 0.0);
  for (const Parts& output : in.outputs) {
    if (best == never) break;
    const double factor = std::exp(score(output) - best);
    z += factor;
    for (const Cell part : output) shares[static_cast<std::size_t>(part)] += factor;
  }
  const double log_z = sums.fill();
  CHECK(best == never ? log_z == never : near(log_z, best + std::log(z)));
  for (std::size_t p = 0; p < shares.size() && best > never; ++p) CHECK(std::abs(sums.share(static_cast<Cell>(p)) - shares[p] / z) < 1e-9);
}

void check_all(Listing in, Rng& rng) {
  check_list(in);
  for (const double more : {0.0, 300.0, -300.0}) check_sums(in, more);
  for (const double scale : {100.0, 3000.0}) {  // factors vanish
    Listing wide = in;
    for (double& score : wide.scores) score *= scale;
    check_sums(wide, 0);
  }
  for (double& score : in.scores) score = rng.below(4) == 0 ? never : std::round(score);  // ties
  check_list(in);
  check_sums(in, 0);
}

std::vector<double> random_scores(const Tape& tape, Rng& rng) {
  std::vector<double> out(static_cast<std::size_t>(tape.parts()));
  for (double& score : out) score = 3 * random_number(rng);
  return out;
}

// The parts of a tree. Heads count from 0; -1 is the root.
Parts parts_of(const ProjectiveTape& shape, const Heads& heads, bool siblings) {
  const auto n = static_cast<std::int32_t>(heads.size());
  Parts out;
  for (std::int32_t c = 1; c <= n; ++c) {
    const std::int32_t h = heads[static_cast<std::size_t>(c - 1)] + 1;
    out.push_back(shape.arc(h, c));
    CHECK(shape.is_arc(out.back()) && shape.ends(out.back()).head == h && shape.ends(out.back()).child == c);
    if (!siblings) continue;
    std::int32_t sibling = 0;
    const std::int32_t step = c < h ? 1 : -1;
    for (std::int32_t k = c + step; h > 0 && k != h && sibling == 0; k += step) {
      if (heads[static_cast<std::size_t>(k - 1)] + 1 == h) sibling = k;
    }
    shape.each_sibling_of(h, c, [&](Cell at, std::int32_t k) {
      if (k == sibling) out.push_back(at);
    });
  }
  std::sort(out.begin(), out.end());
  return out;
}

void check_trees(Rng& rng) {
  for (const bool siblings : {false, true}) {
    for (std::int32_t n = 1; n <= 5; ++n) {
      const ProjectiveTape shape({n, siblings});
      Listing in{shape.tape, {}, random_scores(shape.tape, rng)};
      for (const Heads& heads : all_trees(n, true)) in.outputs.push_back(parts_of(shape, heads, siblings));
      check_all(in, rng);
      if (n == 5) continue;
      for (std::int32_t c = 1; c <= n; ++c) {  // arcs with several relations
        const double best = in.scores[static_cast<std::size_t>(shape.arc(0, c))];
        in.further[shape.arc(0, c)] = {best - 0.5, best - 0.5, best - 2};
        if (c > 1) in.further[shape.arc(1, c)] = {in.scores[static_cast<std::size_t>(shape.arc(1, c))]};
      }
      check_list(in);
    }
  }
}

void check_segments(Rng& rng) {
  for (const std::int32_t order : {0, 1}) {
    for (const std::int32_t labels : {1, 3}) {
      for (std::int32_t length = 1; length <= 4; ++length) {
        const SegmentCoding coding{labels, LabelId(0), Length(3)};
        const SegmentTape shape({length, 3, labels, order});
        Listing in{shape.tape, {}, random_scores(shape.tape, rng)};
        for (std::int32_t p = 0; p < shape.tape.parts(); ++p) {
          if (shape.is_span(p) && shape.label_of(p) == 0 && shape.length_of(p) > 1) in.scores[static_cast<std::size_t>(p)] = never;
        }
        for (const Output& codes : segmentations(coding, length)) {
          Parts parts;
          each_segment(coding, codes, [&](std::int32_t t, Length l, LabelId y, const Before& before) {
            parts.push_back(shape.span(t, l.number()) + y.number());
            CHECK(shape.start_of(parts.back()) == t && shape.length_of(parts.back()) == l.number() &&
                  shape.label_of(parts.back()) == y.number());
            if (order > 0) parts.push_back(shape.edge(t, std::max(before.labels[0] - 1, 0)) + y.number());
          });
          std::sort(parts.begin(), parts.end());
          in.outputs.push_back(parts);
        }
        check_all(in, rng);
      }
    }
  }
}

// Of equal trees, the first one has the heads that were recorded first; the list goes on through all others.
void check_ties() {
  const ProjectiveTape shape({4, false});
  TapeList<double> list;
  std::vector<TapeList<double>::Part> parts;
  std::vector<Parts> found[2];
  for (auto& in_turn : found) {
    std::fill_n(list.open(shape.tape), shape.tape.parts(), 0.0);
    while (list.next(parts)) in_turn.push_back(sorted(parts));
  }
  CHECK(found[0] == found[1] && found[0].size() == all_trees(4, true).size());
  CHECK(found[0][0] == parts_of(shape, {-1, 0, 1, 2}, false));
}

// A list needs no deep recursion, and there may be more trees than factors can count.
void check_long(Rng& rng) {
  const SegmentTape shape({20'000, 2, 2, 1});
  TapeList<float> list;
  float* to = list.open(shape.tape);
  for (Cell p = 0; p < shape.tape.parts(); ++p) to[p] = static_cast<float>(random_number(rng));
  std::vector<TapeList<float>::Part> parts;
  float before = std::numeric_limits<float>::infinity();
  for (int n = 0; n < 20; ++n) {
    const auto score = list.next(parts);
    CHECK(score && *score <= before);
    before = *score;
  }
  for (const std::int32_t n : {60, 130}) {
    const ProjectiveTape trees({n, false});
    TapeSums sums;
    std::fill_n(sums.open(trees.tape), trees.tape.parts(), 0.0);
    double log_trees = -std::log(double(n));  // there are binomial(3n - 2, n - 1) / n trees
    for (std::int32_t k = 1; k < n; ++k) log_trees += std::log(double(2 * n - 1 + k) / k);
    CHECK(near(sums.fill(), log_trees));
    double roots = 0;
    for (std::int32_t c = 1; c <= n; ++c) roots += sums.share(trees.arc(0, c));
    CHECK(near(roots, 1));
  }
}

void check_kept() {
  KeptShapes<ProjectiveTape::Shape, ProjectiveTape> shapes;
  const ProjectiveTape* ten = &shapes({10, false});
  CHECK(&shapes({10, false}) == ten && &shapes({10, true}) != ten);
  for (std::int32_t n = 300; n < 330; ++n) CHECK(shapes({n, false}).tape.parts() >= 2 * n * n - n);
}

}  // namespace

int main() {
  Rng rng(5);
  for (int drawn = 0; drawn < 3; ++drawn) {
    check_trees(rng);
    check_segments(rng);
  }
  check_ties();
  check_long(rng);
  check_kept();
  return 0;
}
