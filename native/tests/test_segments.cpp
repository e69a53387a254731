// Segments: training by exact search and by a beam, then best, k best and sums compared with all segmentations.
#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>
#include <vector>

#include "core/rng.hpp"
#include "inference/exact/semi_markov.hpp"
#include "inference/questions.hpp"
#include "inference/structures/segment_model.hpp"
#include "learning/margins.hpp"
#include "learning/online/trainer.hpp"
#include "tests/check.hpp"
#include "tests/sentences.hpp"

using namespace riata;

namespace {

constexpr std::int32_t words = 4;
const SegmentCoding coding{3, LabelId(0), Length(3)};
using Outputs = std::vector<std::int32_t>;

// All segmentations of `length` tokens.
std::vector<Outputs> segmentations(std::int32_t length) {
  std::vector<Outputs> found;
  if (length == 0) return {{}};
  for (Length l(1); l <= std::min(coding.most, Length(length)); ++l) {
    const std::vector<Outputs> rest = segmentations(length - l);
    for (LabelId y(0); y.number() < coding.labels; ++y) {
      if (!coding.allows(l, y)) continue;
      for (const Outputs& tail : rest) {
        Outputs codes(l.place(), -1);
        codes[0] = coding.code(l, y);
        codes.insert(codes.end(), tail.begin(), tail.end());
        found.push_back(std::move(codes));
      }
    }
  }
  return found;
}

struct Data {
  FeatureIndex index{{{-1, 0, 0}, {0, 0, 1}}, {}, 1, false, {}, {}, 0, {{0, 0}, {0, -1}, {0, 1}, {1, 0}}};
  SegmentTemplates templates;
  Instances instances;
  Outputs gold;

  // further: whether templates read more of earlier segments than exact search distinguishes.
  Data(Rng& rng, bool further)
      : templates(index, {{Role::inside, 0, 0}, {Role::inside, 1, 0}, {Role::first, 0, -1}, {Role::last, 0, 1}}, true, {{0, 0}, {0, 1}},
                  histories(further)) {
    const RandomSentences sentences(rng, words, [](const std::vector<std::int32_t>&) { return 0; });
    instances = sentences.entered(index);
    for (std::int64_t s = 0; s < instances.sentences(); ++s) {
      const std::vector<Outputs> every = segmentations(static_cast<std::int32_t>(instances.length(s)));
      const Outputs& one = every[rng.below(every.size())];
      gold.insert(gold.end(), one.begin(), one.end());
    }
  }

  Corpus corpus() const { return {index, instances, gold}; }

  static std::vector<BackSlot> histories(bool further) {
    std::vector<BackSlot> slots{{{1}, false, -1, 0, false}, {{1}, false, 0, 0, false}};
    if (further) slots.insert(slots.end(), {{{1, 2}, true, -1, 0, false}, {{2}, false, 0, 0, true}});
    return slots;
  }
};

const Poll poll = [](std::int64_t) { return true; };

using Made = std::unique_ptr<Model<double>>;

Made trained(const Data& data, const QueueSpec& queue, const std::string& update, const std::string& step, std::uint64_t seed) {
  Settings settings;
  for (const auto& [name, word] : std::vector<std::pair<std::string, std::string>>{
           {"queue", queue.name}, {"beam_by", queue.by}, {"when", "laso"}, {"update", update}, {"step", step}})
    settings.set(name, word);
  for (const auto& [name, number] :
       std::vector<std::pair<std::string, double>>{{"alpha", 0.9}, {"B", 0}, {"C", 0}, {"p", 2}, {"seconds", 0}})
    settings.set(name, number);
  for (const auto& [name, number] :
       std::vector<std::pair<std::string, std::int64_t>>{{"beam", queue.width}, {"siblings", 0}, {"max_nodes", 1'000'000}})
    settings.set(name, number);
  settings.set("record", false);
  settings.set("threshold", std::string("plain"));
  settings.set("merge", queue.merge);
  const SegmentModel<double> zero(data.templates, {coding, GrownRows(data.templates.slots()), {}});
  OnlineTrainer<double> trainer(zero, OnlineLearners<double>::make("search", settings), 0);
  for (std::uint64_t epoch = 1; epoch <= 3; ++epoch) {
    const auto order = shuffled(data.instances.sentences(), seed, epoch);
    CHECK(trainer.epoch(data.corpus(), order, {}, {}, poll).sentences == data.instances.sentences());
  }
  return trainer.averaged();
}

void check_all(const Data& data, const Model<double>& model) {
  const Instances& instances = data.instances;
  std::vector<std::vector<Outputs>> every;
  std::size_t turns = 0;
  for (std::int64_t s = 0; s < instances.sentences(); ++s) {
    every.push_back(segmentations(static_cast<std::int32_t>(instances.length(s))));
    turns = std::max(turns, every.back().size());
  }
  std::vector<std::vector<double>> scores(every.size());
  for (std::size_t turn = 0; turn < turns; ++turn) {
    Outputs codes;
    for (const auto& ways : every) codes.insert(codes.end(), ways[turn % ways.size()].begin(), ways[turn % ways.size()].end());
    const std::vector<double> found = scores_of(model, data.corpus(), codes);
    for (std::size_t s = 0; s < every.size(); ++s)
      if (turn < every[s].size()) scores[s].push_back(found[s]);
  }
  const bool exact = exact_reads(data.templates);
  const QueueSpec whole = exact ? QueueSpec{"exact"} : QueueSpec{"beam", std::numeric_limits<std::int64_t>::max(), "operations"};
  const Outputs best = decode(model, data.corpus(), whole, {}, poll);
  const std::vector<double> best_scores = scores_of(model, data.corpus(), best);
  for (std::size_t s = 0; s < every.size(); ++s) {
    std::sort(scores[s].begin(), scores[s].end(), std::greater<>());
    CHECK(std::abs(best_scores[s] - scores[s][0]) < 1e-9);
  }
  if (!exact) return;
  const BestOutputs four = nbest(model, data.corpus(), 4, poll);
  FeaturePlaces expected;
  const std::vector<double> log_z = sums_of(model, data.corpus(), 1.0, expected);
  std::size_t place = 0;
  for (std::size_t s = 0; s < every.size(); ++s) {
    double z = 0;
    for (const double score : scores[s]) z += std::exp(score - scores[s][0]);
    CHECK(std::abs(log_z[s] - (scores[s][0] + std::log(z))) < 1e-9);
    CHECK(four.counts[s] == static_cast<std::int64_t>(std::min<std::size_t>(4, scores[s].size())));
    for (std::int64_t k = 0; k < four.counts[s]; ++k) CHECK(std::abs(four.scores[place++] - scores[s][static_cast<std::size_t>(k)]) < 1e-9);
  }
}

}  // namespace

int main() {
  Rng rng(11);
  const QueueSpec beam{"beam", 3, "operations"};
  for (const bool further : {false, true}) {
    const Data data(rng, further);
    std::vector<Made> made;
    for (const std::string update : {"best", "lattice"})
      for (const std::string step : {"perceptron", "alma", "mira"})
        if (!further) made.push_back(trained(data, {"exact"}, update, step, 1));
    for (const std::uint64_t seed : {2, 3}) made.push_back(trained(data, beam, "mean", "alma", seed));
    const std::vector<const Model<double>*> both{made.front().get(), made.back().get()};
    made.push_back(normalised_sum<double>(both));
    for (const Made& model : made) check_all(data, *model);
    const MarginReport report = margins_of(*made.back(), data.corpus(), beam, 2, poll);
    CHECK(report.norm > 0 && !report.raw.empty());
  }
  return 0;
}
