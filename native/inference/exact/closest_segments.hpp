// The segmentations closest to a truth that no segmentation reaches: the best of them, and the best of all others.
#pragma once

#include <cstdint>
#include <limits>
#include <vector>

#include "inference/exact/segment_scores.hpp"
#include "inference/exact/semi_markov.hpp"

namespace riata {

// A segmentation has the least loss if every segment keeps to the least loss that was possible from its first token on. So semi-Markov
// Viterbi searches labels in three copies: of segments up to which the least loss is kept, of segments behind one that does not keep to it,
// and of this one.
template <class Real>
class ClosestSegments {
 public:
  ClosestSegments(const SegmentCoding& coding, std::int32_t order)
      : coding_(coding), copies_{coding.labels * copies, LabelId(), coding.most}, order_(order), search_(copies_, 1) {}

  // Searches the open sentence. loss: SegmentLoss or SegmentClassWeights, open for the truth of the sentence.
  template <class Loss>
  void open(SegmentSteps<Real>& steps, const Loss& loss) {
    scores_.open(copies_, steps.length());
    for (std::int32_t t = 0; t < steps.length(); ++t) {
      const Real* row = steps.spans(t);
      for (Length l(1); l <= steps.lengths(t); ++l, row += coding_.stride()) {
        for (LabelId y(0); y.number() < coding_.labels; ++y) {
          if (!coding_.allows(l, y)) continue;
          scores_.at(t, l, copy(y, loss.is_least(t, l, y) ? kept : leaving)) = scores_.at(t, l, copy(y, left)) = double(row[y.place()]);
        }
      }
    }
    Copies all{*this, steps, std::vector<double>(static_cast<std::size_t>(copies_.stride()))};
    search_.fill(all);
  }

  // The best segmentation of least loss, and the best of all others: both write codes [T], -1 inside segments, and return the score; minus
  // infinity if there is none.
  double closest(std::int32_t* codes) { return best(true, codes); }
  double other(std::int32_t* codes) { return best(false, codes); }

 private:
  static constexpr double never = -std::numeric_limits<double>::infinity();
  enum Copy : std::int32_t { kept, left, leaving, copies };

  static LabelId copy(LabelId label, std::int32_t which) noexcept { return LabelId(label.number() * copies + which); }
  static std::int32_t which(LabelId copy) noexcept { return copy.number() % copies; }
  static LabelId original(LabelId copy) noexcept { return LabelId(copy.number() / copies); }

  // What SemiMarkov reads.
  struct Copies {
    const ClosestSegments& of;
    SegmentSteps<Real>& steps;
    std::vector<double> row;  // [stride]

    std::int32_t length() const noexcept { return steps.length(); }
    Length lengths(std::int32_t t) const noexcept { return of.scores_.lengths(t); }
    const double* spans(std::int32_t t) const noexcept { return of.scores_.spans(t); }
    const double* history(std::int32_t t, const Before& before) {
      const LabelId from(t == 0 ? kept : before.labels[0] - 1);
      const Real* history = of.order_ == 0 ? nullptr : steps.history(t, {{t == 0 ? 0 : original(from).value()}});
      for (LabelId y(0); y.number() < of.copies_.labels; ++y) {
        const bool leads = (which(from) == kept) != (which(y) == left);
        row[y.place()] = !leads ? never : history == nullptr ? 0 : double(history[original(y).place()]);
      }
      return row.data();
    }
  };

  double best(bool least, std::int32_t* codes) {
    const double score = search_.best_ending(scores_.tokens, codes, [&](LabelId last) { return (which(last) == kept) == least; });
    for (std::int32_t t = 0; t < scores_.tokens; ++t) {
      if (codes[t] >= 0) codes[t] = coding_.code(copies_.length(codes[t]), original(copies_.label(codes[t])));
    }
    return score;
  }

  const SegmentCoding& coding_;
  SegmentCoding copies_;
  std::int32_t order_;
  SemiMarkov<double> search_;
  SegmentScores scores_;
};

}  // namespace riata
