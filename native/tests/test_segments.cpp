// Segments: training by exact search and by a beam, then best, k best and sums against every segmentation.
#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>
#include <vector>

#include "core/rng.hpp"
#include "learning/segment_margins.hpp"
#include "learning/segment_search.hpp"
#include "models/flat_sum.hpp"
#include "models/segment_sum.hpp"
#include "tests/check.hpp"
#include "tests/sentences.hpp"

using namespace riata;

namespace {

constexpr std::int32_t labels = 3, words = 4, most = 3, outside = 0;
const SegmentKinds kinds{labels, outside, most};
using Codes = std::vector<std::int32_t>;

// All ways to tile so many tokens.
std::vector<Codes> segmentations(std::int32_t length) {
  std::vector<Codes> found;
  if (length == 0) return {{}};
  for (std::int32_t l = 1; l <= std::min(most, length); ++l) {
    const std::vector<Codes> rest = segmentations(length - l);
    for (std::int32_t y = 0; y < labels; ++y) {
      if (!kinds.allows(l, y)) continue;
      for (const Codes& tail : rest) {
        Codes codes(static_cast<std::size_t>(l), -1);
        codes[0] = kinds.code(l, y);
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
  Codes gold;

  // further: whether more is read of the segments before than exact search can tell apart.
  Data(Rng& rng, bool further)
      : templates(index, {{Role::inside, 0, 0}, {Role::inside, 1, 0}, {Role::first, 0, -1}, {Role::last, 0, 1}}, true, {{0, 0}, {0, 1}},
                  histories(further)) {
    const RandomSentences sentences(rng, words, [](const std::vector<std::int32_t>&) { return 0; });
    instances = sentences.entered(index);
    for (std::int64_t s = 0; s < instances.sentences(); ++s) {
      const std::vector<Codes> every = segmentations(static_cast<std::int32_t>(instances.length(s)));
      const Codes& one = every[rng.below(every.size())];
      gold.insert(gold.end(), one.begin(), one.end());
    }
  }

  static std::vector<BackSlot> histories(bool further) {
    std::vector<BackSlot> slots{{{1}, false, -1, 0, false}, {{1}, false, 0, 0, false}};
    if (further) slots.insert(slots.end(), {{{1, 2}, true, -1, 0, false}, {{2}, false, 0, 0, true}});
    return slots;
  }
};

const Poll poll = [](std::int64_t) { return true; };

SegmentWeights<double> trained(const Data& data, const QueueSpec& queue, What what, How how, std::uint64_t seed) {
  LearnerSpec spec;
  spec.what = what;
  spec.how = how;
  const SegmentWeights<double> zero{kinds, GrownRows(data.templates.slots()), {}};
  SegmentSearch<double> search(data.templates, zero, queue, spec, {});
  for (std::uint64_t epoch = 1; epoch <= 3; ++epoch) {
    const auto order = shuffled(data.instances.sentences(), seed, epoch);
    CHECK(search.epoch(data.index, data.instances, data.gold, order, {}, poll).sentences == data.instances.sentences());
  }
  return search.averaged();
}

void check_all(const Data& data, const SegmentWeights<double>& weights) {
  const Instances& instances = data.instances;
  std::vector<std::vector<Codes>> every;
  std::size_t turns = 0;
  for (std::int64_t s = 0; s < instances.sentences(); ++s) {
    every.push_back(segmentations(static_cast<std::int32_t>(instances.length(s))));
    turns = std::max(turns, every.back().size());
  }
  std::vector<std::vector<double>> scores(every.size());
  for (std::size_t turn = 0; turn < turns; ++turn) {
    Codes codes;
    for (const auto& ways : every) codes.insert(codes.end(), ways[turn % ways.size()].begin(), ways[turn % ways.size()].end());
    const std::vector<double> found = segment_scores(data.index, data.templates, weights, instances, codes);
    for (std::size_t s = 0; s < every.size(); ++s)
      if (turn < every[s].size()) scores[s].push_back(found[s]);
  }
  const bool exact = exact_reads(data.templates);
  const QueueSpec whole = exact ? QueueSpec{"exact"} : QueueSpec{"beam", std::numeric_limits<std::int64_t>::max(), "operations"};
  const Codes best = decode_segments(data.index, data.templates, weights, instances, whole, {}, poll);
  const std::vector<double> best_scores = segment_scores(data.index, data.templates, weights, instances, best);
  for (std::size_t s = 0; s < every.size(); ++s) {
    std::sort(scores[s].begin(), scores[s].end(), std::greater<>());
    CHECK(std::abs(best_scores[s] - scores[s][0]) < 1e-9);
  }
  if (!exact) return;
  const BestSegments four = best_segments(data.index, data.templates, weights, instances, 4, poll);
  const SegmentSums sums = segment_sums(data.index, data.templates, weights, instances, 1.0);
  std::size_t place = 0;
  for (std::size_t s = 0; s < every.size(); ++s) {
    double z = 0;
    for (const double score : scores[s]) z += std::exp(score - scores[s][0]);
    CHECK(std::abs(sums.log_z[s] - (scores[s][0] + std::log(z))) < 1e-9);
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
    std::vector<SegmentWeights<double>> made;
    for (const What what : {What::best, What::lattice})
      for (const How how : {How::perceptron, How::alma, How::mira})
        if (!further) made.push_back(trained(data, {"exact"}, what, how, 1));
    for (const std::uint64_t seed : {2, 3}) made.push_back(trained(data, beam, What::mean, How::alma, seed));
    made.push_back(normalised_flat_sum<SegmentWeights<double>>(std::vector<const SegmentWeights<double>*>{&made.front(), &made.back()}));
    for (const SegmentWeights<double>& weights : made) check_all(data, weights);
    const MarginReport report = segment_margins(data.index, data.templates, made.back(), data.instances, data.gold, beam, 2, poll);
    CHECK(report.norm > 0 && !report.raw.empty());
  }
  return 0;
}
