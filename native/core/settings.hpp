// Settings by name, as Python passes them: numbers, flags, words and lists of numbers.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "core/error.hpp"

namespace riata {

class Settings {
 public:
  using Value = std::variant<bool, std::int64_t, double, std::string, std::vector<double>>;

  void set(const std::string& name, Value value) { values_[name] = std::move(value); }

  double number(const std::string& name) const {
    const Value& value = at(name);
    if (const auto* whole = std::get_if<std::int64_t>(&value)) return static_cast<double>(*whole);
    return as<double>(name, value);
  }
  std::int64_t whole(const std::string& name) const { return as<std::int64_t>(name, at(name)); }
  bool flag(const std::string& name) const { return as<bool>(name, at(name)); }
  const std::string& word(const std::string& name) const { return as<std::string>(name, at(name)); }

  const std::vector<double>& numbers(const std::string& name) const { return as<std::vector<double>>(name, at(name)); }
  bool has(const std::string& name) const { return values_.contains(name); }

  // The value of a setting that is one of several words.
  template <class Enum>
  Enum choice(const std::string& name, const std::vector<std::pair<const char*, Enum>>& known) const {
    for (const auto& [text, value] : known) {
      if (word(name) == text) return value;
    }
    throw Error("SettingError", "setting '" + name + "' has the value '" + word(name) + "'");
  }

 private:
  const Value& at(const std::string& name) const {
    const auto found = values_.find(name);
    if (found == values_.end()) throw Error("SettingError", "setting '" + name + "' is missing");
    return found->second;
  }
  template <class T>
  static const T& as(const std::string& name, const Value& value) {
    const T* found = std::get_if<T>(&value);
    if (found == nullptr) throw Error("SettingError", "setting '" + name + "' is of the wrong type");
    return *found;
  }

  std::map<std::string, Value> values_;
};

}  // namespace riata
