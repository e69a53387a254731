// One step of a beam over a chain, compared with all steps listed, merged and sorted.
#include <algorithm>
#include <limits>
#include <vector>

#include "core/rng.hpp"
#include "inference/structures/chain_level.hpp"
#include "tests/check.hpp"

using namespace riata;

namespace {

template <class Real>
struct Beam {
  struct Member {
    Real score;
    std::vector<Real> row;
    std::int64_t group;
    bool good;
  };
  std::int32_t labels, stride;
  std::vector<Member> nodes;
  std::vector<Real> own;
  ActionId truth;
  Real margin;
};

struct Step {
  std::size_t from;
  ActionId label;
  std::int64_t group;
  double rank;
  bool good;
};

// The order of steps: best first; at equal rank the y-good step comes last, then the older node, then the lower label.
bool before(const Step& a, const Step& b) {
  if (a.rank != b.rank) return a.rank > b.rank;
  if (a.good != b.good) return b.good;
  return a.from != b.from ? a.from < b.from : a.label < b.label;
}

template <class Real>
std::vector<Step> listed(const Beam<Real>& beam, std::int64_t width) {
  std::vector<Step> all, merged;
  std::vector<std::int64_t> groups;
  for (std::size_t i = 0; i < beam.nodes.size(); ++i) {
    const auto& node = beam.nodes[i];
    if (std::find(groups.begin(), groups.end(), node.group) == groups.end()) groups.push_back(node.group);
    for (ActionId label = 0; label < beam.labels; ++label) {
      const bool good = node.good && label == beam.truth;
      const Real score = node.score + (node.row[static_cast<std::size_t>(label)] + beam.own[static_cast<std::size_t>(label)]);
      if (score != -std::numeric_limits<Real>::infinity())
        all.push_back({i, label, node.group, double(good ? score - beam.margin : score), good});
    }
  }
  std::sort(all.begin(), all.end(), before);
  for (const Step& step : all) {
    const bool beaten =
        std::any_of(merged.begin(), merged.end(), [&](const Step& s) { return s.group == step.group && s.label == step.label; });
    if (!beaten) merged.push_back(step);
  }
  if (width >= static_cast<std::int64_t>(groups.size()) * beam.labels)
    std::sort(merged.begin(), merged.end(),
              [](const Step& a, const Step& b) { return a.from != b.from ? a.from < b.from : a.label < b.label; });
  else if (static_cast<std::int64_t>(merged.size()) > width)
    merged.resize(static_cast<std::size_t>(width));
  return merged;
}

// values: the number of different scores; few of them make ties.
template <class Real>
Beam<Real> drawn(Rng& rng, std::uint64_t values) {
  const auto score = [&] {
    const auto value = static_cast<Real>(rng.below(values)) / 4;
    return rng.below(12) == 0 ? -std::numeric_limits<Real>::infinity() : value;
  };
  Beam<Real> beam;
  beam.labels = 1 + static_cast<std::int32_t>(rng.below(rng.below(4) == 0 ? 70 : 12));
  beam.stride = padded(beam.labels);
  const std::uint64_t nodes = 1 + rng.below(20), groups = 1 + rng.below(6);
  for (std::uint64_t i = 0; i < nodes; ++i) {
    std::vector<Real> row(static_cast<std::size_t>(beam.stride), Real{0});
    for (std::int32_t j = 0; j < beam.labels; ++j) row[static_cast<std::size_t>(j)] = score();
    beam.nodes.push_back({static_cast<Real>(rng.below(values)) / 4, row, static_cast<std::int64_t>(rng.below(groups)) * 1000003, false});
  }
  beam.own.assign(static_cast<std::size_t>(beam.stride), -std::numeric_limits<Real>::infinity());  // no label is in the padding
  for (std::int32_t j = 0; j < beam.labels; ++j) beam.own[static_cast<std::size_t>(j)] = score();
  beam.truth = rng.below(4) == 0 ? -1 : static_cast<ActionId>(rng.below(static_cast<std::uint64_t>(beam.labels)));
  if (beam.truth >= 0 && rng.below(5) > 0) beam.nodes[rng.below(nodes)].good = true;
  beam.margin = static_cast<Real>(rng.below(3)) / 4;
  return beam;
}

template <class Real>
void compare(Rng& rng, std::uint64_t values) {
  const Beam<Real> beam = drawn<Real>(rng, values);
  ChainLevel<Real> level(beam.labels);
  const auto entries = static_cast<std::int64_t>(beam.nodes.size()) * beam.labels;
  for (const std::int64_t width :
       {std::int64_t{1}, std::int64_t{2}, std::int64_t{5}, std::int64_t{beam.labels} - 1, std::int64_t{beam.labels},
        std::int64_t{beam.labels} + 1, std::int64_t{64}, std::int64_t{65}, std::int64_t{100}, entries, std::int64_t{1} << 40}) {
    if (width < 1) continue;
    level.open(beam.nodes.size());
    for (std::size_t i = 0; i < beam.nodes.size(); ++i) {
      const auto& node = beam.nodes[i];
      level.set(i, node.score, node.row.data(), node.group, node.good);
    }
    const auto found = level.best(beam.own.data(), beam.truth, beam.margin, width);
    const std::vector<Step> expected = listed(beam, width);
    CHECK(found.size() == expected.size());
    for (std::size_t k = 0; k < expected.size(); ++k) {
      CHECK(found[k].from == expected[k].from);
      CHECK(found[k].label == expected[k].label);
      CHECK(found[k].good == expected[k].good);
    }
  }
}

}  // namespace

int main() {
  Rng rng(5);
  for (int repeated = 0; repeated < 1500; ++repeated) {
    for (const std::uint64_t values : {3, 100000}) {
      compare<float>(rng, values);
      compare<double>(rng, values);
    }
  }
  return 0;
}
