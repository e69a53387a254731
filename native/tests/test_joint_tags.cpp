// The regret of every state of a parser that chooses tags, compared with the loss of all outputs that the state leads to.
#include <algorithm>
#include <cstdint>
#include <limits>
#include <memory>
#include <vector>

#include "core/rng.hpp"
#include "inference/structures/transition_structure.hpp"
#include "tests/check.hpp"
#include "tests/enumerated.hpp"

using namespace riata;
using namespace riata::test;

namespace {

struct Walk {
  const Enumerated& in;
  CorpusSpace& space;
  std::int64_t sentence;
  bool exact;  // whether regrets are exact; otherwise they are lower bounds, but at least 1 off the ways of the oracle
  Tree tree = {};
  std::int64_t goals = 0;

  // Visits all states below a node; returns the least loss of their outputs.
  double least_below(NodeId id) {
    const Codes gold = in.corpus().gold_of(sentence);
    double least = std::numeric_limits<double>::infinity();
    if (tree[id].goal) {
      Output output(gold.size());
      space.codes(tree.path(id), output);
      least = in.loss(gold, output);
      CHECK(space.regret(tree, id) == least);
      ++goals;
    } else {
      std::vector<Candidate> candidates;
      const NodeId frontier[] = {id};
      space.expand(tree, frontier, Ranking{}, true, candidates);
      for (const Candidate& candidate : candidates) least = std::min(least, least_of(id, candidate));
    }
    const double regret = space.regret(tree, id);
    CHECK(exact ? regret == least : regret <= std::max(least, 1.0));
    CHECK((tree[id].good && regret == 0) <= (least == 0));
    return least;
  }

  double least_of(NodeId from, const Candidate& candidate) {
    Node node;
    node.parent = from;
    node.action = candidate.action;
    node.state = space.apply(tree[from].state, candidate.action);
    node.goal = space.is_goal(node.state);
    node.good = candidate.good;
    node.score = candidate.score;
    const NodeId id = tree.add(node);
    if (tree[from].good) CHECK(candidate.regret <= space.regret(tree, id));
    if (tree[from].good) CHECK(candidate.good == (space.regret(tree, id) == 0) || !exact);
    return least_below(id);
  }
};

// Only truths that the system can build.
void check_regrets(Enumerated& in, TransitionModel<double>& model) {
  Vector<double> weights = Vector<double>::of(model.flat());
  const Corpus corpus = in.corpus();
  const auto structure = std::as_const(*in.model).over(corpus, weights);
  const auto space = structure->space({});
  const bool exact = model.weights.coding.system != TransitionSystem::swap;
  std::int64_t walks = 0;
  for (const std::int64_t s : in.order()) {
    if (in.instances.length(s) == 0) continue;
    space->open(s, true);
    if (space->initial_regret() > 0) continue;
    Walk walk{in, *space, s, exact};
    Node start;
    start.state = space->initial();
    start.good = true;
    CHECK(walk.least_below(walk.tree.add(start)) == 0);
    CHECK(walk.goals > 0);
    ++walks;
  }
  CHECK(walks > 0);
}

}  // namespace

int main() {
  Rng rng(7);
  int checked = 0;
  for (const Case& one : enumerated(rng)) {
    auto* model = dynamic_cast<TransitionModel<double>*>(one->model.get());
    if (model == nullptr || model->weights.coding.tags == 0) continue;
    check_regrets(*one, *model);
    ++checked;
  }
  CHECK(checked == 3);
  return 0;
}
