// The tags that every token of a sentence may have.
#pragma once

#include <algorithm>
#include <cstdint>
#include <span>
#include <vector>

#include "features/instances.hpp"
#include "models/joint_weights.hpp"

namespace riata {

class ListedTags {
 public:
  ListedTags(const JointCoding& coding, const Instances& instances) : coding_(coding), instances_(instances) {}

  // gold: [T] true codes, whose tags are always listed; or empty.
  void open(std::int64_t sentence, std::span<const std::int32_t> gold) {
    const TagChoices& choices = instances_.choices;
    starts_.assign(1, 0);
    listed_.clear();
    for (std::int64_t n = instances_.starts[sentence]; n < instances_.starts[sentence + 1]; ++n) {
      const std::size_t first = listed_.size();
      if (choices.of.empty()) {
        for (TagId tag(0); tag.number() < coding_.tags; ++tag) listed_.push_back(tag);
      } else {
        const auto set = static_cast<std::size_t>(choices.of[static_cast<std::size_t>(n)]);
        for (std::int32_t i = choices.starts[set]; i < choices.starts[set + 1]; ++i) listed_.emplace_back(choices.tags[i]);
        if (!gold.empty()) insert(first, coding_.tag(gold[starts_.size() - 1]));
      }
      starts_.push_back(listed_.size());
    }
  }

  // Increasing.
  std::span<const TagId> operator[](std::size_t token) const noexcept {
    return std::span(listed_).subspan(starts_[token], starts_[token + 1] - starts_[token]);
  }

 private:
  // Adds a tag to those from `first` on, where it is not among them.
  void insert(std::size_t first, TagId tag) {
    const auto place = std::lower_bound(listed_.begin() + static_cast<std::ptrdiff_t>(first), listed_.end(), tag);
    if (place == listed_.end() || *place != tag) listed_.insert(place, tag);
  }

  const JointCoding& coding_;
  const Instances& instances_;
  std::vector<std::size_t> starts_;  // [T + 1] where the tags of each token start
  std::vector<TagId> listed_;        // the tags of all tokens
};

}  // namespace riata
