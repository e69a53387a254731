// Several weight vectors over one feature index as one.
#pragma once

#include <span>

#include "models/weights.hpp"

namespace riata {

// The Euclidean norm of all weights, those of earlier labels included.
template <class Real>
double norm_of(const Weights<Real>& weights) noexcept;

// The sum of the weights, each divided by its norm, times a number that gives it the scale of its parts (their mean norm / how many they
// are), so that equal parts give themselves. Features of earlier labels are matched by what they stand for.
template <class Real>
Weights<Real> normalised_sum(std::span<const Weights<Real>* const> parts);

}  // namespace riata
