// A Python dictionary as settings of the core.
#pragma once

#include <nanobind/nanobind.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <cstdint>
#include <string>
#include <vector>

#include "core/settings.hpp"

namespace riata::bind {

namespace nb = nanobind;

// Flags, numbers, words and lists of numbers; values of other types are left out.
inline Settings as_settings(const nb::dict& values) {
  Settings out;
  for (const auto& [key, value] : values) {
    const auto name = nb::cast<std::string>(key);
    if (nb::isinstance<nb::bool_>(value))
      out.set(name, nb::cast<bool>(value));
    else if (nb::isinstance<nb::int_>(value))
      out.set(name, nb::cast<std::int64_t>(value));
    else if (nb::isinstance<nb::float_>(value))
      out.set(name, nb::cast<double>(value));
    else if (nb::isinstance<nb::str>(value))
      out.set(name, nb::cast<std::string>(value));
    else if (nb::isinstance<nb::list>(value))
      out.set(name, nb::cast<std::vector<double>>(value));
  }
  return out;
}

}  // namespace riata::bind
