// The scores that tokens and sequences of tokens give to segments in a batch objective: which weights exist, and where they are read.
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

// Weights that change from sentence to sentence: scale * numbers, [rows][stride].
template <class Real>
struct ChangingWeights {
  const Real* numbers;
  Real scale;
};

struct SourceKind;
using SourceId = Id<SourceKind>;  // what a token can be in a segment

// Segments share parts of their scores: the rows that a token adds as the first of a segment, as the last, inside, and after each label.
// These rows are the sources of the token. Each is read and written once, however many segments contain the token.
template <class Real>
class SegmentSources {
 public:
  // instances must outlive the object. gold: [N] the code of the segment that starts at each token, -1 inside segments. counts: [S] whether
  // a sentence is used. Only features of true segments have weights: with the labels that they have there, or with all labels.
  SegmentSources(const SegmentTemplates& templates, const SegmentCoding& coding, const Instances& instances,
                 std::span<const std::int32_t> gold, const std::vector<bool>& counts, FeatureLabels which);

  const SegmentTemplates& templates() const noexcept { return templates_; }
  std::int64_t size() const noexcept { return static_cast<std::int64_t>(held_.labels.size()); }

  // Numbers of the sources of a token: as the first of a segment; as the last; inside, one for each reach of n-grams; of a length (token l
  // - 1 stands for length l); after each label.
  static constexpr SourceId as_first{0}, as_last{1};
  static SourceId as_inside(std::int32_t reach) noexcept { return SourceId(2 + reach); }
  SourceId as_length() const noexcept { return as_inside(templates_.reach() + 1); }
  SourceId behind(LabelId before) const noexcept { return SourceId(as_length().number() + 1 + before.number()); }
  std::int32_t sources() const noexcept { return behind(LabelId(templates_.order() == 0 ? 0 : coding_.labels)).number(); }
  // The number of the first sequence that starts at token n, counted over all sentences; and the number of tokens of a sequence.
  std::int64_t sequences_before(std::int64_t n) const noexcept { return starts_[static_cast<std::size_t>(n)]; }
  Length sequence_length(std::int64_t k) const noexcept { return lengths_[static_cast<std::size_t>(k)]; }

  // Stores the weights, and sets the collected gradient to zero.
  void begin(std::span<const double> at, std::int64_t threads);
  // Adds the rows that are read at the tokens of sentence s to out, [length][sources][stride]. changing: the weights to use instead of
  // those that `begin` has stored.
  void read(std::int64_t s, Real* out, const ChangingWeights<Real>* changing = nullptr) const;
  void read_sequence(std::int64_t k, Real* out, const ChangingWeights<Real>* changing = nullptr) const {
    read(sequences_, ids_[static_cast<std::size_t>(k)], out, changing);
  }
  // Calls visit(row, numbers [stride]) for the differences of the tokens of sentence s and of the sequences that start there; parameters as
  // in `gather`.
  template <class Visit>
  void each_row(std::int64_t s, const Real* tokens, const Real* sequences, Visit visit) const {
    const std::int64_t from = instances_.starts[s], to = instances_.starts[s + 1], width = std::int64_t{sources()} * stride_;
    for (const Column& column : columns_) {
      const Real* numbers = tokens + std::int64_t{column.source.number()} * stride_;
      for (std::int64_t n = from; n < to; ++n, numbers += width) {
        for (const std::int32_t row : column.bundles.rows_of(column.ids[static_cast<std::size_t>(n)])) visit(row, numbers);
      }
    }
    for (std::int64_t k = sequences_before(from); k < sequences_before(to); ++k, sequences += stride_) {
      for (const std::int32_t row : sequences_.rows_of(ids_[static_cast<std::size_t>(k)])) visit(row, sequences);
    }
  }
  // Collects the differences of the tokens from `from` to `to` - 1, [tokens][sources][stride], and of the sequences that start there,
  // [sequences][stride].
  void gather(std::int64_t from, std::int64_t to, const Real* tokens, const Real* sequences, std::int64_t threads);
  void finish(std::span<double> gradient, std::int64_t threads);

  // The model whose weights are those of a point, in any precision; and the point whose weights are those of a model.
  template <class Out>
  SegmentWeights<Out> model(std::span<const double> at) const;
  std::vector<double> point(const SegmentWeights<Real>& weights) const;
  // Which places of a vector [rows][stride] hold a weight.
  RowWeights weights() const;

 private:
  // The rows that tokens read for one source.
  struct Column {
    SourceId source;                // the source to which the rows are added
    std::vector<std::int32_t> ids;  // [N] the bundle of each token
    RowBundles<Real> bundles;
  };

  static void read(const RowBundles<Real>& bundles, std::int32_t id, Real* out, const ChangingWeights<Real>* changing) noexcept {
    if (changing == nullptr)
      bundles.read(id, out);
    else
      bundles.read(id, changing->numbers, changing->scale, out);
  }
  NgramId ngram(std::int32_t family, std::int64_t s, std::int64_t t) const noexcept {
    return NgramId(instances_.ngrams[family][instances_.origin(s) + t]);
  }
  void find_weights(std::span<const std::int32_t> gold, const std::vector<bool>& counts, FeatureLabels which);
  void find_columns(const std::vector<bool>& counts);
  void find_lengths(const std::vector<bool>& counts);
  void find_histories(const std::vector<bool>& counts);
  void find_sequences(const std::vector<bool>& counts);
  Column& column(SourceId source);
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
  std::vector<std::int64_t> starts_;  // [N + 1] the first sequence that starts at each token
  std::vector<Length> lengths_;       // [sequences]
  std::vector<std::int32_t> ids_;     // [sequences] bundles
  RowBundles<Real> sequences_;
};

extern template class SegmentSources<float>;
extern template class SegmentSources<double>;

}  // namespace riata
