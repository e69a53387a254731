// What Python says about chunks and about errors in them.
#pragma once

#include <string>

#include "bind/arrays.hpp"
#include "bind/model.hpp"
#include "bind/settings.hpp"
#include "core/error.hpp"
#include "inference/risk.hpp"

namespace riata::bind {

// types: [labels], continues: [labels x labels]; see ChunkFlags. Empty if the structure does not use them.
inline ChunkFlags chunk_flags(const Outputs& types, const Flags& continues) {
  if (continues.shape(0) != types.shape(0) * types.shape(0)) throw Error("RiataError", "the flags do not fit the labels");
  return {view(types), view(continues)};
}

// settings: decode (marginals or spans), span_cost and temperature.
inline Risk as_risk(const nb::dict& settings, const Outputs& types, const Flags& continues) {
  const Settings given = as_settings(settings);
  const double temperature = given.number("temperature");
  if (!(temperature > 0)) throw Error("SettingError", "a temperature must be above 0");
  return {given.word("decode") == "spans", given.number("span_cost"), 1 / temperature, chunk_flags(types, continues)};
}

}  // namespace riata::bind
