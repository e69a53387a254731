// Scores that users give as arrays. Python has checked them: minus infinity forbids, and scores that are read are not NaN.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "core/kernels.hpp"

namespace riata::bind {

// values: [rows][labels]. Returns [rows][padded(labels)], with zeros at the end of every row.
inline std::vector<double> padded_rows(const double* values, std::size_t rows, std::int32_t labels) {
  std::vector<double> out(rows * padded(labels), 0.0);
  for (std::size_t r = 0; r < rows; ++r) {
    std::copy_n(values + r * labels, labels, out.data() + r * padded(labels));
  }
  return out;
}

}  // namespace riata::bind
