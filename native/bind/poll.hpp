// How long loops of the core report to Python.
#pragma once

#include <nanobind/nanobind.h>

#include "core/poll.hpp"

namespace riata::bind {

namespace nb = nanobind;

// Lets Python handle Ctrl-C and, if asked for, reports the progress of a long loop.
inline Poll as_poll(const nb::object& progress) {
  return [progress_ = progress.ptr()](std::int64_t done) {
    nb::gil_scoped_acquire acquire;
    if (PyErr_CheckSignals() != 0) throw nb::python_error();
    if (progress_ != Py_None) nb::borrow<nb::object>(progress_)(done);
    return true;
  };
}

}  // namespace riata::bind
