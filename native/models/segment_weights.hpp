// Labelled segments as numbers, and the weights that score them.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "core/kernels.hpp"
#include "core/numbers.hpp"
#include "features/grown_rows.hpp"
#include "features/index.hpp"
#include "features/segment_templates.hpp"

namespace riata {

// Which segments there are. A segment that starts at a known token is one number, its code: length and label.
struct SegmentKinds {
  std::int32_t labels = 0;
  std::int32_t outside = -1;  // the label of tokens outside chunks, whose segments are of length 1; -1: none
  std::int32_t most = 1;      // tokens of a segment

  std::int32_t code(std::int32_t length, std::int32_t label) const noexcept { return (length - 1) * labels + label; }
  std::int32_t length(std::int32_t code) const noexcept { return code / labels + 1; }
  std::int32_t label(std::int32_t code) const noexcept { return code % labels; }
  bool allows(std::int32_t length, std::int32_t label) const noexcept { return length == 1 || (label != outside && length <= most); }
};

// Where rows stand in one long vector: anchored features family by family, then those that grow.
class SegmentLayout {
 public:
  SegmentLayout(const FeatureIndex& index, const SegmentTemplates& templates, std::int32_t label_count) : stride(padded(label_count)) {
    for (std::int32_t f = 0; f < index.families(); ++f) {
      starts_.push_back(size);
      size += std::int64_t{index.size(f)} * templates.slots_of(f) * stride;
    }
    starts_.push_back(size);
  }

  std::int64_t row(const AnchoredSlot& slot, std::int32_t id) const noexcept {
    return starts_[slot.family] + (std::int64_t{id} * slot.slots + slot.slot) * stride;
  }
  std::int64_t grown_row(std::int32_t row) const noexcept { return size + std::int64_t{row} * stride; }

  // A long vector of an earlier layout, in the places of this one; features that have come since weigh zero.
  template <class Real>
  Numbers<Real> moved(const Numbers<Real>& old, const SegmentLayout& from) const {
    Numbers<Real> out(static_cast<std::size_t>(size), Real{0});
    for (std::size_t f = 0; f + 1 < starts_.size(); ++f)
      std::copy(old.begin() + from.starts_[f], old.begin() + from.starts_[f + 1], out.begin() + starts_[f]);
    out.insert(out.end(), old.begin() + from.size, old.end());
    return out;
  }

  std::int32_t stride;
  std::int64_t size = 0;  // before the rows that grow

 private:
  std::vector<std::int64_t> starts_;  // [F + 1]
};

// Weights that stay as they are, in the place of learning/linear.hpp.
template <class Real>
class FixedWeights {
 public:
  explicit FixedWeights(const Numbers<Real>& values) : values_(values) {}
  const Real* data() const noexcept { return values_.data(); }
  double scale() const noexcept { return 1; }
  std::int64_t version() const noexcept { return 0; }
  void grow(std::size_t) const noexcept {}

 private:
  const Numbers<Real>& values_;
};

template <class Real>
struct SegmentWeights {
  SegmentKinds kinds;
  GrownRows grown;
  Numbers<Real> flat;  // as SegmentLayout has it
};

}  // namespace riata
