// Reads what the methods of a problem return as C++ values. Errors name the method and show what it returned.
#pragma once

#include <nanobind/nanobind.h>

#include <cstdint>
#include <string>
#include <string_view>

namespace riata::bind {

namespace nb = nanobind;

// Numbers and objects in messages.
std::string in_digits(double number);
std::string with_commas(std::size_t number);
std::string in_words(nb::handle object);

// A number that a method returned.
double number(nb::handle value, const char* method);

// The name of a feature.
std::string_view text(nb::handle name, const char* method);

// What a method returned, as a list or a tuple. A generator is read to its end, and refused if it has more items than any problem needs.
nb::object listed(nb::handle answer, std::size_t most, const char* method, const char* items);

bool is_iterable(nb::handle object);

// Whether an object has names and values as a dictionary has.
bool is_mapping(nb::handle object);

// The size of an object in bytes, without the objects that it refers to; 0 if it does not tell.
Py_ssize_t shallow_size(nb::handle object);

// The number of an object in a dictionary. An object that is not in it is added with the number `fresh`; if fresh is -1, it is not added,
// and -1 is returned.
std::int64_t interned(nb::dict& ids, nb::handle object, std::int64_t fresh, const char* what);

}  // namespace riata::bind
