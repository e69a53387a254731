// Where the rows of a chain model stand in one long vector of weights.
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
  // The layout of a model without features.
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
    if (hashed_) named_size = static_cast<std::int32_t>(index.table(labels).rows());
    size = next + std::int64_t{named_size} * stride;
  }

  std::int64_t node_row(std::int32_t family, std::size_t row) const noexcept { return node_[family] + std::int64_t(row) * stride; }
  std::int64_t edge_row(std::int32_t family, std::size_t row) const noexcept { return edge_[family] + std::int64_t(row) * labels * stride; }
  std::int64_t named_row(std::size_t row) const noexcept { return given_ + std::int64_t(row) * stride; }
  // How many weights all rows of a family have.
  std::int64_t node_size(std::int32_t family) const noexcept { return edge_[family] - node_[family]; }
  std::int64_t edge_size(std::int32_t family) const noexcept {
    return (family + 1 < families() ? node_[family + 1] : given_) - edge_[family];
  }
  std::int32_t families() const noexcept { return static_cast<std::int32_t>(node_.size()); }
  std::int64_t transition_row() const noexcept { return 0; }
  std::int32_t named_size() const noexcept { return stride == 0 ? 0 : static_cast<std::int32_t>((size - given_) / stride); }
  // Rows of earlier labels stand behind all others, where their number can grow; in a hashed index, in its table.
  std::int64_t history_row(RowId row) const noexcept { return (hashed_ ? given_ : size) + std::int64_t{row.number()} * stride; }

  // A vector of an earlier layout, moved to the places of this layout. Weights of features that have been added since are 0.
  template <class Real>
  Numbers<Real> moved(const Numbers<Real>& old, const Layout& from) const {
    Numbers<Real> out(static_cast<std::size_t>(size), Real{0});
    const std::vector<std::int64_t> starts = from.starts(), places = this->starts();
    if (starts.size() == places.size()) {
      for (std::size_t block = 0; block + 1 < starts.size(); ++block)
        std::copy(old.begin() + starts[block], old.begin() + starts[block + 1], out.begin() + places[block]);
    } else {  // the earlier layout had no features
      std::copy(old.begin(), old.begin() + std::int64_t{labels} * stride, out.begin());
    }
    out.insert(out.end(), old.begin() + from.size, old.end());
    return out;
  }

  std::int32_t labels;
  std::int32_t stride;
  std::int64_t size;  // of the long vector, without the rows of earlier labels

 private:
  // Where every block of rows starts, in order, and the end.
  std::vector<std::int64_t> starts() const {
    std::vector<std::int64_t> all{0};
    for (std::size_t f = 0; f < node_.size(); ++f) all.insert(all.end(), {node_[f], edge_[f]});
    all.insert(all.end(), {given_, size});
    return all;
  }

  std::vector<std::int64_t> node_, edge_;  // [F] where the blocks of each family start
  std::int64_t given_;
  bool hashed_ = false;
};

}  // namespace riata
