// Confidences for Python: how sure a search is of what it finds.
#pragma once

#include <nanobind/nanobind.h>

#include <utility>

#include "bind/arrays.hpp"
#include "bind/chain.hpp"
#include "bind/search.hpp"
#include "core/error.hpp"
#include "models/confidences.hpp"

namespace riata::bind {

// call(queue, limits, temperatures, poll): without the interpreter. Gives (outputs [N], confidences [temperatures x tracks x N]).
template <class Call>
nb::tuple confident(const nb::dict& settings, const In<double>& temperatures, const nb::object& progress, Call call) {
  for (const double temperature : view(temperatures)) {
    if (!(temperature > 0)) throw Error("SettingError", "a temperature must be above 0");
  }
  const QueueSpec queue = queue_of(settings);
  const Limits limits = limits_of(settings);
  const Poll poll = as_poll(progress);
  Confidences found;
  {
    nb::gil_scoped_release release;
    found = call(queue, limits, view(temperatures), poll);
  }
  return nb::make_tuple(give(std::move(found.outputs)), give(std::move(found.values)));
}

// kinds: [labels], continues: [labels x labels], as ChunkFlags has them.
inline ChunkFlags chunk_flags(const In<std::int32_t>& kinds, const Flags& continues, std::int32_t labels) {
  const auto count = static_cast<std::size_t>(labels);
  if (kinds.shape(0) != count || continues.shape(0) != count * count) throw Error("RiataError", "the flags do not fit the labels");
  return {view(kinds), view(continues)};
}

}  // namespace riata::bind
