#include "bind/python_values.hpp"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstring>

#include "core/error.hpp"

namespace riata::bind {
namespace {

constexpr std::size_t longest_name = 200;  // longest text of a Python object in a message

void check_hashable(nb::handle object, const char* what) {
  if (PyObject_Hash(object.ptr()) != -1) return;
  const bool unhashable = PyErr_ExceptionMatches(PyExc_TypeError);
  PyErr_Clear();
  if (unhashable)
    throw Error("DataError", std::string("the ") + what + " " + in_words(object) + " cannot be hashed.",
                "Use a tuple, a text or a number.");
}

}  // namespace

std::string in_digits(double number) {
  char digits[32];
  std::snprintf(digits, sizeof digits, "%g", number);
  return digits;
}

std::string with_commas(std::size_t number) {
  std::string digits = std::to_string(number);
  for (std::size_t at = digits.size(); at > 3; at -= 3) digits.insert(at - 3, ",");
  return digits;
}

std::string in_words(nb::handle object) {
  PyObject* text = PyObject_Repr(object.ptr());
  if (!text) {
    PyErr_Clear();
    return "?";
  }
  const nb::object owned = nb::steal(text);
  const char* bytes = PyUnicode_AsUTF8(text);
  if (!bytes) {
    PyErr_Clear();
    return "?";
  }
  std::string words = bytes;
  if (words.size() <= longest_name) return words;
  std::size_t end = longest_name;
  while (end > 0 && (static_cast<unsigned char>(words[end]) & 0xC0) == 0x80) --end;  // not within a character
  return words.substr(0, end) + "...";
}

double number(nb::handle value, const char* method) {
  const double result = PyFloat_AsDouble(value.ptr());
  const bool failed = result == -1.0 && PyErr_Occurred();
  if (failed) PyErr_Clear();
  if (failed || !std::isfinite(result)) {
    throw Error("DataError", std::string(method) + " returned " + in_words(value) + "; expected a finite number.",
                std::strcmp(method, "regret") == 0 ? "Where the gold is out of reach, a large number will do." : "");
  }
  return result;
}

std::string_view text(nb::handle name, const char* method) {
  Py_ssize_t size = 0;
  const char* bytes = PyUnicode_AsUTF8AndSize(name.ptr(), &size);
  if (!bytes) {
    nb::python_error error;  // takes the error over
    if (!error.matches(PyExc_UnicodeEncodeError)) throw error;
    throw Error("DataError", std::string(method) + " gave the feature " + in_words(name) + ", which holds a lone surrogate and is no text.",
                "Decode the text with its own encoding, and not with errors=\"surrogateescape\".");
  }
  return {bytes, static_cast<std::size_t>(size)};
}

nb::object listed(nb::handle answer, std::size_t most, const char* method, const char* items) {
  if (PyTuple_Check(answer.ptr()) || PyList_Check(answer.ptr())) return nb::borrow(answer);
  const nb::object iterator = nb::steal(PyObject_GetIter(answer.ptr()));
  if (!iterator.is_valid()) throw nb::python_error();
  nb::list out;
  while (PyObject* item = PyIter_Next(iterator.ptr())) {
    out.append(nb::steal(item));
    if (out.size() > most)
      throw Error("DataError", std::string(method) + " gave more than " + with_commas(most) + " " + items + " for one state.",
                  "Does it yield for ever? Let it end.");
  }
  if (PyErr_Occurred()) throw nb::python_error();
  if (PyAnySet_Check(answer.ptr()) && PyList_Sort(out.ptr()) != 0) PyErr_Clear();  // the order of a set of texts differs between processes
  return out;
}

bool is_iterable(nb::handle object) {
  if (PyTuple_Check(object.ptr()) || PyList_Check(object.ptr())) return true;
  if (!Py_TYPE(object.ptr())->tp_iter && !PySequence_Check(object.ptr())) return false;
  if (nb::steal(PyObject_GetIter(object.ptr())).is_valid()) return true;
  if (!PyErr_ExceptionMatches(PyExc_TypeError)) throw nb::python_error();
  PyErr_Clear();  // error of an array without dimensions
  return false;
}

bool is_mapping(nb::handle object) {
  const bool plain =
      PyList_Check(object.ptr()) || PyTuple_Check(object.ptr()) || PyGen_Check(object.ptr()) || PyUnicode_Check(object.ptr());
  return !plain && nb::hasattr(object, "keys") && nb::hasattr(object, "items");
}

Py_ssize_t shallow_size(nb::handle object) {
  const nb::object size = nb::steal(PyObject_CallMethod(object.ptr(), "__sizeof__", nullptr));
  const Py_ssize_t bytes = size.is_valid() ? PyLong_AsSsize_t(size.ptr()) : 0;
  if (PyErr_Occurred()) PyErr_Clear();
  return std::max<Py_ssize_t>(bytes, 0);
}

std::int64_t interned(nb::dict& ids, nb::handle object, std::int64_t fresh, const char* what) {
  if (PyObject* found = PyDict_GetItemWithError(ids.ptr(), object.ptr())) return PyLong_AsLongLong(found);
  if (PyErr_Occurred()) {
    nb::python_error error;  // takes the error over
    check_hashable(object, what);
    throw error;
  }
  if (fresh < 0) return -1;
  const nb::int_ id(fresh);
  if (PyDict_SetItem(ids.ptr(), object.ptr(), id.ptr()) != 0) throw nb::python_error();
  return fresh;
}

}  // namespace riata::bind
