#include "losses/output_loss.hpp"

#include <map>
#include <utility>

#include "core/error.hpp"

namespace riata {
namespace {

std::map<std::string, OutputLoss>& all() {
  static std::map<std::string, OutputLoss> losses;
  return losses;
}

}  // namespace

RegisteredLoss::RegisteredLoss(OutputLoss loss) {
  const std::string name = loss.name;
  all().emplace(name, std::move(loss));
}

const OutputLoss& output_loss(const std::string& name) {
  const auto found = all().find(name);
  if (found != all().end()) return found->second;
  std::string names;
  for (const std::string& other : output_loss_names()) names += (names.empty() ? "" : ", ") + other;
  throw Error("UnknownNameError", "Unknown loss '" + name + "'. Known: " + names + ".");
}

std::vector<std::string> output_loss_names() {
  std::vector<std::string> names;
  for (const auto& [name, loss] : all()) names.push_back(name);
  return names;
}

}  // namespace riata
