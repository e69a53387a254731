// Features by name, alone or joined with an action: the number of each in the weight vector. The index grows during learning.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "core/alphabet.hpp"
#include "core/id_pair_index.hpp"

namespace riata {

class NameIndex {
 public:
  static constexpr std::int32_t none = -1;  // as a name: unknown; as an action: the name stands alone

  struct Entry {
    std::int32_t action;
    std::int32_t weight;
  };

  const Alphabet& names() const noexcept { return names_; }
  std::int32_t weights() const noexcept { return pairs_.size(); }
  std::int32_t name_of(std::int32_t weight) const noexcept { return pairs_.left(weight); }
  std::int32_t action_of(std::int32_t weight) const noexcept { return pairs_.right(weight); }

  std::int32_t find_name(std::string_view name) const noexcept { return names_.find(name); }
  std::int32_t add_name(std::string_view name) {
    const std::int32_t id = names_.add(name);
    if (static_cast<std::size_t>(id) == by_name_.size()) by_name_.emplace_back();
    return id;
  }

  // The number of a weight, or none.
  std::int32_t find(std::int32_t name, std::int32_t action) const noexcept { return pairs_.find(name, action); }
  std::int32_t add(std::int32_t name, std::int32_t action) {
    const std::int32_t before = pairs_.size(), weight = pairs_.add(name, action);
    if (weight == before && action != none) by_name_[static_cast<std::size_t>(name)].push_back({action, weight});
    return weight;
  }

  // All actions with which the name has a weight.
  std::span<const Entry> joined(std::int32_t name) const noexcept { return by_name_[static_cast<std::size_t>(name)]; }

 private:
  Alphabet names_;
  IdPairIndex pairs_;                        // (name, action or none) -> weight
  std::vector<std::vector<Entry>> by_name_;  // [names] so that scoring a state need not probe for every action
};

}  // namespace riata
