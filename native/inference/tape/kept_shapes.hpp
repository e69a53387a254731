// Tapes are kept for later sentences of the same shape.
#pragma once

#include <cstddef>
#include <map>
#include <memory>

namespace riata {

// Shape: has a `tape`, and is made from a Key. All are dropped when there are too many cells.
template <class Key, class Shape>
class KeptShapes {
 public:
  // The shape is valid until the next call.
  const Shape& operator()(const Key& key) {
    if (const auto known = kept_.find(key); known != kept_.end()) return *known->second;
    auto fresh = std::make_unique<Shape>(key);
    cells_ += fresh->tape.size();
    if (cells_ > most) {
      kept_.clear();
      cells_ = fresh->tape.size();
    }
    return *(kept_[key] = std::move(fresh));
  }

 private:
  static constexpr std::size_t most = std::size_t{1} << 22;

  std::map<Key, std::unique_ptr<Shape>> kept_;
  std::size_t cells_ = 0;
};

}  // namespace riata
