// Labelled segments as numbers, and the weights that score them.
#pragma once

#include <algorithm>
#include <cstdint>
#include <limits>
#include <span>

#include "core/error.hpp"
#include "core/kernels.hpp"
#include "core/kinds.hpp"
#include "core/numbers.hpp"
#include "features/grown_rows.hpp"
#include "features/segment_templates.hpp"

namespace riata {

// The segments and their codes: the length and the label of a segment are one number, its code. The first token is not part of it.
struct SegmentCoding {
  std::int32_t labels = 0;
  LabelId outside;  // the label of tokens outside chunks, whose segments have length 1; or none
  Length most{1};   // the largest number of tokens of a segment

  std::int32_t code(Length length, LabelId label) const noexcept { return (length.number() - 1) * labels + label.number(); }
  Length length(std::int32_t code) const noexcept { return Length(code / labels + 1); }
  LabelId label(std::int32_t code) const noexcept { return LabelId(code % labels); }
  bool allows(Length length, LabelId label) const noexcept { return length == Length(1) || (label != outside && length <= most); }
  std::int32_t stride() const noexcept { return padded(labels); }
};

// Where the weight of a row and a label is, if rows have `stride` weights each.
inline std::int64_t weight_place(RowId row, LabelId label, std::int64_t stride) noexcept { return row.number() * stride + label.number(); }

// The segments before a token, as far back as templates read them.
struct Before {
  std::int32_t labels[SegmentTemplates::most_back] = {};  // label plus one of each, the nearest first; 0: before the sentence
  std::int32_t start = -1;                                // first token of the segment before; -1: there is none

  // Adds a segment that starts at token t.
  void append(LabelId label, std::int32_t t) noexcept {
    std::copy_backward(labels, labels + SegmentTemplates::most_back - 1, labels + SegmentTemplates::most_back);
    labels[0] = label.value();
    start = t;
  }
};

// Calls visit(t, length, label, Before) for the segments of a sentence. codes: the code of the segment that starts at each token, -1 inside
// segments.
template <class Visit>
void each_segment(const SegmentCoding& coding, std::span<const std::int32_t> codes, Visit visit) {
  Before before;
  for (std::int32_t t = 0; t < static_cast<std::int32_t>(codes.size()); ++t) {
    if (codes[t] < 0) continue;
    const LabelId label = coding.label(codes[t]);
    visit(t, coding.length(codes[t]), label, before);
    before.append(label, t);
  }
}

// Encodes what slots read of earlier segments as one number.
class BackCodes {
 public:
  BackCodes(const SegmentCoding& coding, const SegmentTemplates& templates)
      : labels_(coding.labels + 1), lengths_(coding.most.number() + 1), order_(templates.order()), reads_start_(templates.reads_start()) {
    std::int64_t size = reads_start_ ? lengths_ : 1;
    for (std::int32_t k = 0; k < order_ && size < limit; ++k) size *= labels_;
    if (size >= limit)
      throw Error("UnsupportedError", "there are too many labels for templates that read those of earlier segments.",
                  "Read fewer of them, such as label[-1] alone.");
  }

  ContextId operator()(const BackSlot& slot, const Before& before, std::int32_t t) const noexcept {
    std::int32_t code = 0;
    for (const std::int32_t back : slot.back) code = code * labels_ + before.labels[back - 1];
    return ContextId(slot.length ? with_length(code, before, t) : code);
  }
  // One number for what all slots together read.
  ContextId whole(const Before& before, std::int32_t t) const noexcept {
    std::int32_t code = 0;
    for (std::int32_t k = 0; k < order_; ++k) code = code * labels_ + before.labels[k];
    return ContextId(reads_start_ ? with_length(code, before, t) : code);
  }

 private:
  static constexpr std::int64_t limit = std::numeric_limits<std::int32_t>::max();

  std::int32_t with_length(std::int32_t code, const Before& before, std::int32_t t) const noexcept {
    return code * lengths_ + (before.start < 0 ? 0 : t - before.start);
  }

  std::int32_t labels_, lengths_, order_;
  bool reads_start_;
};

template <class Real>
struct SegmentWeights {
  SegmentCoding coding;
  GrownRows grown;
  Numbers<Real> flat;  // one row after the other, coding.stride() weights each
};

}  // namespace riata
