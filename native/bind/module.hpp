// The module for Python, to which every file of bind/ adds a part. A file enters its part itself; no list names it.
#pragma once

#include <nanobind/nanobind.h>

namespace riata::bind {

// A global object of a file: the function that adds the file's part to the module.
class Bindings {
 public:
  using Add = void (*)(nanobind::module_&);

  // bases: classes that those of other files are derived from; they are added first.
  enum class Part { bases, rest };
  explicit Bindings(Add add, Part part = Part::rest);
};

}  // namespace riata::bind
