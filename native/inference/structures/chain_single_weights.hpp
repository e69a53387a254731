// Learning one weight at a time on a first-order chain: scores of all tokens, and expected features of all sentences, kept up to date.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "core/numbers.hpp"
#include "inference/exact/chain_log_sums.hpp"
#include "inference/exact/chain_sums.hpp"
#include "inference/structures/chain_bundles.hpp"
#include "inference/structures/chain_model.hpp"

namespace riata {

template <class Real>
class ChainEvaluator;

// Sums are over all labellings, whatever the model's constraint, but within the dictionary of words, if there is one; ranges are over all
// labellings. Arithmetic is in double precision; Real: the precision in which expected
// features are kept.
template <class Real>
class ChainSingleWeights final : public SingleWeights {
 public:
  // The corpus and the layout must outlive the object. flat: the weights to start from. sentence_weights: [sentences] or empty; sentences
  // of weight 0 do not count.
  ChainSingleWeights(const Corpus& corpus, const Layout& layout, Numbers<double> flat, std::span<const double> sentence_weights);

  std::int64_t size() const noexcept override { return parts_.size(); }
  std::int64_t place(std::int64_t feature) const override { return parts_.place(feature); }
  FeatureRange range(std::int64_t feature) const override { return ranges_[static_cast<std::size_t>(feature)]; }
  std::int32_t bundle(std::int64_t feature) const override { return parts_.bundle(feature); }
  std::span<const std::int32_t> bundles() const noexcept override { return parts_.bundles(); }
  void sentences(std::int32_t bundle, std::vector<std::int32_t>& out) const override;
  void change(std::int64_t feature, double by) override;
  std::unique_ptr<SentenceEvaluator> evaluator() override;
  void gather(std::span<const SentenceShare> shares, SentenceTotals& totals, std::int64_t threads) const override;

 private:
  friend class ChainEvaluator<Real>;

  void make_factors();
  void gather_tokens(std::int32_t bundle, std::span<const SentenceShare> shares, std::vector<double>& sums, SentenceTotals& totals) const;
  void gather_pairs(std::int32_t bundle, std::span<const SentenceShare> shares, SentenceTotals& totals) const;

  Corpus corpus_;
  const Layout& layout_;
  bool transitions_, limited_ = false;  // limited: whether a dictionary limits the labels of words
  ChainBundles parts_;
  std::vector<FeatureRange> ranges_;
  Numbers<double> flat_;                            // all weights
  Numbers<double> scores_;                          // [tokens][stride] of single labels
  std::vector<bool> has_weight_;                    // [bundles] whether a weight of a bundle of label pairs is not 0
  std::vector<double> pairs_, forward_, backward_;  // [labels][stride] scores and factors of plain pairs of labels
  double highest_ = 0;                              // of the scores, which the factors do not contain
  Numbers<Real> of_labels_;                         // [tokens][stride] posteriors minus the truth
  Numbers<Real> of_pairs_;                          // block by block: expected number of every pair minus that of the truth
};

// Forward-backward on one sentence after another.
template <class Real>
class ChainEvaluator final : public SentenceEvaluator {
 public:
  explicit ChainEvaluator(ChainSingleWeights<Real>& of) : of_(of), sums_(of.layout_.labels, of.limited_) {}

  double open(std::int64_t s) override;
  void keep() override;
  void replace(SentenceShare before, SentenceShare after, SentenceTotals& totals, BundleSet& touched) override;

 private:
  std::size_t square() const noexcept {
    return static_cast<std::size_t>(of_.layout_.labels) * static_cast<std::size_t>(of_.layout_.stride);
  }
  const double* scores_into(std::int32_t t) const noexcept;
  void make_edges();
  double sum_up();
  double sum_in_logarithms();
  void make_pairs(std::int32_t t);
  double score_of_truth() const;
  void take_truth();

  ChainSingleWeights<Real>& of_;
  ChainSums<double> sums_;
  ChainLogSums log_sums_;
  bool in_logarithms_ = false;
  std::int64_t sentence_ = 0, start_ = 0;  // the open sentence, and its first token
  std::int32_t length_ = 0;
  std::vector<double> node_, alpha_, into_, posterior_;  // [length][stride]
  std::vector<std::int32_t> own_;                        // [length] number of the step's own table of pairs; -1: that of plain pairs
  std::vector<double> own_scores_, own_forward_, own_backward_, own_highest_;  // [own tables][labels][stride]
  std::vector<Real> labels_, pairs_;       // new numbers of the open sentence, as of_labels_ and of_pairs_
  std::vector<double> table_, pair_sums_;  // [labels][stride] of one step; and sums over steps, block by block
  std::vector<std::int64_t> seen_;         // [bundles] the last replacement that changed the mass of a bundle
  std::int64_t replacements_ = 0;
};

extern template class ChainSingleWeights<float>;
extern template class ChainSingleWeights<double>;
extern template class ChainEvaluator<float>;
extern template class ChainEvaluator<double>;

}  // namespace riata
