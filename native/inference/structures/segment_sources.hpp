// What tokens and sequences of tokens say of segments in a batch objective: which weights there are, and where they fire.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "features/instances.hpp"
#include "inference/structures/chain_pairs.hpp"
#include "inference/structures/row_bundles.hpp"
#include "models/row_weights.hpp"
#include "models/segment_weights.hpp"

namespace riata {

// Weights that change from sentence to sentence: scale x numbers, [rows][stride].
template <class Real>
struct ChangingWeights {
  const Real* numbers;
  Real scale;
};

// Segments share what they are scored by: what a token says as the first of one, as the last, inside, and behind each label. These are rows
// of a token, its sources, read and written once each, however many segments it is in.
template <class Real>
class SegmentSources {
 public:
  // instances must outlive it. gold: [N] the code of the segment that starts at each token, -1 where none does. counts: [S] the sentences
  // that are learnt from. Only features of gold segments have weights: with the labels they have there, or with all.
  SegmentSources(const SegmentTemplates& templates, const SegmentCoding& coding, const Instances& instances,
                 std::span<const std::int32_t> gold, const std::vector<bool>& counts, FeatureLabels which);

  const SegmentTemplates& templates() const noexcept { return templates_; }
  std::int64_t size() const noexcept { return static_cast<std::int64_t>(held_.labels.size()); }

  // Sources of a token: as the first of a segment, as the last, inside by the longest n-gram that fits; of a length (token l - 1 stands for
  // length l); behind each label.
  static constexpr std::int32_t as_first = 0, as_last = 1, as_inside = 2;
  std::int32_t as_length() const noexcept { return as_inside + templates_.reach() + 1; }
  std::int32_t behind(std::int32_t before) const noexcept { return as_length() + 1 + before; }
  std::int32_t sources() const noexcept { return behind(templates_.order() == 0 ? 0 : coding_.labels); }
  // The number of the first sequence that starts at token n, counted over all sentences; and how many tokens a sequence has.
  std::int64_t sequences_before(std::int64_t n) const noexcept { return starts_[static_cast<std::size_t>(n)]; }
  std::int32_t sequence_length(std::int64_t k) const noexcept { return lengths_[static_cast<std::size_t>(k)]; }

  // Takes on the weights, and forgets what was gathered.
  void begin(std::span<const double> at, std::int64_t threads);
  // Adds the rows that fire at the tokens of sentence s: out [length][sources][stride]. changing: the weights, where they are not those
  // that were taken on.
  void read(std::int64_t s, Real* out, const ChangingWeights<Real>* changing = nullptr) const;
  void read_sequence(std::int64_t k, Real* out, const ChangingWeights<Real>* changing = nullptr) const {
    read(sequences_, ids_[static_cast<std::size_t>(k)], out, changing);
  }
  // visit(row, numbers [stride]) for what the tokens of sentence s and the sequences that start there hand back, as `gather` has it.
  template <class Visit>
  void each_row(std::int64_t s, const Real* tokens, const Real* sequences, Visit visit) const {
    const std::int64_t from = instances_.starts[s], to = instances_.starts[s + 1], width = std::int64_t{sources()} * stride_;
    for (const Column& column : columns_) {
      const Real* numbers = tokens + std::int64_t{column.source} * stride_;
      for (std::int64_t n = from; n < to; ++n, numbers += width) {
        for (const std::int32_t row : column.bundles.rows_of(column.ids[static_cast<std::size_t>(n)])) visit(row, numbers);
      }
    }
    for (std::int64_t k = sequences_before(from); k < sequences_before(to); ++k, sequences += stride_) {
      for (const std::int32_t row : sequences_.rows_of(ids_[static_cast<std::size_t>(k)])) visit(row, sequences);
    }
  }
  // Gathers what the tokens from `from` to `to`, [tokens][sources][stride], and the sequences that start there, [sequences][stride], hand
  // back.
  void gather(std::int64_t from, std::int64_t to, const Real* tokens, const Real* sequences, std::int64_t threads);
  void finish(std::span<double> gradient, std::int64_t threads);

  // The weights at a point as a model, in any precision; and the point that has the weights of a model.
  template <class Out>
  SegmentWeights<Out> model(std::span<const double> at) const;
  std::vector<double> point(const SegmentWeights<Real>& weights) const;
  // Where the weights stand in a vector [rows][stride].
  RowWeights weights() const;

 private:
  // Rows of weights that fire at tokens in one way.
  struct Column {
    std::int32_t source;            // which row of a token they are added to
    std::vector<std::int32_t> ids;  // [N] bundles
    RowBundles<Real> bundles;
  };

  static void read(const RowBundles<Real>& bundles, std::int32_t id, Real* out, const ChangingWeights<Real>* changing) noexcept {
    if (changing == nullptr)
      bundles.read(id, out);
    else
      bundles.read(id, changing->numbers, changing->scale, out);
  }
  std::int32_t ngram(std::int32_t family, std::int64_t s, std::int64_t t) const noexcept {
    return instances_.ngrams[family][instances_.origin(s) + t];
  }
  void find_weights(std::span<const std::int32_t> gold, const std::vector<bool>& counts, FeatureLabels which);
  void find_columns(const std::vector<bool>& counts);
  void find_lengths(const std::vector<bool>& counts);
  void find_histories(const std::vector<bool>& counts);
  void find_sequences(const std::vector<bool>& counts);
  Column& column(std::int32_t source);
  template <class Work>
  void each_column(std::int64_t threads, Work work);

  SegmentTemplates templates_;
  SegmentCoding coding_;
  BackCodes codes_;
  std::int32_t stride_;
  const Instances& instances_;
  GrownRows grown_;
  HeldWeights held_;
  std::vector<Column> columns_;
  std::vector<std::int64_t> starts_;         // [N + 1] the first sequence of each token
  std::vector<std::int32_t> lengths_, ids_;  // [sequences] how many tokens a sequence has, and its bundle
  RowBundles<Real> sequences_;
};

extern template class SegmentSources<float>;
extern template class SegmentSources<double>;

}  // namespace riata
