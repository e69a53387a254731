// The labels that a token may have in training: the known label, or all labels if it is unknown.
#pragma once

#include <cstdint>

#include "features/instances.hpp"

namespace riata {

// The labels from first to end - 1.
struct LabelRange {
  std::int32_t first, end;
};

inline LabelRange label_range(std::int32_t known, std::int32_t labels) noexcept {
  return known == unknown_label ? LabelRange{0, labels} : LabelRange{known, known + 1};
}

}  // namespace riata
