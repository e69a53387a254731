// What learning one weight at a time asks of a structure: which features the truth has, how far outputs can be from the truth in each of
// them, where they may occur, and the gradient of all sentences, kept up to date as single sentences change.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

namespace riata {

// How much more (high) or less (low) of a feature an output can have than the truth, over all outputs of all sentences: low <= 0 <= high.
struct FeatureRange {
  double low = 0, high = 0;
};

// Features that may occur in the same parts of the same sentences, such as a word with all labels, form a bundle. Its features have
// consecutive numbers.
struct BundleSet {
  explicit BundleSet(std::size_t bundles) : has(bundles, 0) {}
  void add(std::int32_t bundle) {
    if (has[static_cast<std::size_t>(bundle)]) return;
    has[static_cast<std::size_t>(bundle)] = 1;
    list.push_back(bundle);
  }
  void clear() {
    for (const std::int32_t bundle : list) has[static_cast<std::size_t>(bundle)] = 0;
    list.clear();
  }

  std::vector<std::uint8_t> has;
  std::vector<std::int32_t> list;
};

// Sums over sentences, which change with every sentence.
struct SentenceTotals {
  std::vector<double> gradient;  // [features] sum of times * (expected value - value of the truth)
  std::vector<double> mass;      // [bundles] sum of the masses of the sentences in which the bundle may occur
};

// What a sentence counts in the totals.
struct SentenceShare {
  double times = 0, mass = 0;
};

// Evaluates sentences under the present weights. Every thread has its own evaluator.
class SentenceEvaluator {
 public:
  virtual ~SentenceEvaluator() = default;

  // Opens a sentence and returns -log P of its truth, over all outputs.
  virtual double open(std::int64_t s) = 0;
  // Keeps the expected features of the open sentence for SingleWeights::gather.
  virtual void keep() = 0;
  // As `keep`; also takes the features that were kept before out of the totals, with the share `before`, and puts the new ones in. Bundles
  // whose totals change are added to `touched`.
  virtual void replace(SentenceShare before, SentenceShare after, SentenceTotals& totals, BundleSet& touched) = 0;
};

class SingleWeights {
 public:
  virtual ~SingleWeights() = default;

  virtual std::int64_t size() const noexcept = 0;               // number of features: those that the truth of some sentence has
  virtual std::int64_t place(std::int64_t feature) const = 0;   // of its weight, in the vector of all weights
  virtual FeatureRange range(std::int64_t feature) const = 0;   // over sentences that count
  virtual std::int32_t bundle(std::int64_t feature) const = 0;  // the number of its bundle
  // [bundles + 1] The first feature of every bundle, and the number of features.
  virtual std::span<const std::int32_t> bundles() const noexcept = 0;
  // Writes the sentences in which a bundle may occur, in ascending order. Sentences that do not count are left out.
  virtual void sentences(std::int32_t bundle, std::vector<std::int32_t>& out) const = 0;

  // Changes the weight of a feature. Sentences in which it may occur must be evaluated afterwards.
  virtual void change(std::int64_t feature, double by) = 0;
  virtual std::unique_ptr<SentenceEvaluator> evaluator() = 0;
  // Adds up the totals from what has been kept of every sentence. shares: [sentences]. The result does not depend on the number of threads.
  virtual void gather(std::span<const SentenceShare> shares, SentenceTotals& totals, std::int64_t threads) const = 0;
};

}  // namespace riata
