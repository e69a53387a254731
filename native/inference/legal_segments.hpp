// The segments that a sentence can have if users allow only some labels at some tokens. A segment is possible if there is a segmentation of
// the whole sentence that contains it and that is allowed at every token.
#pragma once

#include <algorithm>
#include <cstdint>
#include <limits>
#include <vector>

#include "core/error.hpp"
#include "features/allowed.hpp"
#include "inference/reach.hpp"
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
    flags_.assign(static_cast<std::size_t>(length) * most_ * labels_, 0);
    std::vector<std::int32_t> covers(static_cast<std::size_t>(length));
    for (std::int32_t t = 0; t < length; ++t) {
      for (LabelId y(0); y.place() < labels_; ++y) {
        std::int32_t& here = covers[static_cast<std::size_t>(t)];
        here = std::max(here, mark(coding, allowed, first, t, length, y));
      }
    }
    // Segments are steps of their length, and there is one state: any segment may follow any other.
    reach_.find(
        length, 1, [](std::size_t) { return true; },
        [&](std::int32_t t, std::size_t, auto take) {
          for (std::int32_t l = 1; l <= longest(t, length); ++l) {
            const std::uint8_t* row = row_of(t, l);
            if (std::any_of(row, row + labels_, [](std::uint8_t flag) { return flag != 0; }) && !take(0, l, 0)) return;
          }
        });
    if (!reach_.some()) return stuck(covers, length);
    for (std::int32_t t = 0; t < length; ++t) {
      for (std::int32_t l = 1; l <= longest(t, length); ++l) {
        if (!reach_.comes(t, 0) || !reach_.goes_on(t + l, 0)) std::fill_n(row_of(t, l), labels_, std::uint8_t{0});
      }
    }
    return -1;
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

  // Marks the allowed segments of label y that start at token t. Returns the number of tokens up to the end of the longest beginning of
  // such a segment, even if the segment cannot end there.
  std::int32_t mark(const SegmentCoding& coding, const Allowed& allowed, std::int64_t first, std::int32_t t, std::int32_t tokens,
                    LabelId y) {
    const auto may = [&](std::int32_t token, Role role) {
      const std::uint8_t* set = allowed.at(first + token);
      return set == nullptr || set[y.place() * roles + role] != 0;
    };
    if (may(t, single)) row_of(t, 1)[y.place()] = 1;
    if (!may(t, start) || y == coding.outside) return may(t, single) ? t + 1 : t;
    for (std::int32_t l = 2; l <= longest(t, tokens); ++l) {
      if (may(t + l - 1, last)) row_of(t, l)[y.place()] = 1;
      if (!may(t + l - 1, inside)) return t + l - 1 + (may(t + l - 1, last) ? 1 : 0);
    }
    return t + longest(t, tokens);
  }

  // The first token that segments cannot cover, counting a last segment that cannot end there. covers: what `mark` returns, by token.
  std::int32_t stuck(const std::vector<std::int32_t>& covers, std::int32_t length) const {
    std::int32_t furthest = 0;
    for (std::int32_t t = 0; t < length; ++t) {
      if (reach_.comes(t, 0)) furthest = std::max({furthest, t, covers[static_cast<std::size_t>(t)]});
    }
    return std::min(furthest, length - 1);
  }

  std::int32_t longest(std::int32_t t, std::int32_t tokens) const noexcept {
    return std::min(static_cast<std::int32_t>(most_), tokens - t);
  }
  std::uint8_t* row_of(std::int32_t t, std::int32_t length) noexcept {
    return flags_.data() + (static_cast<std::size_t>(t) * most_ + static_cast<std::size_t>(length) - 1) * labels_;
  }

  Reach reach_;
  std::size_t labels_ = 0, most_ = 0;
  // [T][most][labels] whether a segment is possible, by first token, length minus one and label; empty: all segments are.
  std::vector<std::uint8_t> flags_;
};

}  // namespace riata
