// Numbers of nodes and states as Python integers. Must be included wherever they are passed to Python.
#pragma once

#include <nanobind/nanobind.h>

#include "core/id.hpp"

namespace nanobind::detail {

template <class Kind>
struct type_caster<riata::Id<Kind>> {
  NB_TYPE_CASTER(riata::Id<Kind>, const_name("int"))
  bool from_python(handle, std::uint8_t, cleanup_list*) noexcept { return false; }  // they are never passed back
  static handle from_cpp(riata::Id<Kind> id, rv_policy, cleanup_list*) noexcept { return PyLong_FromLong(id.number()); }
};

}  // namespace nanobind::detail
