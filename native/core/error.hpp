// The exception type of the core. bind/errors.cpp turns it into the class of riata.errors that `kind` names.
#pragma once

#include <cstdint>
#include <stdexcept>
#include <string>
#include <utility>

namespace riata {

class Error : public std::runtime_error {
 public:
  // kind: the name of a class in riata.errors. line: line of a file, from 1 on; 0 if there is none.
  Error(std::string kind, const std::string& message, std::string remedy = {}, std::int64_t line = 0)
      : std::runtime_error(message), kind_(std::move(kind)), remedy_(std::move(remedy)), line_(line) {}

  const std::string& kind() const noexcept { return kind_; }
  const std::string& remedy() const noexcept { return remedy_; }
  std::int64_t line() const noexcept { return line_; }

 private:
  std::string kind_;
  std::string remedy_;
  std::int64_t line_;
};

}  // namespace riata
