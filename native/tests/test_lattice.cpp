// The lattice of a toy space compared with the sum over all paths: unbounded and narrow beams, states that merge, and dead ends.
#include <cmath>
#include <cstdint>
#include <memory>
#include <set>
#include <utility>
#include <vector>

#include "core/rng.hpp"
#include "inference/search/engine.hpp"
#include "inference/search/lattice.hpp"
#include "inference/search/units.hpp"
#include "tests/check.hpp"

using namespace riata;

namespace {

constexpr std::int32_t labels = 3, length = 4, forbidden = 2;  // label `forbidden` is a dead end in the middle
using Path = std::vector<std::int32_t>;

// A label for every token; scores depend on the label before, which is the key.
class Toy : public Space {
 public:
  explicit Toy(Rng& rng) : scores_(length * (labels + 1) * labels) {
    for (double& score : scores_) score = double(rng.below(65)) / 16 - 2;
  }
  StateId initial() override { return StateId(0); }
  bool is_goal(StateId state) override { return state.number() == length; }
  void expand(const Tree& tree, std::span<const NodeId> frontier, const Ranking&, bool, std::vector<Candidate>& out) override {
    for (const NodeId id : frontier) {
      const Node& node = tree[id];
      if (node.action == forbidden && node.depth == 2) continue;
      for (std::int32_t label = 0; label < labels; ++label)
        out.push_back({node.score + step(node.depth, node.action, label), 0, label, 0, id, label, false});
    }
  }
  StateId apply(StateId state, ActionId) override { return StateId(state.number() + 1); }
  double initial_regret() override { return 0; }
  double regret(const Tree&, NodeId) override { return 0; }
  bool merges() const override { return true; }
  std::int64_t key(const Tree& tree, NodeId node) override { return tree[node].action; }
  double step_score(const Tree& tree, NodeId node) override { return tree[node].score - tree[tree[node].parent].score; }
  void features(const Tree&, NodeId, StepFeatures&) override {}
  void weights_changed() override {}

  double score(const Path& path) const {
    double sum = 0;
    for (std::int32_t t = 0, before = -1; t < length; before = path[static_cast<std::size_t>(t)], ++t)
      sum += step(t, before, path[static_cast<std::size_t>(t)]);
    return sum;
  }

 private:
  double step(std::int32_t t, std::int32_t before, std::int32_t label) const {
    return scores_[static_cast<std::size_t>((t * (labels + 1) + before + 1) * labels + label)];
  }
  std::vector<double> scores_;
};

std::vector<Path> every_path() {
  std::vector<Path> found{{}};
  for (std::int32_t t = 0; t < length; ++t) {
    std::vector<Path> longer;
    for (const Path& path : found) {
      if (t == 2 && path.back() == forbidden) continue;
      for (std::int32_t label = 0; label < labels; ++label) {
        longer.push_back(path);
        longer.back().push_back(label);
      }
    }
    found = std::move(longer);
  }
  return found;
}

// Records which states leave the queue, by depth and label.
class Fronts : public Lattice {
 public:
  using Lattice::Lattice;
  std::set<std::pair<std::int32_t, std::int32_t>> kept;
  void at_front(const Search& search, std::span<const NodeId> front) override {
    Lattice::at_front(search, front);
    for (const NodeId id : front) kept.emplace(search.tree()[id].depth, search.tree()[id].action);
  }
  bool has(const Path& path) const {
    for (std::size_t t = 0; t < path.size(); ++t) {
      if (kept.count({static_cast<std::int32_t>(t) + 1, path[t]}) == 0) return false;
    }
    return true;
  }
};

// How a path is divided into chunks: label 1 continues chunks of labels 0 and 1. For each token, the first token of its chunk.
Path chunks_of(const Path& path) {
  Path first(path.size(), 0);
  for (std::size_t t = 1; t < path.size(); ++t) first[t] = path[t] == 1 && path[t - 1] != 2 ? first[t - 1] : static_cast<std::int32_t>(t);
  return first;
}

bool same_chunk(const Path& a, const Path& b, std::size_t t, const std::vector<std::int32_t>& coding) {
  const Path one = chunks_of(a), other = chunks_of(b);
  for (std::size_t u = 0; u < a.size(); ++u) {
    if ((one[u] == one[t]) != (other[u] == one[t])) return false;
  }
  const auto first = static_cast<std::size_t>(one[t]);
  return coding[static_cast<std::size_t>(a[first])] == coding[static_cast<std::size_t>(b[first])];
}

void check_beam(Toy& space, const QueueSpec& spec) {
  const std::vector<std::int32_t> coding{0, 0, 1};
  const std::vector<std::uint8_t> continues{0, 1, 0, 0, 1, 0, 0, 0, 0};
  const std::unique_ptr<Queue> queue = make_queue(spec);
  Search search(space, *queue);
  Fronts lattice(space, spec);
  const NodeId goal = search.run(nullptr, &lattice);
  CHECK(bool(goal));
  const std::vector<ActionId> found = search.tree().path(goal);
  lattice.build(search);
  Units units(Track{0, coding, continues, [](ActionId action) { return action; }});
  for (const double temperature : {0.05, 1.0, 8.0}) {
    lattice.weigh(temperature);
    std::vector<double> values(length);
    units(lattice, found, values.data());
    double whole = 0;
    std::vector<double> expected(length);
    for (const Path& path : every_path()) {
      if (!lattice.has(path)) continue;
      const double mass = std::exp((space.score(path) - space.score(found)) / temperature);
      whole += mass;
      for (std::size_t t = 0; t < length; ++t) expected[t] += same_chunk(found, path, t, coding) ? mass : 0;
    }
    for (std::size_t t = 0; t < length; ++t) CHECK(std::abs(values[t] - expected[t] / whole) < 1e-9);
    double ends = 0;
    for (std::size_t n = 0; n < lattice.nodes().size(); ++n)
      ends += lattice.nodes()[n].goal ? lattice.probability(static_cast<std::int32_t>(n)) : 0;
    CHECK(std::abs(ends - 1) < 1e-9);
    for (const Lattice::Edge& edge : lattice.edges()) CHECK(edge.from < edge.to && edge.probability >= 0 && edge.probability <= 1);
  }
}

}  // namespace

int main() {
  Rng rng(1);
  for (int i = 0; i < 200; ++i) {
    Toy space(rng);
    check_beam(space, {"beam", unbounded, "operations"});
    check_beam(space, {"beam", unbounded, "prefix"});
    check_beam(space, {"beam", 2, "operations"});  // at most one of two states is a dead end
    check_beam(space, {"beam", 2, "prefix"});
  }
}
