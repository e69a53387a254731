// The labels that each token of a sentence can have if users allow only some labels at some tokens. A label is possible at a token if there
// is a labelling of the whole sentence that has it there, that the encoding allows, and that has an allowed label at every token.
#pragma once

#include <cstdint>
#include <limits>
#include <vector>

#include "core/error.hpp"
#include "core/kernels.hpp"
#include "features/allowed.hpp"
#include "inference/constraint.hpp"
#include "inference/reach.hpp"

namespace riata {

// A search that keeps to the possible labels always finds a label for the next token.
class LegalLabels {
 public:
  // Finds the possible labels of the sentence whose tokens start at `first` in `allowed`. Returns -1; or, if there is no legal labelling,
  // the first token at which no label is left.
  template <class Real>
  std::int32_t find(const Constraint<Real>& constraint, std::int32_t labels, const Allowed& allowed, std::int64_t first,
                    std::int32_t length) {
    clear();
    if (!allowed.knows(first, length)) return -1;
    if (allowed.width != static_cast<std::size_t>(labels)) throw Error("RiataError", "the labels that are allowed do not fit the model");
    return find_among(constraint, labels, length, [&](std::int32_t t, std::size_t j) {
      const std::uint8_t* set = allowed.at(first + t);
      return set == nullptr || set[j] != 0;
    });
  }

  // Finds the possible labels of a sentence where may(t, j) tells whether token t may have label j. Returns as the other version does.
  template <class Real, class May>
  std::int32_t find_among(const Constraint<Real>& constraint, std::int32_t labels, std::int32_t length, May may) {
    labels_ = static_cast<std::size_t>(labels);
    const auto stride = static_cast<std::size_t>(padded(labels));
    flags_.resize(static_cast<std::size_t>(length) * labels_);
    for (std::int32_t t = 0; t < length; ++t) {
      for (std::size_t j = 0; j < labels_; ++j) row(t)[j] = may(t, j);
    }
    // The state is the last label, counted from 1: state 0 is the start.
    const auto ends = [&](std::size_t state) { return state == 0 || constraint.end[state - 1] == 0; };
    reach_.find(length, labels_ + 1, ends, [&](std::int32_t t, std::size_t state, auto take) {
      const Real* follow = state == 0 ? constraint.start.data() : constraint.follow.data() + (state - 1) * stride;
      const std::uint8_t* here = row(t);
      for (std::size_t j = 0; j < labels_; ++j) {
        if (here[j] && follow[j] == 0 && !take(j + 1, 1, 0)) return;
      }
    });
    if (!reach_.some()) return reach_.furthest();
    for (std::int32_t t = 0; t < length; ++t) {
      for (std::size_t j = 0; j < labels_; ++j) row(t)[j] = reach_.between(t + 1, j + 1);
    }
    return -1;
  }

  // Calls `find`, and throws if the sentence has no legal labelling.
  template <class Real>
  void open(const Constraint<Real>& constraint, std::int32_t labels, const Allowed& allowed, std::int64_t first, std::int32_t length) {
    if (find(constraint, labels, allowed, first, length) >= 0) throw Error("DataError", "no legal labelling has the labels that are given");
  }

  // Makes all labels possible.
  void clear() noexcept { flags_.clear(); }

  // The flags of the labels of token t, [labels]; nullptr if all labels are possible.
  const std::uint8_t* at(std::int32_t t) const noexcept {
    return flags_.empty() ? nullptr : flags_.data() + static_cast<std::size_t>(t) * labels_;
  }

  // Sets the scores of labels that are not possible at token t to minus infinity. scores: [labels].
  template <class Real>
  void forbid(std::int32_t t, Real* scores) const noexcept {
    if (flags_.empty()) return;
    for (std::size_t j = 0; j < labels_; ++j) {
      if (!flags_[static_cast<std::size_t>(t) * labels_ + j]) scores[j] = -std::numeric_limits<Real>::infinity();
    }
  }

 private:
  std::uint8_t* row(std::int32_t t) noexcept { return flags_.data() + static_cast<std::size_t>(t) * labels_; }

  std::size_t labels_ = 0;
  Reach reach_;
  std::vector<std::uint8_t> flags_;  // [T][labels] whether a label is possible at a token; empty: all labels are possible
};

}  // namespace riata
