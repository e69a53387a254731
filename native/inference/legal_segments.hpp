// The segments that a sentence can have if users allow only some labels at some tokens. A segment is possible if there is a segmentation of
// the whole sentence that contains it and that is allowed at every token.
#pragma once

#include <algorithm>
#include <cstdint>
#include <limits>
#include <vector>

#include "core/error.hpp"
#include "features/allowed.hpp"
#include "models/segment_weights.hpp"

namespace riata {

// A token has four flags per label: whether it may be a whole segment of this label, or the first, an inner or the last token of a longer
// one.
class LegalSegments {
 public:
  // Finds the possible segments of the sentence whose tokens start at `first` in `allowed`. Returns -1; or, if there is no segmentation of
  // the whole sentence, the first token that segments cannot cover.
  std::int32_t find(const SegmentCoding& coding, const Allowed& allowed, std::int64_t first, std::int32_t length) {
    flags_.clear();
    if (!allowed.knows(first, length)) return -1;
    labels_ = static_cast<std::size_t>(coding.labels);
    most_ = std::min(coding.most, Length(length)).place();
    if (allowed.width != roles * labels_) throw Error("RiataError", "the labels that are allowed do not fit the model");
    const auto tokens = static_cast<std::size_t>(length);
    flags_.assign(tokens * most_ * labels_, 0);
    std::vector<std::uint8_t> comes(tokens + 1, 0), goes_on(tokens + 1, 0);
    comes[0] = goes_on[tokens] = 1;
    std::size_t furthest = 0;  // how many tokens segments can cover, counting a last segment that cannot end there
    for (std::size_t t = 0; t < tokens; ++t) {
      if (!comes[t]) continue;
      furthest = std::max(furthest, t);
      for (LabelId y(0); y.place() < labels_; ++y) furthest = std::max(furthest, mark(coding, allowed, first, t, tokens, y, comes));
    }
    for (std::size_t t = tokens; t-- > 0;) {
      for (std::size_t l = 1; l <= std::min(most_, tokens - t); ++l) {
        std::uint8_t* row = flags_.data() + (t * most_ + l - 1) * labels_;
        if (!goes_on[t + l]) std::fill_n(row, labels_, std::uint8_t{0});
        if (std::any_of(row, row + labels_, [](std::uint8_t flag) { return flag != 0; })) goes_on[t] = 1;
      }
    }
    return goes_on[0] ? -1 : static_cast<std::int32_t>(std::min(furthest, tokens - 1));
  }

  // Calls `find`, and throws if the sentence has no segmentation.
  void open(const SegmentCoding& coding, const Allowed& allowed, std::int64_t first, std::int32_t length) {
    if (find(coding, allowed, first, length) >= 0) throw Error("DataError", "no segmentation has the labels that are given");
  }

  // Sets the scores of labels that a segment of this length from token t cannot have to minus infinity. scores: [labels].
  template <class Real>
  void forbid(std::int32_t t, Length length, Real* scores) const noexcept {
    if (flags_.empty()) return;
    const std::uint8_t* row = flags_.data() + (static_cast<std::size_t>(t) * most_ + length.place() - 1) * labels_;
    for (std::size_t y = 0; y < labels_; ++y) {
      if (!row[y]) scores[y] = -std::numeric_limits<Real>::infinity();
    }
  }

 private:
  enum Role : std::size_t { single, start, inside, last, roles };

  // Marks the allowed segments of label y that start at token t, and the tokens after them in `comes`. Returns the number of tokens up to
  // the end of the longest beginning of such a segment, even if the segment cannot end there.
  std::size_t mark(const SegmentCoding& coding, const Allowed& allowed, std::int64_t first, std::size_t t, std::size_t tokens, LabelId y,
                   std::vector<std::uint8_t>& comes) {
    const auto may = [&](std::size_t token, Role role) {
      const std::uint8_t* set = allowed.at(first + static_cast<std::int64_t>(token));
      return set == nullptr || set[y.place() * roles + role] != 0;
    };
    const auto take = [&](std::size_t l) {
      flags_[(t * most_ + l - 1) * labels_ + y.place()] = 1;
      comes[t + l] = 1;
    };
    if (may(t, single)) take(1);
    if (!may(t, start) || y == coding.outside) return may(t, single) ? t + 1 : t;
    for (std::size_t l = 2; l <= std::min(most_, tokens - t); ++l) {
      if (may(t + l - 1, last)) take(l);
      if (!may(t + l - 1, inside)) return t + l - 1 + (may(t + l - 1, last) ? 1 : 0);
    }
    return std::min(t + most_, tokens);
  }

  std::size_t labels_ = 0, most_ = 0;
  // [T][most][labels] whether a segment is possible, by first token, length minus one and label; empty: all segments are.
  std::vector<std::uint8_t> flags_;
};

}  // namespace riata
