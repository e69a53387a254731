// The relations that training saw with the tags of head and child.
#pragma once

#include <algorithm>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "core/id_pair_index.hpp"

namespace riata {

// A pair of tags that training did not see, or a tag that it did not know, has all relations.
class PairRelations {
 public:
  PairRelations() = default;
  // all: the relations of pairs that training did not see.
  explicit PairRelations(std::vector<std::int32_t> all) : all_(std::move(all)) {}

  void add(std::int32_t head_tag, std::int32_t child_tag, std::int32_t relation) {
    const std::int32_t pair = pairs_.add(head_tag, child_tag);
    if (pair == static_cast<std::int32_t>(lists_.size())) lists_.emplace_back();
    std::vector<std::int32_t>& list = lists_[static_cast<std::size_t>(pair)];
    const auto place = std::lower_bound(list.begin(), list.end(), relation);
    if (place == list.end() || *place != relation) list.insert(place, relation);
  }
  std::span<const std::int32_t> of(std::int32_t head_tag, std::int32_t child_tag) const noexcept {
    const std::int32_t pair = head_tag < 0 || child_tag < 0 ? -1 : pairs_.find(head_tag, child_tag);
    return pair < 0 ? std::span<const std::int32_t>(all_) : lists_[static_cast<std::size_t>(pair)];
  }

  // Calls visit(tag of the head, tag of the child, relation) for all that were added.
  template <class Visit>
  void each(Visit visit) const {
    for (std::int32_t pair = 0; pair < pairs_.size(); ++pair) {
      for (const std::int32_t relation : lists_[static_cast<std::size_t>(pair)]) visit(pairs_.left(pair), pairs_.right(pair), relation);
    }
  }

 private:
  std::vector<std::int32_t> all_;
  IdPairIndex pairs_;
  std::vector<std::vector<std::int32_t>> lists_;  // [pairs] sorted
};

}  // namespace riata
