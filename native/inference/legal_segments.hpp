// The segments of a sentence that some segmentation has, where something is known of its tokens.
#pragma once

#include <algorithm>
#include <cstdint>
#include <limits>
#include <vector>

#include "core/error.hpp"
#include "features/allowed.hpp"
#include "models/segment_weights.hpp"

namespace riata {

// A set of what is allowed has four flags per label: whether the token may be a segment of that label by itself, the first of one, inside,
// or last.
class LegalSegments {
 public:
  // Of the tokens from `first` on. Returns the first token that no segmentation comes past; -1: there is one of the whole sentence.
  std::int32_t find(const SegmentCoding& coding, const Allowed& allowed, std::int64_t first, std::int32_t length) {
    flags_.clear();
    if (!allowed.knows(first, length)) return -1;
    labels_ = static_cast<std::size_t>(coding.labels);
    most_ = static_cast<std::size_t>(std::min(coding.most, length));
    if (allowed.width != roles * labels_) throw Error("RiataError", "the labels that are allowed do not fit the model");
    const auto tokens = static_cast<std::size_t>(length);
    flags_.assign(tokens * most_ * labels_, 0);
    std::vector<std::uint8_t> comes(tokens + 1, 0), goes_on(tokens + 1, 0);
    comes[0] = goes_on[tokens] = 1;
    std::size_t furthest = 0;  // tokens that some segments cover, the last of which may lack its end
    for (std::size_t t = 0; t < tokens; ++t) {
      if (!comes[t]) continue;
      furthest = std::max(furthest, t);
      for (std::size_t y = 0; y < labels_; ++y) furthest = std::max(furthest, mark(coding, allowed, first, t, tokens, y, comes));
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

  // Finds the segments that are possible in a sentence; a sentence without a segmentation is an error.
  void open(const SegmentCoding& coding, const Allowed& allowed, std::int64_t first, std::int32_t length) {
    if (find(coding, allowed, first, length) >= 0) throw Error("DataError", "no segmentation has the labels that are given");
  }

  // Puts minus infinity on the labels that no segment of this length from token t has.
  template <class Real>
  void forbid(std::int32_t t, std::int32_t length, Real* scores) const noexcept {
    if (flags_.empty()) return;
    const std::uint8_t* row = flags_.data() + (static_cast<std::size_t>(t) * most_ + static_cast<std::size_t>(length) - 1) * labels_;
    for (std::size_t y = 0; y < labels_; ++y) {
      if (!row[y]) scores[y] = -std::numeric_limits<Real>::infinity();
    }
  }

 private:
  enum Role : std::size_t { single, start, inside, last, roles };

  // Marks the segments of label y from token t on, and where they come to. Returns how far one comes, with its end or without.
  std::size_t mark(const SegmentCoding& coding, const Allowed& allowed, std::int64_t first, std::size_t t, std::size_t tokens,
                   std::size_t y, std::vector<std::uint8_t>& comes) {
    const auto may = [&](std::size_t token, Role role) {
      const std::uint8_t* set = allowed.at(first + static_cast<std::int64_t>(token));
      return set == nullptr || set[y * roles + role] != 0;
    };
    const auto take = [&](std::size_t l) {
      flags_[(t * most_ + l - 1) * labels_ + y] = 1;
      comes[t + l] = 1;
    };
    if (may(t, single)) take(1);
    if (!may(t, start) || static_cast<std::int32_t>(y) == coding.outside) return may(t, single) ? t + 1 : t;
    for (std::size_t l = 2; l <= std::min(most_, tokens - t); ++l) {
      if (may(t + l - 1, last)) take(l);
      if (!may(t + l - 1, inside)) return t + l - 1 + (may(t + l - 1, last) ? 1 : 0);
    }
    return std::min(t + most_, tokens);
  }

  std::size_t labels_ = 0, most_ = 0;
  std::vector<std::uint8_t> flags_;  // [T][most][labels]; empty: any segment may be anywhere
};

}  // namespace riata
