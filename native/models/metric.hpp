// Products of feature vectors that are known by their coefficients only.
#pragma once

#include <cstdint>

#include "models/difference.hpp"

namespace riata {

// The entries of a weight vector need not be weights. If they are coefficients of feature vectors of which only the products are known,
// these give all products of the vectors that the coefficients stand for.
template <class Real>
class Metric {
 public:
  virtual ~Metric() = default;
  // The product of the vector with these coefficients and of a difference. version: changes whenever the coefficients change.
  virtual double dot(const Real* coefficients, std::int64_t version, const Difference& delta) const = 0;
  virtual double product(const Difference& one, const Difference& other) const = 0;
  virtual double squared_length(const Real* coefficients) const = 0;
};

}  // namespace riata
