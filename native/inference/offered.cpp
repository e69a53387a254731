#include "inference/offered.hpp"

#include <utility>

namespace riata {
namespace {

std::map<std::string, std::set<std::string>>& all() {
  static std::map<std::string, std::set<std::string>> structures;
  return structures;
}

}  // namespace

RegisteredStructure::RegisteredStructure(const std::string& name, std::set<std::string> operations) { all()[name] = std::move(operations); }

const std::map<std::string, std::set<std::string>>& structure_operations() { return all(); }

}  // namespace riata
