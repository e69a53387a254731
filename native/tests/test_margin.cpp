// Every max-margin solver, on every structure: it must come to the minimum, which another solver finds on the list of all outputs and
// proves by its dual objective.
#include <algorithm>
#include <cmath>
#include <set>
#include <string>
#include <vector>

#include "learning/margin/trainer.hpp"
#include "tests/check.hpp"
#include "tests/enumerated.hpp"

using namespace riata;
using namespace riata::test;

namespace {

const Poll go_on = [](std::int64_t) { return true; };
constexpr double c = 0.3;
constexpr double exact = 1e-3;         // which part of the objective the known minimum may be away
const std::string prover = "n-slack";  // the solver that finds it

Settings settings() {
  Settings out;
  out.set("C", c);
  out.set("epsilon", 1e-5);
  out.set("method", std::string("stochastic"));
  return out;
}

// Which part of the objective a solver may be away from the minimum. Some come ever closer, slowly.
double closeness(const std::string& solver) { return solver == "one-slack" || solver == "n-slack" || solver == "pairwise" ? exact : 0.05; }

// Passes until the solver has finished, until its gap is much smaller than what is checked, or so many that others have converged.
Certificate solved(const std::string& solver, const Model<double>& initial, const Corpus& corpus, const std::vector<double>& weights) {
  MarginTrainer<double> trainer(initial, MarginSolvers<double>::make(solver, settings()), {}, false, c);
  const MarginTrainer<double>::Data data{corpus, weights, {}};
  for (int pass = 1; pass <= 500; ++pass) {
    const auto order = shuffled(corpus.sentences(), 3, static_cast<std::uint64_t>(pass));
    if (trainer.epoch(data, order, go_on).finished) break;
    if (pass % 10 > 0 || solver == "subgradient") continue;
    const Certificate now = trainer.certify(data, false, go_on);
    if (now.primal - now.dual <= closeness(solver) / 5 * now.primal) break;
  }
  return trainer.certify(data, solver == "subgradient", go_on);
}

// Truths that cannot be reached are left out, with either way to find outputs.
void check_on(const Enumerated& in, const std::string& solver, Rng& rng, std::set<std::string>& learnt) {
  std::vector<double> weights;
  for (std::int64_t s = 0; s < in.instances.sentences(); ++s) weights.push_back(double(rng.below(3)) / 2 + 0.5);
  const std::unique_ptr<Model<double>> blank = in.model->copy();
  std::ranges::fill(blank->flat(), 0);
  Certificate found{};
  try {
    found = solved(solver, *blank, in.corpus(), weights);
  } catch (const Error& error) {
    CHECK(error.kind() == "UnsupportedError");
    return;
  }
  const Certificate expected = solved(prover, ListedModel<double>(in.listing, blank->flat()), in.corpus(), weights);
  CHECK(expected.primal - expected.dual <= exact * expected.primal + 1e-9);
  const double close = closeness(solver);
  CHECK(std::abs(found.primal - expected.primal) <= close * expected.primal);  // 0 if no truth can be reached
  if (!std::isnan(found.dual)) CHECK(found.dual <= found.primal + 1e-9 && found.primal - found.dual <= close * found.primal + 1e-9);
  if (found.primal > 0) learnt.insert(in.structure + " " + solver);
}

}  // namespace

int main() {
  Rng rng(7);
  std::set<std::string> learnt;
  const std::vector<Case> cases = enumerated(rng);
  for (const std::string& solver : MarginSolvers<double>::names()) {
    for (const Case& in : cases) check_on(*in, solver, rng, learnt);
    CHECK(learnt.contains("chain " + solver) && learnt.contains("segments " + solver));
  }
  return 0;
}
