// The Python module. Every file of bind/ registers its own part; no list names the files.
#pragma once

#include <nanobind/nanobind.h>

namespace riata::bind {

// A global object in a file, which registers the function that adds the file's part to the module.
class Bindings {
 public:
  using Add = void (*)(nanobind::module_&);

  // bases: classes from which classes of other files are derived; they are added first.
  enum class Part { bases, rest };
  explicit Bindings(Add add, Part part = Part::rest);
};

}  // namespace riata::bind
