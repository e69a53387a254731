// The batch objective: a loss that only this file knows, over the potentials of every structure, against single sentences; and over outputs
// that are listed one by one.
#include "learning/batch/objective.hpp"

#include <algorithm>
#include <cmath>
#include <functional>
#include <memory>
#include <vector>

#include "core/error.hpp"
#include "core/rng.hpp"
#include "inference/structures/chain_potentials.hpp"
#include "inference/structures/second_order_potentials.hpp"
#include "inference/structures/segment_potentials.hpp"
#include "tests/check.hpp"
#include "tests/sentences.hpp"

using namespace riata;

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

Found evaluated(Potentials& potentials, const std::vector<double>& weights, const char* loss, const std::vector<double>& at,
                std::int64_t threads = 1) {
  BatchObjective objective(potentials, weights, output_loss(loss));
  Found out{0, std::vector<double>(at.size())};
  out.value = objective(at, out.gradient, threads, go_on);
  return out;
}

bool near(double a, double b, double scale) { return std::abs(a - b) <= 1e-9 * (1 + scale); }

// The log loss of each sentence by itself says what another loss must come to.
void check_loss(const std::function<Made()>& make, double scale) {
  Rng rng(11);
  const Made potentials = make();
  const std::vector<double> at = random_point(rng, potentials->size(), scale);
  std::vector<double> weights;
  for (std::int64_t s = 0; s < potentials->sentences(); ++s) weights.push_back(double(rng.below(4)) / 2);
  Found expected{0, std::vector<double>(at.size())};
  double largest = 0;
  for (std::size_t s = 0; s < weights.size(); ++s) {
    std::vector<double> alone(weights.size(), 0);
    alone[s] = 1;
    const Found one = evaluated(*potentials, alone, "log", at);
    expected.value += weights[s] * one.value * one.value / 2;
    for (std::size_t i = 0; i < at.size(); ++i) expected.gradient[i] += weights[s] * one.value * one.gradient[i];
    largest = std::max(largest, one.value);
  }
  const Found found = evaluated(*potentials, weights, "half squared log", at);
  CHECK(near(found.value, expected.value, expected.value));
  for (std::size_t i = 0; i < at.size(); ++i) CHECK(near(found.gradient[i], expected.gradient[i], 100 * largest));
  for (const char* loss : {"log", "half squared log"}) {
    const Found one = evaluated(*potentials, weights, loss, at, 1), three = evaluated(*potentials, weights, loss, at, 3);
    CHECK(one.value == three.value && one.gradient == three.gradient);
  }
}

void check_structure(const std::function<Made()>& make) {
  for (const double scale : {0.5, 3.0, 900.0}) check_loss(make, scale);  // the last one needs logarithms
  const Made potentials = make();
  BatchObjective objective(*potentials, {}, output_loss("log"));
  std::vector<double> gradient(static_cast<std::size_t>(potentials->size()));
  CHECK(std::isnan(objective(std::vector<double>(gradient.size()), gradient, 2, [](std::int64_t) { return false; })));
}

template <class Real>
Constraint<Real> constraint() {
  std::vector<std::uint8_t> follow(labels * labels, 1);
  follow[1] = 0;  // label 1 does not follow label 0
  return Constraint<Real>(labels, Weights<Real>(labels).stride, {1, 1, 1}, {1, 1, 1}, follow);
}

// Legal labels, of which some may be unknown.
Instances labelled(Rng& rng, FeatureIndex& index, bool unknown) {
  const RandomSentences sentences(rng, words, [](const auto&) { return 0; });
  Instances instances = sentences.entered(index);
  for (std::int64_t s = 0; s < instances.sentences(); ++s) {
    for (std::int64_t n = instances.starts[s]; n < instances.starts[s + 1]; ++n) {
      const bool after_zero = n > instances.starts[s] && instances.labels[n - 1] == 0;
      instances.labels[n] = static_cast<std::int32_t>(after_zero ? 2 * rng.below(2) : rng.below(labels));
    }
  }
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
      return std::make_unique<ChainPotentials<double>>(index, instances, labels, 0, constraint<double>(), Pairs::all, how,
                                                       std::span<const std::int32_t>());
    });
  }
}

void check_second_order(bool unknown) {
  Rng rng(8);
  FeatureIndex index({{-1, 0, 0}}, {{0, 0, false}, {0, 0, true}}, 1, true, {{-1, 0, {1, 2}}, {0, 0, {2}}});
  const Instances instances = labelled(rng, index, unknown);
  for (const double often : {0.0, 2.0}) {  // matrices of pairs are part of contexts, or read weight by weight
    check_structure([&]() -> Made {
      return std::make_unique<SecondOrderPotentials<double>>(index, instances, labels, 0, constraint<double>(), Pairs::all, 1 << 20, 2000,
                                                             often);
    });
  }
}

void check_segments(bool back) {
  Rng rng(9);
  FeatureIndex index{{{-1, 0, 0}, {0, 0, 1}}, {}, 1, false, {}, {}, 0, {{0, 0}, {0, -1}, {0, 1}, {1, 0}}};
  const SegmentKinds kinds{labels, 0, 2};
  const std::vector<BackSlot> histories{{{1}, false, -1, 0, false}, {{1}, false, 0, 0, false}};
  const SegmentTemplates templates(index, {{Role::inside, 0, 0}, {Role::inside, 1, 0}, {Role::first, 0, -1}, {Role::last, 0, 1}}, true,
                                   {{0, 0}, {0, 1}}, back ? histories : std::vector<BackSlot>());
  const Instances instances = RandomSentences(rng, words, [](const auto&) { return 0; }).entered(index);
  std::vector<std::int32_t> gold(static_cast<std::size_t>(instances.tokens()), -1);
  for (std::int64_t s = 0; s < instances.sentences(); ++s) {
    for (std::int64_t n = instances.starts[s], next = n; n < instances.starts[s + 1]; n = next) {
      next = n + 1 + (n + 1 < instances.starts[s + 1] && rng.below(2) == 1);
      gold[static_cast<std::size_t>(n)] =
          kinds.code(static_cast<std::int32_t>(next - n), static_cast<std::int32_t>(next - n == 1 ? rng.below(labels) : 1 + rng.below(2)));
    }
  }
  check_structure([&]() -> Made { return std::make_unique<SegmentPotentials<double>>(templates, kinds, instances, gold, Pairs::all); });
}

// A structure given by enumeration: every sentence has a list of outputs, each with features of its own, and the first one is the truth.
class ListedPotentials final : public Potentials {
 public:
  using Output = std::vector<double>;  // [size] features
  ListedPotentials(std::int64_t size, std::vector<std::vector<Output>> outputs) : size_(size), outputs_(std::move(outputs)) {
    batches_ = cut_batches(sentences(), 2, [](std::int64_t) { return 1; });
    difference_.assign(outputs_.size(), Output(static_cast<std::size_t>(size)));
  }

  std::int64_t size() const noexcept override { return size_; }
  std::int64_t sentences() const noexcept override { return static_cast<std::int64_t>(outputs_.size()); }
  std::span<const SentenceRange> batches() const noexcept override { return batches_; }
  void count_truth(std::span<const double>) override {}
  double begin(std::span<const double> at, std::int64_t) override {
    at_.assign(at.begin(), at.end());
    return 0;
  }
  void start(std::size_t batch) override { batch_ = batches_[batch]; }
  std::unique_ptr<Visitor> visitor() override { return std::make_unique<Lister>(*this); }
  void gather(std::span<double> gradient, std::int64_t) override {
    for (std::int64_t s = batch_.first; s < batch_.end; ++s) {
      for (std::size_t i = 0; i < gradient.size(); ++i) gradient[i] += difference_[static_cast<std::size_t>(s)][i];
    }
  }
  void finish(std::span<double>, std::int64_t) override {}
  double shared_score(std::int64_t) const override { return 0; }
  void take_truth(std::int64_t, double) override {}

 private:
  struct Lister final : Visitor {
    explicit Lister(ListedPotentials& potentials) : of(potentials) {}
    std::optional<double> open(std::int64_t sentence) override {
      s = static_cast<std::size_t>(sentence);
      probabilities.clear();
      double sum = 0;
      for (const Output& output : of.outputs_[s]) {
        double score = 0;
        for (std::size_t i = 0; i < output.size(); ++i) score += output[i] * of.at_[i];
        probabilities.push_back(std::exp(score));
        sum += probabilities.back();
      }
      for (double& p : probabilities) p /= sum;
      return std::log(probabilities[0]);
    }
    void take(double times) override {
      Output& out = of.difference_[s];
      for (std::size_t i = 0; i < out.size(); ++i) {
        out[i] = -of.outputs_[s][0][i];
        for (std::size_t y = 0; y < probabilities.size(); ++y) out[i] += probabilities[y] * of.outputs_[s][y][i];
        out[i] *= times;
      }
    }
    double open_in_logarithms(std::int64_t sentence) override { return *open(sentence); }
    void take_in_logarithms(double times) override { take(times); }

    ListedPotentials& of;
    std::size_t s = 0;
    std::vector<double> probabilities;
  };

  std::int64_t size_;
  std::vector<std::vector<Output>> outputs_;
  std::vector<SentenceRange> batches_;
  SentenceRange batch_{0, 0};
  std::vector<double> at_;
  std::vector<Output> difference_;
};

void check_listed() {
  Rng rng(3);
  std::vector<std::vector<ListedPotentials::Output>> outputs(5);
  for (auto& list : outputs) {
    for (std::uint64_t k = 1 + rng.below(4); k > 0; --k) list.push_back(random_point(rng, 6, 1));
  }
  ListedPotentials potentials(6, outputs);
  check_loss([&]() -> Made { return std::make_unique<ListedPotentials>(6, outputs); }, 2);
  const std::vector<double> at = random_point(rng, 6, 1);
  const Found found = evaluated(potentials, {}, "half squared log", at);
  for (std::size_t i = 0; i < at.size(); ++i) {  // the slope, by differences
    std::vector<double> up = at, down = at;
    up[i] += 1e-5;
    down[i] -= 1e-5;
    const double rise = evaluated(potentials, {}, "half squared log", up).value - evaluated(potentials, {}, "half squared log", down).value;
    CHECK(std::abs(rise / 2e-5 - found.gradient[i]) < 1e-6);
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
  CHECK(output_loss_names() == std::vector<std::string>({"half squared log", "log"}));
  try {
    output_loss("lgo");
    CHECK(false);
  } catch (const Error& error) {
    CHECK(error.kind() == "UnknownNameError");
  }
  return 0;
}
