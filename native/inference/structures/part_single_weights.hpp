// Learning one weight at a time on outputs that are sets of parts: scores of all parts, and expected features of all sentences, kept up to
// date.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "core/numbers.hpp"
#include "inference/corpus.hpp"
#include "inference/single_weights.hpp"
#include "inference/structures/part_model.hpp"

namespace riata {

// Every feature is a bundle of its own. Real: the precision in which expected features are kept.
template <class Real>
class PartSingleWeights final : public SingleWeights {
 public:
  // The corpus must outlive the object. flat: the weights to start from. sentence_weights: [sentences] or empty; sentences of weight 0 do
  // not count.
  PartSingleWeights(const Corpus& corpus, std::int32_t labels, const Numbers<double>& flat, std::span<const double> sentence_weights);

  std::int64_t size() const noexcept override { return static_cast<std::int64_t>(place_.size()); }
  std::int64_t place(std::int64_t feature) const override { return place_[static_cast<std::size_t>(feature)]; }
  FeatureRange range(std::int64_t feature) const override { return ranges_[static_cast<std::size_t>(feature)]; }
  std::int32_t bundle(std::int64_t feature) const override { return static_cast<std::int32_t>(feature); }
  std::span<const std::int32_t> bundles() const noexcept override { return bundles_; }
  void sentences(std::int32_t bundle, std::vector<std::int32_t>& out) const override;
  void change(std::int64_t feature, double by) override;
  std::unique_ptr<SentenceEvaluator> evaluator() override;
  void gather(std::span<const SentenceShare> shares, SentenceTotals& totals, std::int64_t threads) const override;

 private:
  class Evaluator;
  // A part of some output that has the feature.
  struct Occurrence {
    std::int64_t part;  // counted through all sentences
    std::int32_t sentence;
    double value;
  };

  const Instances& instances() const noexcept { return corpus_.instances; }
  const OutputSet& set(std::int64_t s) const noexcept { return *instances().sets[static_cast<std::size_t>(s)]; }
  std::int64_t first(std::int64_t s) const noexcept { return instances().starts[static_cast<std::size_t>(s)] * labels_; }
  std::size_t parts(std::int64_t s) const noexcept { return static_cast<std::size_t>(first(s + 1) - first(s)); }
  std::span<const Occurrence> of(std::int64_t feature) const noexcept {
    const auto k = static_cast<std::size_t>(feature);
    return std::span(occurrences_).subspan(static_cast<std::size_t>(starts_[k]), static_cast<std::size_t>(starts_[k + 1] - starts_[k]));
  }
  // Calls visit(feature, value) for the features of a part that have a weight. t, label: the place of the part, and its label there.
  template <class Visit>
  void each(std::int64_t s, std::int64_t t, std::int32_t label, Visit visit) const {
    each_feature(instances(), s, t, [&](std::int32_t row, float value) {
      const std::int32_t k = number_[static_cast<std::size_t>(std::int64_t{row} * labels_ + label)];
      if (k >= 0) visit(k, double(value));
    });
  }
  // Calls visit(part, t, label) for the parts of a sentence that are in some output. part: counted through all sentences.
  template <class Visit>
  void each_possible(std::int64_t s, Visit visit) const {
    for (std::int64_t part = first(s); part < first(s + 1); ++part) {
      const std::int64_t at = part - first(s);
      if (possible_[static_cast<std::size_t>(part)] != 0) visit(part, at / labels_, static_cast<std::int32_t>(at % labels_));
    }
  }
  std::int64_t truth(std::int64_t s, std::int64_t t) const noexcept {  // the number of its part in the sentence, -1: none
    const std::int32_t code = corpus_.gold_of(s)[static_cast<std::size_t>(t)];
    return code == 0 ? -1 : t * labels_ + code - 1;
  }
  void number_features(std::size_t weights);
  void find_possible(std::int64_t s, OpenSet& open);
  void list_occurrences(const std::vector<bool>& counts);
  void add_ranges(std::int64_t s, OpenSet& open);

  Corpus corpus_;
  std::int32_t labels_;
  std::vector<std::int32_t> number_;     // [weights] the feature of a weight; -1: no truth has it
  std::vector<std::int64_t> place_;      // [features]
  std::vector<std::int32_t> bundles_;    // [features + 1]
  std::vector<FeatureRange> ranges_;     // [features]
  std::vector<std::int64_t> starts_;     // [features + 1] where the occurrences of a feature begin
  std::vector<Occurrence> occurrences_;  // feature by feature, in the order of parts
  std::vector<std::uint8_t> possible_;   // [parts] whether a part is in some output
  std::vector<double> scores_;           // [parts]
  Numbers<Real> kept_;                   // [parts] probability minus the truth
};

extern template class PartSingleWeights<float>;
extern template class PartSingleWeights<double>;

}  // namespace riata
