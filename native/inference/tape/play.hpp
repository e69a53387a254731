// Tapes played in semirings, from the parts to the goal and back.
#pragma once

#include "inference/tape/tape.hpp"

namespace riata {

// An array has a number per cell, of which those of parts are given. Playing fills in the others; cells of rows beyond their width, and
// behind the last row, become the zero of the semiring and must be so from the beginning.

// (max, +): the best way to every cell, from scores.
void play_largest(const Tape& tape, float* scores) noexcept;
void play_largest(const Tape& tape, double* scores) noexcept;

// (+, *): sums over all ways, from factors. Returns the largest number.
double play_factors(const Tape& tape, double* inside) noexcept;
// Backwards: adds the derivative of the goal by every cell (its adjoint: the sum over all that goes around the cell, the outside) to
// `outside`, which is zero elsewhere. Returns the largest derivative by a sum.
double play_back(const Tape& tape, const double* inside, double* outside) noexcept;

// The same with logarithms of sums, from scores of any size. `shares` becomes the share that every cell has in the goal: the sum over all
// outputs through it, divided by the sum over all outputs.
void play_logarithms(const Tape& tape, double* inside);
void share_logarithms(const Tape& tape, const double* inside, double* shares);

}  // namespace riata
