// Every online learner: on listed outputs, compared with a twin that looks at all of them; and on every structure, compared with learning
// from the list of its outputs.
#include <algorithm>
#include <cmath>
#include <limits>
#include <set>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "learning/online/trainer.hpp"
#include "tests/check.hpp"
#include "tests/enumerated.hpp"

using namespace riata;
using namespace riata::test;

namespace {

constexpr double tie = 1e-9;
constexpr int most_tries = 20;

const Poll go_on = [](std::int64_t) { return true; };

struct Configured {
  std::string learner;
  std::vector<std::pair<std::string, Settings::Value>> values;
  double close = 1e-7;  // tolerance for weights learnt from a list

  Settings settings() const {
    Settings out;
    for (const auto& [name, value] : values) out.set(name, value);
    return out;
  }
};

Configured mira(std::int64_t k, const char* loss = "auto") {
  return {"mira", {{"C", 0.3}, {"cost", 1.0}, {"k", k}, {"loss", std::string(loss)}}};
}

// Steps away from the best output that exact search finds, or from all outputs ("lattice").
Configured from_outputs(const std::string& update, const std::string& step) {
  return {"search",
          {{"queue", std::string("exact")},
           {"beam_by", std::string("operations")},
           {"beam", std::int64_t{1}},
           {"when", std::string("laso")},
           {"update", update},
           {"step", step},
           {"alpha", 0.9},
           {"B", 0.0},
           {"C", 0.0},
           {"p", 2.0},
           {"seconds", 0.0},
           {"siblings", std::int64_t{0}},
           {"max_nodes", std::int64_t{1'000'000}},
           {"merge", true},
           {"record", false},
           {"threshold", std::string("plain")}},
          update == "lattice" ? 1e-4 : 1e-7};  // structures leave out features with posteriors below 1e-6
}

// A learner that this file does not know, with some value for every setting that it reads.
Configured guessed(const std::string& learner) {
  Configured out{learner, {}};
  for (;;) {
    try {
      OnlineLearners<double>::make(learner, out.settings());
      return out;
    } catch (const Error& error) {
      CHECK(error.kind() == "SettingError");
      const std::string said = error.what();
      const std::string name = said.substr(said.find('\'') + 1, said.rfind('\'') - said.find('\'') - 1);
      const auto there = std::ranges::find(out.values, name, &std::pair<std::string, Settings::Value>::first);
      if (there == out.values.end())
        out.values.push_back({name, 0.5});
      else if (std::holds_alternative<double>(there->second))
        there->second = std::int64_t{1};
      else if (std::holds_alternative<std::int64_t>(there->second))
        there->second = true;
      else
        CHECK(false);  // a word: this file must say which one
    }
  }
}

std::vector<Configured> all_learners() {
  std::vector<Configured> out{{"perceptron", {}}, mira(1), mira(4), mira(1, "zero-one"), mira(3, "zero-one")};
  for (const char* update : {"best", "lattice"})
    for (const char* step : {"perceptron", "alma", "mira"}) out.push_back(from_outputs(update, step));
  for (const std::string& name : OnlineLearners<double>::names()) {
    if (std::ranges::find(out, name, &Configured::learner) == out.end()) out.push_back(guessed(name));
  }
  return out;
}

struct Learnt {
  Numbers<double> last, average;
  std::int64_t updates = 0;
};

Learnt learn(const Model<double>& initial, const Corpus& corpus, const Configured& how, const std::vector<double>& weights, int epochs) {
  OnlineTrainer<double> trainer(initial, OnlineLearners<double>::make(how.learner, how.settings()), 0);
  Learnt out;
  for (int epoch = 1; epoch <= epochs; ++epoch) {
    const auto order = shuffled(corpus.sentences(), 3, static_cast<std::uint64_t>(epoch));
    out.updates += trainer.epoch(corpus, order, weights, {}, go_on).updates;
  }
  out.last = trainer.last()->flat();
  out.average = trainer.averaged()->flat();
  return out;
}

void check_same(const Numbers<double>& found, const Numbers<double>& expected, double close = 1e-7) {
  CHECK(found.size() == expected.size());
  for (std::size_t i = 0; i < found.size(); ++i) CHECK(std::abs(found[i] - expected[i]) < close);
}

std::vector<double> sentence_weights(Rng& rng, std::int64_t sentences) {
  std::vector<double> out;
  for (std::int64_t s = 0; s < sentences; ++s) out.push_back(double(rng.below(4)) / 2);
  return out;
}

// The steps must be the same, whether a dynamic program answers or a list. Structures that do not offer what a learner needs must refuse.
// Where two outputs are tied for the last place of a list of the best, either is right, and learning starts again from other weights.
void check_on(const Enumerated& in, const Configured& how, Rng& rng, std::set<std::string>& learnt) {
  const std::vector<double> weights = sentence_weights(rng, in.instances.sentences());
  const std::unique_ptr<Model<double>> start = in.model->copy();
  Learnt found, expected;
  for (int tries = 0;; ++tries) {
    try {
      found = learn(*start, in.corpus(), how, weights, 3);
    } catch (const Error& error) {
      CHECK(error.kind() == "UnsupportedError");
      return;
    }
    ListedModel<double> listed(in.listing, start->flat());
    double closest = std::numeric_limits<double>::infinity();
    listed.watch(closest);
    expected = learn(listed, in.corpus(), how, weights, 3);
    if (closest > tie) break;
    CHECK(tries < most_tries);
    for (double& weight : start->flat()) weight = weight == 0 ? 0 : random_number(rng);
  }
  CHECK(found.updates == expected.updates && found.updates > 0);
  check_same(found.last, expected.last, how.close);
  check_same(found.average, expected.average, how.close);
  learnt.insert(in.structure + " " + how.learner);
}

// Sentences of one token whose outputs have arbitrary features.
struct Anything {
  static constexpr std::int64_t places = 8;
  FeatureIndex index{{{-1, 0, 0}}, {{0, 0, false}}, 1, false};
  Instances instances;
  Output gold;
  Listing listing;

  explicit Anything(Rng& rng, std::int64_t sentences) {
    std::vector<std::int32_t> values(static_cast<std::size_t>(sentences), 0);
    std::vector<std::int64_t> starts;
    for (std::int64_t s = 0; s <= sentences; ++s) starts.push_back(s);
    const Tokens tokens{{values}, starts};
    index.extend(tokens, 1);
    instances = look_up(index, tokens);
    for (std::int64_t s = 0; s < sentences; ++s) {
      std::vector<ListedOutput> outputs;
      for (std::int32_t y = 0; y < 2 + static_cast<std::int32_t>(rng.below(5)); ++y) {
        ListedOutput one{{y}, {}, y == 0 ? 0.0 : 1.0 + double(rng.below(3))};
        for (std::int64_t place = 0; place < places; ++place) one.features.push_back({place, random_number(rng)});
        outputs.push_back(std::move(one));
      }
      listing.push_back(std::move(outputs));
      gold.push_back(0);
    }
  }
};

double dot(const Difference& features, const std::vector<double>& w) {
  double sum = 0;
  for (const auto& [place, value] : features) sum += value * w[static_cast<std::size_t>(place)];
  return sum;
}

// The output with the highest score plus `cost` times its loss.
const ListedOutput& highest(const std::vector<ListedOutput>& outputs, const std::vector<double>& w, double cost) {
  const ListedOutput* best = &outputs[0];
  for (const ListedOutput& output : outputs) {
    if (dot(output.features, w) + cost * output.loss > dot(best->features, w) + cost * best->loss) best = &output;
  }
  return *best;
}

// One pass in the given order. step(truth, found, w, length): the size of the step from the found output towards the truth; length: squared
// norm of their difference.
template <class Step>
std::vector<double> twin(const Anything& in, double cost, Step step, std::vector<double> w) {
  for (const std::int64_t s : shuffled(in.instances.sentences(), 3, 1)) {
    const std::vector<ListedOutput>& outputs = in.listing[static_cast<std::size_t>(s)];
    const ListedOutput &truth = outputs[0], &found = highest(outputs, w, cost);
    double length = 0;
    for (std::size_t i = 0; i < w.size(); ++i) length += std::pow(truth.features[i].second - found.features[i].second, 2);
    const double size = &truth == &found ? 0 : step(truth, found, w, length);
    for (std::size_t i = 0; i < w.size(); ++i) w[i] += size * (truth.features[i].second - found.features[i].second);
  }
  return w;
}

void check_twins(Rng& rng) {
  const Anything in(rng, 60);
  std::vector<double> start;
  for (std::int64_t i = 0; i < Anything::places; ++i) start.push_back(random_number(rng));
  const ListedModel<double> listed(in.listing, Numbers<double>(start.begin(), start.end()));
  const Corpus corpus{in.index, in.instances, in.gold};
  const auto check = [&](const Configured& how, double cost, auto step) {
    const std::vector<double> expected = twin(in, cost, step, start);
    check_same(learn(listed, corpus, how, {}, 1).last, Numbers<double>(expected.begin(), expected.end()));
  };
  // Collins 2002, Fig. 1
  check({"perceptron", {}}, 0, [](const auto&, const auto&, const auto&, double) { return 1.0; });
  // Crammer & Singer 2003: the smallest step after which the truth wins by the loss, at most C
  check(mira(1), 1, [](const ListedOutput& truth, const ListedOutput& found, const std::vector<double>& w, double length) {
    return std::clamp((found.loss - dot(truth.features, w) + dot(found.features, w)) / length, 0.0, 0.3);
  });
}

}  // namespace

int main() {
  Rng rng(6);
  std::set<std::string> learnt;
  const std::vector<Case> cases = enumerated(rng);
  for (const Configured& how : all_learners()) {
    for (const Case& in : cases) {
      Rng own = rng;  // of this check, so that no other depends on how many there are
      check_on(*in, how, own, learnt);
    }
    CHECK(learnt.contains("chain " + how.learner));
  }
  for (const char* pair : {"chain perceptron", "chain mira", "segments perceptron", "segments mira", "segments search"})
    CHECK(learnt.contains(pair));
  check_twins(rng);
  return 0;
}
