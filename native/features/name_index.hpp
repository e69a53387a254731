// Features by name, alone or joined with an action: the number of each in the weight vector. The index grows during learning.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "core/alphabet.hpp"
#include "core/id.hpp"
#include "core/id_pair_index.hpp"

namespace riata {

struct NameKind;
struct WeightKind;
using NameId = Id<NameKind>;      // a name of a feature; none: an unknown one
using WeightId = Id<WeightKind>;  // the number of a weight; none: there is no such weight

class NameIndex {
 public:
  static constexpr std::int32_t none = -1;  // as an action: the name stands alone

  struct Entry {
    std::int32_t action;
    WeightId weight;
  };

  std::int32_t weights() const noexcept { return pairs_.size(); }
  std::string_view name_of(WeightId weight) const noexcept { return names_.text(pairs_.left(weight.number())); }
  std::int32_t action_of(WeightId weight) const noexcept { return pairs_.right(weight.number()); }

  NameId find_name(std::string_view name) const noexcept { return NameId(names_.find(name)); }
  NameId add_name(std::string_view name) {
    const NameId id(names_.add(name));
    if (id.place() == by_name_.size()) by_name_.emplace_back();
    return id;
  }

  WeightId find(NameId name, std::int32_t action) const noexcept { return WeightId(pairs_.find(name.number(), action)); }
  WeightId add(NameId name, std::int32_t action) {
    const WeightId before(pairs_.size()), weight(pairs_.add(name.number(), action));
    if (weight == before && action != none) by_name_[name.place()].push_back({action, weight});
    return weight;
  }

  // All actions with which the name has a weight.
  std::span<const Entry> joined(NameId name) const noexcept { return by_name_[name.place()]; }

 private:
  Alphabet names_;
  IdPairIndex pairs_;                        // (name, action or none) -> weight
  std::vector<std::vector<Entry>> by_name_;  // [names] so that scoring a state need not probe for every action
};

}  // namespace riata
