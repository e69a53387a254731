// Which relations an arc may have, as far as training tells.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace riata {

// In most treebanks, the root has a relation of its own. So the root heads only tokens with relations that training has seen there, and a
// relation that was seen with the root alone is that of no other head. If this leaves no relation, all are offered.
class OfferedRelations {
 public:
  OfferedRelations() = default;
  explicit OfferedRelations(std::int32_t relations)
      : root_(static_cast<std::size_t>(relations), 0), others_(static_cast<std::size_t>(relations), 0) {}

  void see(std::int32_t head, std::int32_t relation) {
    std::uint8_t& seen = (head == 0 ? root_ : others_)[static_cast<std::size_t>(relation)];
    if (seen != 0) return;
    seen = 1;
    refuse();
  }
  void see(const OfferedRelations& other) {
    for (std::size_t r = 0; r < root_.size(); ++r) {
      if (other.root_[r] != 0) see(0, static_cast<std::int32_t>(r));
      if (other.others_[r] != 0) see(1, static_cast<std::int32_t>(r));
    }
  }

  // Flags of relations that were seen with the root, and with other heads.
  const std::vector<std::uint8_t>& seen(bool root) const noexcept { return root ? root_ : others_; }
  // The relations that arcs from this head may not have.
  std::span<const std::int32_t> refused(std::int32_t head) const noexcept { return head == 0 ? refused_root_ : refused_others_; }
  bool offers(std::int32_t head, std::int32_t relation) const noexcept {
    for (const std::int32_t refused_one : refused(head)) {
      if (refused_one == relation) return false;
    }
    return true;
  }

 private:
  void refuse() {
    refused_root_.clear();
    refused_others_.clear();
    for (std::size_t r = 0; r < root_.size(); ++r) {
      if (root_[r] == 0) refused_root_.push_back(static_cast<std::int32_t>(r));
      if (root_[r] != 0 && others_[r] == 0) refused_others_.push_back(static_cast<std::int32_t>(r));
    }
    for (auto* refused_all : {&refused_root_, &refused_others_}) {
      if (refused_all->size() == root_.size()) refused_all->clear();
    }
  }

  std::vector<std::uint8_t> root_, others_;                  // [relations] whether they were seen
  std::vector<std::int32_t> refused_root_, refused_others_;  // in order
};

}  // namespace riata
