#include "bind/module.hpp"

#include <map>
#include <vector>

namespace riata::bind {
namespace {

std::map<Bindings::Part, std::vector<Bindings::Add>>& all() {
  static std::map<Bindings::Part, std::vector<Bindings::Add>> parts;
  return parts;
}

}  // namespace

Bindings::Bindings(Add add, Part part) { all()[part].push_back(add); }

}  // namespace riata::bind

NB_MODULE(_core, m) {
  m.doc() = "The native core of Riata. Not public: names may change in any release.";
  // A model that a script keeps in a global variable outlives the interpreter; that is not an error to report to users.
  nanobind::set_leak_warnings(false);
  for (const auto& [part, adds] : riata::bind::all()) {
    for (const auto add : adds) add(m);
  }
}
