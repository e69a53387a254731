// Pieces by name, registered where they are defined: a new piece is a new file, and there is no list to update.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "core/error.hpp"

namespace riata {

// How to create pieces of one kind. Base: the class of the kind; Arguments: what a piece is created from.
template <class Base, class... Arguments>
class Registry {
 public:
  using Make = std::function<std::unique_ptr<Base>(Arguments...)>;

  // Registers a piece before main begins, as a global object in the file of the piece.
  struct Entry {
    Entry(const std::string& name, Make make) { all()[name] = std::move(make); }
  };

  static std::unique_ptr<Base> make(const std::string& name, Arguments... arguments) {
    const auto found = all().find(name);
    if (found == all().end()) throw Error("RiataError", "there is no piece '" + name + "' in the core");
    return found->second(arguments...);
  }

  static std::vector<std::string> names() {
    std::vector<std::string> out;
    for (const auto& [name, make] : all()) out.push_back(name);
    return out;
  }

 private:
  static std::map<std::string, Make>& all() {
    static std::map<std::string, Make> pieces;
    return pieces;
  }
};

}  // namespace riata
