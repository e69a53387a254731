// The log-likelihood of segmented sentences, and its gradient: what a semi-Markov conditional random field is trained by (Sarawagi & Cohen
// 2004).
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "features/instances.hpp"
#include "inference/exact/semi_markov_factors.hpp"
#include "inference/exact/semi_markov_sums.hpp"
#include "inference/structures/row_bundles.hpp"
#include "learning/chain_likelihood.hpp"
#include "models/segment_weights.hpp"

namespace riata {

// Segments share what they are scored by: what a token says as the first of one, as the last, inside, and behind each label. These are rows
// of a token, read and written once each, however many segments it is in. Sentences are gone through in batches, and what is summed is
// summed in a fixed order: the same bytes for any number of threads.
template <class Real>
class SegmentLikelihood {
 public:
  // instances must outlive it. gold: [N] the code of the segment that starts at each token, -1 where none does. Sentences with a segment
  // that is longer than kinds allow are left out. Only features of gold segments have weights: with the labels they have there, or with
  // all.
  SegmentLikelihood(const FeatureIndex& index, const SegmentTemplates& templates, const SegmentKinds& kinds, const Instances& instances,
                    std::span<const std::int32_t> gold, std::span<const double> weights, Pairs pairs);

  std::int64_t size() const noexcept { return static_cast<std::int64_t>(held_.labels.size()); }
  std::int64_t left_out() const noexcept { return left_out_; }  // sentences

  // -log P of all segmentations given their sentences. at: [size]; gradient: [size] to write. Poll is asked between batches; false ends it
  // with NaN.
  double operator()(std::span<const double> at, std::span<double> gradient, std::int64_t threads, const Poll& poll);

  // The weights at a point as a model, and the point at the weights of one.
  SegmentWeights<Real> model(std::span<const double> at) const;
  std::vector<double> point(const SegmentWeights<Real>& weights) const;

 private:
  static constexpr std::int64_t batch_tokens = 1 << 14;

  // Rows of weights that fire at tokens in one way.
  struct Column {
    std::int32_t source;            // which row of a token they are added to
    std::vector<std::int32_t> ids;  // [N] bundles
    RowBundles<Real> bundles;
  };
  // What threads work with: of one sentence. It is what SemiMarkovSums reads, too.
  struct Scratch {
    explicit Scratch(const SegmentLikelihood& likelihood)
        : of(likelihood), factors(likelihood.kinds_, likelihood.order()), sums(likelihood.kinds_, likelihood.stride_, likelihood.order()) {}
    std::int32_t length() const noexcept { return tokens; }
    const Real* spans(std::int32_t t) const noexcept { return cells.data() + std::size_t(t) * most * of.stride_; }
    Real* span(std::int32_t t, std::int32_t l) noexcept { return cells.data() + (std::size_t(t) * most + l - 1) * of.stride_; }
    const Real* history(std::int32_t t, const Before& before) const noexcept {
      return edges.data() + (std::size_t(t) * of.kinds_.labels + (t == 0 ? 0 : before.labels[0] - 1)) * of.stride_;
    }
    Real* edge(std::int32_t t, std::int32_t before) noexcept {
      return edges.data() + (std::size_t(t) * of.kinds_.labels + before) * of.stride_;
    }
    std::int32_t lengths(std::int32_t t) const noexcept { return std::min(most, tokens - t); }

    const SegmentLikelihood& of;
    std::int32_t tokens = 0, most = 0;
    std::vector<Real> rows;  // [tokens][sources][stride]
    std::vector<Real> cells,
        edges;  // [tokens][most][stride] of segments, [tokens][labels][stride] of labels behind others: scores, then posteriors less the
                // truth
    std::vector<const Real*> inside, last;
    SemiMarkovFactors<Real> factors;
    SemiMarkovSums<Real> sums;
  };

  // Rows of a token: as the first of a segment, as the last, inside by the longest n-gram that fits; of a length (token l - 1 stands for
  // length l); behind each label.
  static constexpr std::int32_t as_first = 0, as_last = 1, as_inside = 2;
  std::int32_t as_length() const noexcept { return as_inside + templates_.reach() + 1; }
  std::int32_t behind(std::int32_t before) const noexcept { return as_length() + 1 + before; }
  std::int32_t order() const noexcept { return templates_.order(); }

  std::int32_t ngram(std::int32_t family, std::int64_t s, std::int64_t t) const noexcept {
    return instances_.ngrams[family][instances_.origin(s) + t];
  }
  void find_weights(std::span<const std::int32_t> gold, Pairs pairs);
  void find_columns();
  void find_histories();
  void find_sequences();
  void cut_batches();
  Column& column(std::int32_t source);
  void score(std::int64_t s, Scratch& scratch) const;
  double visit(std::int64_t s, std::int64_t base, Scratch& scratch);
  void weigh_by_logarithms(Scratch& scratch, double times, double& log_z) const;
  void share_out(std::int64_t s, std::int64_t base, Scratch& scratch);
  void write(std::int64_t first, std::int64_t end, std::int64_t threads);
  bool counts(std::int64_t s) const noexcept { return counts_[static_cast<std::size_t>(s)]; }
  double weight(std::int64_t s) const noexcept { return weights_.empty() ? 1.0 : weights_[static_cast<std::size_t>(s)]; }
  template <class Work>
  void each_column(std::int64_t threads, Work work);

  SegmentTemplates templates_;
  SegmentKinds kinds_;
  BackCodes codes_;
  std::int32_t stride_, sources_;
  const Instances& instances_;
  std::vector<std::int32_t> gold_;
  std::vector<double> weights_;
  std::vector<bool> counts_;  // [S] not left out
  std::int64_t left_out_ = 0;
  GrownRows grown_;
  HeldWeights held_;
  std::vector<Column> columns_;
  std::vector<std::int64_t> starts_;         // [N + 1] the first sequence of each token
  std::vector<std::int32_t> lengths_, ids_;  // [sequences] of how many tokens, and its bundle
  RowBundles<Real> sequences_;
  std::vector<std::pair<std::int64_t, std::int64_t>> batches_;  // sentences
  std::vector<Real> difference_;                                // [tokens of a batch][sources][stride] posteriors less the truth
  std::vector<Real> sequence_difference_;                       // [sequences of a batch][stride]
  std::vector<double> values_;                                  // [sentences of a batch]
};

}  // namespace riata
