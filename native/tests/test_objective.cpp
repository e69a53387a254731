// The batch objective: every loss, and one that only this file defines, over the potentials of every structure, compared with single
// sentences and with the list of all outputs.
#include "learning/batch/objective.hpp"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "core/error.hpp"
#include "core/rng.hpp"
#include "inference/sentence_gradient.hpp"
#include "inference/structures/chain_potentials.hpp"
#include "inference/structures/second_order_potentials.hpp"
#include "inference/structures/segment_potentials.hpp"
#include "tests/cases/chain.hpp"
#include "tests/cases/segments.hpp"
#include "tests/check.hpp"
#include "tests/enumerated.hpp"
#include "tests/listed_potentials.hpp"
#include "tests/sentences.hpp"

using namespace riata;
using namespace riata::test;

namespace {

// Half the square of log P: a loss whose slope depends on the sentence. No other file names it.
const RegisteredLoss squared({"half squared log", [](double log_p) { return OutputLoss::At{log_p * log_p / 2, -log_p}; }});

const Poll go_on = [](std::int64_t) { return true; };
constexpr std::int32_t labels = 3, words = 5;

using Made = std::unique_ptr<Potentials>;

std::vector<double> random_point(Rng& rng, std::int64_t size, double scale) {
  std::vector<double> at(static_cast<std::size_t>(size));
  for (double& x : at) x = scale * (double(rng.below(2001)) / 1000 - 1);
  return at;
}

struct Found {
  double value;
  std::vector<double> gradient;
};

Found evaluated(Potentials& potentials, const std::vector<double>& weights, const std::string& loss, const std::vector<double>& at,
                std::int64_t threads = 1) {
  BatchObjective objective(potentials, weights, output_loss(loss));
  Found out{0, std::vector<double>(at.size())};
  const BatchObjective::Found found = objective(at, out.gradient, threads, go_on);
  out.value = found.value * std::exp(found.scale);
  for (double& part : out.gradient) part *= std::exp(found.scale);
  return out;
}

OutputLoss::At unscaled(const OutputLoss& loss, double log_p) {
  const OutputLoss::At at = loss.at(log_p);
  const double times = loss.exponential ? std::exp(-log_p) : 1;
  return {times * at.value, times * at.times};
}

// NaN, which exponential losses of large scores are without their scale, equals itself.
bool same_bytes(const Found& a, const Found& b) {
  const auto bytes = a.gradient.size() * sizeof(double);
  return std::memcmp(&a.value, &b.value, sizeof(double)) == 0 && std::memcmp(a.gradient.data(), b.gradient.data(), bytes) == 0;
}

bool near(double a, double b, double scale) { return std::abs(a - b) <= 1e-9 * (1 + scale); }

// The value and gradient of another loss must follow from the log loss of each sentence by itself.
void check_loss(const std::function<Made()>& make, double scale) {
  Rng rng(11);
  const Made potentials = make();
  const std::vector<double> at = random_point(rng, potentials->size(), scale);
  std::vector<double> weights;
  for (std::int64_t s = 0; s < potentials->sentences(); ++s) weights.push_back(double(rng.below(4)) / 2);
  std::vector<Found> alone;  // [sentences]
  for (std::size_t s = 0; s < weights.size(); ++s) {
    std::vector<double> only(weights.size(), 0);
    only[s] = 1;
    alone.push_back(evaluated(*potentials, only, "log", at));
  }
  for (const std::string& loss : output_loss_names()) {
    if (output_loss(loss).pointwise) continue;
    Found expected{0, std::vector<double>(at.size())};
    double largest = 0;
    for (std::size_t s = 0; s < weights.size(); ++s) {
      const OutputLoss::At one = unscaled(output_loss(loss), -alone[s].value);
      expected.value += weights[s] * one.value;
      for (std::size_t i = 0; i < at.size(); ++i) expected.gradient[i] += weights[s] * one.times * alone[s].gradient[i];
      largest = std::max({largest, one.times, alone[s].value});
    }
    const Found found = evaluated(*potentials, weights, loss, at), threaded = evaluated(*potentials, weights, loss, at, 3);
    CHECK(same_bytes(found, threaded));
    if (!std::isfinite(expected.value)) continue;  // the loss has no finite value for such probabilities
    CHECK(near(found.value, expected.value, std::abs(expected.value)));
    for (std::size_t i = 0; i < at.size(); ++i) CHECK(near(found.gradient[i], expected.gradient[i], 100 * largest));
  }
}

// The `times` of every loss must be minus its slope.
void check_slopes() {
  for (const std::string& name : output_loss_names()) {
    const OutputLoss& loss = output_loss(name);
    for (const double log_p : {-5.0, -1.0, -0.01}) {
      constexpr double step = 1e-6;
      const double rise = unscaled(loss, log_p + step).value - unscaled(loss, log_p - step).value, times = unscaled(loss, log_p).times;
      CHECK(std::abs(-rise / (2 * step) - times) < 1e-6 * (1 + times));
      CHECK(times > 0 && (!loss.linear || times == 1));
    }
    CHECK(unscaled(loss, -2.0).value > unscaled(loss, -1.0).value);
  }
}

// log P of the truth of every sentence, computed from all outputs. The model has the weights of the potentials at a point.
void check_against_list(Potentials& potentials, const Enumerated& in, Model<double>& model, const std::vector<double>& at) {
  Vector<double> weights = Vector<double>::of(model.flat());
  const auto structure = std::as_const(model).over(in.corpus(), weights);
  double expected = 0;
  for (std::int64_t s = 0; s < in.instances.sentences(); ++s) {
    if (in.instances.length(s) == 0) continue;
    structure->open(s);
    double sum = 0;
    for (const ListedOutput& output : in.listing[static_cast<std::size_t>(s)]) sum += std::exp(structure->score(output.codes));
    expected += std::log(sum) - structure->score(in.corpus().gold_of(s));
  }
  CHECK(near(evaluated(potentials, {}, "log", at).value, expected, 10 * expected));
}

// One sentence at a time, for stochastic steps, gives the same as the batch objective of that sentence.
void check_sentences(SentenceGradient<double>& gradient, Potentials& potentials, const std::vector<double>& at) {
  constexpr double scale = 4;
  const RowWeights& there = gradient.there();
  CHECK(there.size() == potentials.size());
  std::vector<double> weights(static_cast<std::size_t>(there.room()));
  there.each(
      [&](std::int32_t i, std::int64_t place) { weights[static_cast<std::size_t>(place)] = at[static_cast<std::size_t>(i)] / scale; });
  for (std::int64_t s = 0; s < gradient.sentences(); ++s) {
    if (gradient.length(s) == 0) continue;
    std::vector<double> only(static_cast<std::size_t>(potentials.sentences()), 0), moved(weights.size()), others(weights.size());
    only[static_cast<std::size_t>(s)] = 1;
    const Found expected = evaluated(potentials, only, "log", at);
    CHECK(near(-gradient.open(s, weights.data(), scale), expected.value, 10));
    gradient.move(2, RowMoves<double>(there, moved.data(), others.data(), -0.5));
    there.each([&](std::int32_t i, std::int64_t place) {
      const double slope = expected.gradient[static_cast<std::size_t>(i)];
      CHECK(near(moved[static_cast<std::size_t>(place)], 2 * slope, 10) && near(others[static_cast<std::size_t>(place)], -slope, 10));
    });
  }
}

void check_lists() {
  Rng rng(4);
  const Case chain = enumerated_chain(rng, {}, true, false), two_back = enumerated_chain(rng, {{-1, 0, {1, 2}}, {0, 0, {2}}}, true, false),
             segments = enumerated_segments(rng, 3, false);
  for (const Case* in : {&chain, &two_back}) (*in)->instances.labels = (*in)->gold;
  const auto& like = dynamic_cast<const ChainModel<double>&>(*chain->model);
  ChainPotentials<double> one(chain->index, chain->instances, labels, chain->instances.named_size, like.constraint, FeatureLabels::all,
                              Normalised::globally, {});
  std::vector<double> at = random_point(rng, one.size(), 1);
  ChainModel<double> of_one(one.points().model<double>(at), like.constraint);
  check_against_list(one, *chain, of_one, at);
  check_sentences(*one.gradient(), one, at);

  SecondOrderPotentials<double> two(two_back->index, two_back->instances, labels, two_back->instances.named_size, like.constraint,
                                    FeatureLabels::all, 1 << 20, 2000, 2.0);
  at = random_point(rng, two.size(), 1);
  ChainModel<double> of_two(two.points().model<double>(at), like.constraint);
  check_against_list(two, *two_back, of_two, at);
  check_sentences(*two.gradient(), two, at);

  const auto& whole = dynamic_cast<const SegmentModel<double>&>(*segments->model);
  SegmentPotentials<double> three(whole.templates, whole.weights.coding, segments->instances, segments->gold, FeatureLabels::all);
  at = random_point(rng, three.size(), 1);
  SegmentModel<double> of_three(whole.templates, three.points().model<double>(at));
  check_against_list(three, *segments, of_three, at);
  check_sentences(*three.gradient(), three, at);
}

void check_structure(const std::function<Made()>& make) {
  for (const double scale : {0.5, 3.0, 900.0}) check_loss(make, scale);  // the last one needs logarithms
  const Made potentials = make();
  BatchObjective objective(*potentials, {}, output_loss("log"));
  std::vector<double> gradient(static_cast<std::size_t>(potentials->size()));
  CHECK(std::isnan(objective(std::vector<double>(gradient.size()), gradient, 2, [](std::int64_t) { return false; }).value));
}

template <class Real>
Constraint<Real> constraint() {
  std::vector<std::uint8_t> follow(labels * labels, 1);
  follow[1] = 0;  // label 1 may not follow label 0
  return Constraint<Real>(labels, Weights<Real>(labels).stride, {1, 1, 1}, {1, 1, 1}, follow);
}

// Sentences with vectors and legal labels, some of which may be unknown.
Instances labelled(Rng& rng, FeatureIndex& index, bool unknown) {
  const RandomSentences sentences(rng, words, [](const auto&) { return 0; });
  Instances instances = sentences.entered(index);
  for (std::int64_t s = 0; s < instances.sentences(); ++s) {
    for (std::int64_t n = instances.starts[s]; n < instances.starts[s + 1]; ++n) {
      const bool after_zero = n > instances.starts[s] && instances.labels[n - 1] == 0;
      instances.labels[n] = static_cast<std::int32_t>(after_zero ? 2 * rng.below(2) : rng.below(labels));
    }
  }
  give_vectors(rng, unknown, instances);
  for (std::int32_t& label : instances.labels) label = unknown && rng.below(3) == 0 ? unknown_label : label;
  return instances;
}

void check_chains(bool unknown) {
  Rng rng(7);
  FeatureIndex index({{-1, 0, 0}, {0, 0, 1}}, {{0, 0, false}, {1, -1, false}, {0, 0, true}}, 1, true);
  const Instances instances = labelled(rng, index, unknown);
  for (const Normalised how : {Normalised::globally, Normalised::locally}) {
    if (unknown && how == Normalised::locally) continue;
    check_structure([&]() -> Made {
      return std::make_unique<ChainPotentials<double>>(index, instances, labels, instances.named_size, constraint<double>(),
                                                       FeatureLabels::all, how, std::span<const std::int32_t>());
    });
  }
}

void check_second_order(bool unknown) {
  Rng rng(8);
  FeatureIndex index({{-1, 0, 0}}, {{0, 0, false}, {0, 0, true}}, 1, true, {{-1, 0, {1, 2}}, {0, 0, {2}}});
  const Instances instances = labelled(rng, index, unknown);
  for (const double often : {0.0, 2.0}) {  // all matrices of pairs are part of contexts, or all are read weight by weight
    check_structure([&]() -> Made {
      return std::make_unique<SecondOrderPotentials<double>>(index, instances, labels, instances.named_size, constraint<double>(),
                                                             FeatureLabels::all, 1 << 20, 2000, often);
    });
  }
}

void check_segments(bool back) {
  Rng rng(9);
  FeatureIndex index{{{-1, 0, 0}, {0, 0, 1}}, {}, 1, false, {}, {}, 0, {{0, 0}, {0, -1}, {0, 1}, {1, 0}}};
  const SegmentCoding coding{labels, LabelId(0), Length(2)};
  const std::vector<BackSlot> histories{{{1}, false, -1, 0, false}, {{1}, false, 0, 0, false}};
  const SegmentTemplates templates(index, {{Role::inside, 0, 0}, {Role::inside, 1, 0}, {Role::first, 0, -1}, {Role::last, 0, 1}}, true,
                                   {{0, 0}, {0, 1}}, back ? histories : std::vector<BackSlot>());
  const Instances instances = RandomSentences(rng, words, [](const auto&) { return 0; }).entered(index);
  std::vector<std::int32_t> gold(static_cast<std::size_t>(instances.tokens()), -1);
  for (std::int64_t s = 0; s < instances.sentences(); ++s) {
    for (std::int64_t n = instances.starts[s], next = n; n < instances.starts[s + 1]; n = next) {
      next = n + 1 + (n + 1 < instances.starts[s + 1] && rng.below(2) == 1);
      const Length length(static_cast<std::int32_t>(next - n));
      const LabelId label(static_cast<std::size_t>(length == Length(1) ? rng.below(labels) : 1 + rng.below(2)));
      gold[static_cast<std::size_t>(n)] = coding.code(length, label);
    }
  }
  check_structure(
      [&]() -> Made { return std::make_unique<SegmentPotentials<double>>(templates, coding, instances, gold, FeatureLabels::all); });
}

void check_listed() {
  Rng rng(3);
  std::vector<std::vector<ListedPotentials::Output>> outputs(5);
  for (auto& list : outputs) {
    for (std::uint64_t k = 1 + rng.below(4); k > 0; --k) list.push_back(random_point(rng, 6, 1));
  }
  ListedPotentials potentials(6, outputs);
  check_loss([&]() -> Made { return std::make_unique<ListedPotentials>(6, outputs); }, 2);
  const std::vector<double> at = random_point(rng, 6, 1);
  for (const std::string& loss : output_loss_names()) {
    if (output_loss(loss).pointwise) continue;
    const Found found = evaluated(potentials, {}, loss, at);
    for (std::size_t i = 0; i < at.size(); ++i) {  // the slope, by finite differences
      std::vector<double> up = at, down = at;
      up[i] += 1e-5;
      down[i] -= 1e-5;
      const double rise = evaluated(potentials, {}, loss, up).value - evaluated(potentials, {}, loss, down).value;
      CHECK(std::abs(rise / 2e-5 - found.gradient[i]) < 1e-6 * (1 + std::abs(found.value)));
    }
  }
}

}  // namespace

int main() {
  for (const bool unknown : {false, true}) {
    check_chains(unknown);
    check_second_order(unknown);
  }
  check_segments(false);
  check_segments(true);
  check_listed();
  check_lists();
  check_slopes();
  const std::vector<std::string> names = output_loss_names();
  CHECK(std::ranges::count(names, "log") == 1 && std::ranges::count(names, "half squared log") == 1);
  try {
    output_loss("lgo");
    CHECK(false);
  } catch (const Error& error) {
    CHECK(error.kind() == "UnknownNameError");
  }
  return 0;
}
