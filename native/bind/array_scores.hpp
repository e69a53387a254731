// Scores that users give as arrays.
#pragma once

#include <cmath>
#include <cstdint>
#include <limits>
#include <vector>

#include "bind/arrays.hpp"
#include "core/error.hpp"
#include "core/kernels.hpp"

namespace riata::bind {

// Minus infinity forbids; NaN and plus infinity have no meaning.
inline void check_score(double value) {
  if (std::isnan(value) || value == std::numeric_limits<double>::infinity())
    throw Error("DataError", "a score is NaN or plus infinity", "Scores are finite numbers, or minus infinity for what is forbidden.");
}

// values: [rows][labels]. Returns [rows][padded(labels)], with zeros at the end of every row.
inline std::vector<double> padded_rows(const double* values, std::size_t rows, std::int32_t labels) {
  std::vector<double> out(rows * padded(labels), 0.0);
  for (std::size_t r = 0; r < rows; ++r) {
    for (std::int32_t j = 0; j < labels; ++j) {
      check_score(values[r * labels + j]);
      out[r * padded(labels) + j] = values[r * labels + j];
    }
  }
  return out;
}

}  // namespace riata::bind
