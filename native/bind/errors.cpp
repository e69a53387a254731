// Turns riata::Error into the exception of riata.errors that it names.
#include "core/error.hpp"

#include <nanobind/nanobind.h>

#include "bind/module.hpp"

namespace riata::bind {
namespace {

namespace nb = nanobind;

void errors(nb::module_&) {
  nb::register_exception_translator([](const std::exception_ptr& raised, void*) {
    try {
      std::rethrow_exception(raised);
    } catch (const Error& error) {
      nb::object type = nb::module_::import_("riata.errors").attr(error.kind().c_str());
      nb::object line = error.line() > 0 ? nb::object(nb::int_(error.line())) : nb::none();
      nb::object instance = type(error.what(), nb::arg("remedy") = error.remedy().c_str(), nb::arg("line") = line);
      PyErr_SetObject(type.ptr(), instance.ptr());
    }
  });
}

const Bindings entered(errors);

}  // namespace
}  // namespace riata::bind
