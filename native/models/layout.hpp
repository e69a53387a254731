// Where every weight of a chain model stands in one long vector: what learners that see features as numbers need.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "core/kernels.hpp"
#include "core/numbers.hpp"
#include "features/index.hpp"

namespace riata {

class Layout {
 public:
  // Of a model that has no features yet.
  explicit Layout(std::int32_t label_count = 0)
      : labels(label_count), stride(padded(label_count)), size(std::int64_t{labels} * stride), given_(size) {}
  Layout(const FeatureIndex& index, std::int32_t label_count, std::int32_t named_size) : labels(label_count), stride(padded(label_count)) {
    const std::int64_t square = std::int64_t{labels} * stride;
    std::int64_t next = square;  // transitions come first
    for (std::int32_t f = 0; f < index.families(); ++f) {
      node_.push_back(next);
      next += std::int64_t{index.size(f)} * index.node_slots_of(f) * stride;
      edge_.push_back(next);
      next += std::int64_t{index.size(f)} * index.edge_slots_of(f) * square;
    }
    given_ = next;
    hashed_ = index.hashed();
    if (hashed_) named_size = static_cast<std::int32_t>(index.table(labels, stride).rows());
    size = next + std::int64_t{named_size} * stride;
  }

  std::int64_t node_row(std::int32_t family, std::size_t row) const noexcept { return node_[family] + std::int64_t(row) * stride; }
  std::int64_t edge_row(std::int32_t family, std::size_t row) const noexcept { return edge_[family] + std::int64_t(row) * labels * stride; }
  std::int64_t named_row(std::size_t row) const noexcept { return given_ + std::int64_t(row) * stride; }
  // How many numbers the rows of a family take.
  std::int64_t node_size(std::int32_t family) const noexcept { return edge_[family] - node_[family]; }
  std::int64_t edge_size(std::int32_t family) const noexcept {
    return (family + 1 < families() ? node_[family + 1] : given_) - edge_[family];
  }
  std::int32_t families() const noexcept { return static_cast<std::int32_t>(node_.size()); }
  std::int64_t transition_row() const noexcept { return 0; }
  std::int32_t named_size() const noexcept { return stride == 0 ? 0 : static_cast<std::int32_t>((size - given_) / stride); }
  // Behind all others, where they can grow; of a hashed index, in its table.
  std::int64_t history_row(std::int32_t row) const noexcept { return (hashed_ ? given_ : size) + std::int64_t{row} * stride; }

  // A long vector of an earlier layout, in the places of this one; features that have come since weigh zero.
  template <class Real>
  Numbers<Real> moved(const Numbers<Real>& old, const Layout& from) const {
    Numbers<Real> out(static_cast<std::size_t>(size), Real{0});
    const std::vector<std::int64_t> starts = from.starts(), places = this->starts();
    if (starts.size() == places.size()) {
      for (std::size_t block = 0; block + 1 < starts.size(); ++block)
        std::copy(old.begin() + starts[block], old.begin() + starts[block + 1], out.begin() + places[block]);
    } else {  // it had no features
      std::copy(old.begin(), old.begin() + std::int64_t{labels} * stride, out.begin());
    }
    out.insert(out.end(), old.begin() + from.size, old.end());
    return out;
  }

  std::int32_t labels;
  std::int32_t stride;
  std::int64_t size;  // of the long vector, before the rows of earlier labels

 private:
  // Where every block begins, in order, and the end.
  std::vector<std::int64_t> starts() const {
    std::vector<std::int64_t> all{0};
    for (std::size_t f = 0; f < node_.size(); ++f) all.insert(all.end(), {node_[f], edge_[f]});
    all.insert(all.end(), {given_, size});
    return all;
  }

  std::vector<std::int64_t> node_, edge_;  // [F] where each family's blocks start
  std::int64_t given_;
  bool hashed_ = false;
};

}  // namespace riata
