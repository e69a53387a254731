// Which labels may start, end and follow each other, as scores to add: 0 if allowed, minus infinity if not.
#pragma once

#include <cstdint>
#include <limits>
#include <vector>

#include "core/kernels.hpp"

namespace riata {

template <class Real>
struct Constraint {
  std::vector<Real> start;   // [stride]
  std::vector<Real> end;     // [stride]
  std::vector<Real> follow;  // [label before][stride]

  // The arguments are flags: [labels], [labels] and [label before][label]. Padding labels are never allowed.
  Constraint(std::int32_t labels, std::int32_t stride, const std::vector<std::uint8_t>& may_start, const std::vector<std::uint8_t>& may_end,
             const std::vector<std::uint8_t>& may_follow)
      : start(stride, never), end(stride, never), follow(std::size_t(labels) * stride, never) {
    for (std::int32_t j = 0; j < labels; ++j) {
      if (may_start[j]) start[j] = 0;
      if (may_end[j]) end[j] = 0;
      for (std::int32_t i = 0; i < labels; ++i) {
        if (may_follow[std::size_t(i) * labels + j]) follow[std::size_t(i) * stride + j] = 0;
      }
    }
  }

  // Allows every label everywhere.
  static Constraint free(std::int32_t labels) {
    const auto count = static_cast<std::size_t>(labels);
    const std::vector<std::uint8_t> yes(count, 1);
    return Constraint(labels, padded(labels), yes, yes, std::vector<std::uint8_t>(count * count, 1));
  }

  static constexpr Real never = -std::numeric_limits<Real>::infinity();
};

}  // namespace riata
