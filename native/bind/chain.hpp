// What the bindings of chains share.
#pragma once

#include <cstdint>

#include "bind/arrays.hpp"
#include "bind/model.hpp"
#include "core/error.hpp"
#include "core/kernels.hpp"
#include "inference/constraint.hpp"

namespace riata::bind {

// Which labels may start, end and follow each other, from flags of [L], [L] and [L * L].
template <class Real>
Constraint<Real> as_constraint(std::int32_t labels, const Flags& start, const Flags& end, const Flags& follow) {
  const auto count = static_cast<std::size_t>(labels);
  if (start.shape(0) != count || end.shape(0) != count || follow.shape(0) != count * count)
    throw Error("RiataError", "the constraint does not fit the labels");
  return Constraint<Real>(labels, padded(labels), copy(start), copy(end), copy(follow));
}

}  // namespace riata::bind
