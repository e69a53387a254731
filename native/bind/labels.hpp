// Labels that were found, as Python lists.
#pragma once

#include <nanobind/nanobind.h>

#include <cstdint>
#include <span>

#include "core/error.hpp"

namespace riata::bind {

namespace nb = nanobind;

inline void check_labels(const nb::list& labels, std::int32_t count) {
  if (static_cast<std::int32_t>(labels.size()) != count) throw Error("RiataError", "the labels do not fit the model");
}

// Appends one list per sentence. found: [tokens] numbers of labels.
inline void append_labels(std::span<const std::int32_t> found, std::span<const std::int64_t> starts, const nb::list& labels,
                          nb::list& out) {
  for (std::size_t s = 0; s + 1 < starts.size(); ++s) {
    nb::object sentence = nb::steal(PyList_New(static_cast<Py_ssize_t>(starts[s + 1] - starts[s])));
    if (!sentence.is_valid()) throw nb::python_error();
    for (std::int64_t t = starts[s]; t < starts[s + 1]; ++t) {
      PyObject* text = PyList_GET_ITEM(labels.ptr(), found[t]);
      Py_INCREF(text);
      PyList_SET_ITEM(sentence.ptr(), t - starts[s], text);
    }
    out.append(sentence);
  }
}

}  // namespace riata::bind
