// The weights that score several labels per token: what their features read, and where their rows stand in one long vector.
#pragma once

#include <algorithm>
#include <cstdint>
#include <utility>
#include <vector>

#include "core/error.hpp"
#include "core/kernels.hpp"
#include "core/kinds.hpp"
#include "core/numbers.hpp"
#include "features/index.hpp"
#include "features/instances.hpp"

namespace riata {

// A feature of the label of one column, or of two labels: of one column at neighbouring tokens, or of two columns at one token.
struct FactorialSlot {
  std::int32_t column = 0;  // the label that is scored,
  std::int32_t other = -1;  // and the one that it is scored with: none, the one before (other == column), or that of an earlier column
  std::int32_t family = -1;
  std::int32_t offset = 0;  // of the n-gram's first position, from the token
  bool alone() const noexcept { return other < 0; }
};

// The columns, and which labels of each may start and end a sentence and follow another: flags [labels], [labels] and [labels * labels].
struct FactorialCoding {
  struct Column {
    std::int32_t labels = 0;
    std::vector<std::uint8_t> start, end, follow;
    static Column free(std::int32_t labels) {
      const auto count = static_cast<std::size_t>(labels);
      return {labels, std::vector<std::uint8_t>(count, 1), std::vector<std::uint8_t>(count, 1),
              std::vector<std::uint8_t>(count * count, 1)};
    }
  };
  std::vector<Column> columns;

  // The same columns, in which every label may stand everywhere.
  FactorialCoding free() const {
    FactorialCoding out;
    for (const Column& column : columns) out.columns.push_back(Column::free(column.labels));
    return out;
  }
  std::int64_t combinations() const noexcept {
    std::int64_t product = 1;
    for (const Column& column : columns) product *= column.labels;
    return product;
  }
};

// The templates of a model. Slots keep their order; every slot has a block of rows, one for each n-gram of its family, or one row.
class FactorialTemplates {
 public:
  FactorialTemplates(const FeatureIndex& index, std::int32_t columns, std::vector<FactorialSlot> slots)
      : columns_(columns), slots_(std::move(slots)) {
    for (const FactorialSlot& slot : slots_) {
      const bool ok = slot.column >= 0 && slot.column < columns && slot.other >= -1 && slot.other <= slot.column && slot.family >= -1 &&
                      slot.family < index.families() && !(slot.alone() && slot.family < 0);
      if (!ok) throw Error("TemplateError", "the templates of several columns are inconsistent");
      if (slot.alone() || slot.other == slot.column) continue;
      const std::pair<std::int32_t, std::int32_t> pair{slot.other, slot.column};
      if (std::ranges::find(between_, pair) == between_.end()) between_.push_back(pair);
    }
    std::ranges::sort(between_);
  }

  std::int32_t columns() const noexcept { return columns_; }
  const std::vector<FactorialSlot>& slots() const noexcept { return slots_; }
  // The pairs of columns that are scored together at a token.
  const std::vector<std::pair<std::int32_t, std::int32_t>>& between() const noexcept { return between_; }
  // The number of the factor that a slot of two labels belongs to, as FactorialShape numbers them.
  std::int32_t factor(const FactorialSlot& slot) const noexcept {
    if (slot.other == slot.column) return slot.column;
    const auto found = std::ranges::find(between_, std::pair(slot.other, slot.column));
    return columns_ + static_cast<std::int32_t>(found - between_.begin());
  }
  std::int32_t factors() const noexcept { return columns_ + static_cast<std::int32_t>(between_.size()); }

 private:
  std::int32_t columns_;
  std::vector<FactorialSlot> slots_;
  std::vector<std::pair<std::int32_t, std::int32_t>> between_;
};

// Where rows stand: the slots of single labels, column by column, so that the rows of a column have one stride; then those of two labels.
class FactorialLayout {
 public:
  FactorialLayout() = default;  // for a model without features
  FactorialLayout(const FeatureIndex& index, const FactorialTemplates& templates, const FactorialCoding& coding) {
    const auto& slots = templates.slots();
    starts_.resize(slots.size());
    sizes_.resize(slots.size());
    const auto stride = [&](std::int32_t c) { return padded(coding.columns[static_cast<std::size_t>(c)].labels); };
    const auto place = [&](std::size_t s, std::int64_t row) {
      starts_[s] = size;
      sizes_[s] = row;
      blocks_.push_back(size);
      size += row * (slots[s].family < 0 ? 1 : index.size(slots[s].family));
    };
    for (std::int32_t c = 0; c < templates.columns(); ++c) {
      columns_.push_back(size);
      for (std::size_t s = 0; s < slots.size(); ++s) {
        if (slots[s].alone() && slots[s].column == c) place(s, stride(c));
      }
    }
    columns_.push_back(size);
    for (std::size_t s = 0; s < slots.size(); ++s) {
      if (slots[s].alone()) continue;
      place(s, std::int64_t{coding.columns[static_cast<std::size_t>(slots[s].other)].labels} * stride(slots[s].column));
    }
    blocks_.push_back(size);
  }

  // Where the row of a slot and an n-gram starts; n-gram 0 if the slot reads none. A row of two labels is [other labels][stride].
  std::int64_t row(SlotId slot, NgramId ngram) const noexcept {
    return starts_[slot.place()] + std::int64_t{ngram.number()} * sizes_[slot.place()];
  }
  std::int64_t row_size(SlotId slot) const noexcept { return sizes_[slot.place()]; }
  // Where the rows of single labels of a column start; of the number of columns: where the rows of two labels start.
  std::int64_t column(std::int32_t c) const noexcept { return columns_[static_cast<std::size_t>(c)]; }

  // A vector of an earlier layout, moved to the places of this layout. Weights of features that have been added since are 0.
  template <class Real>
  Numbers<Real> moved(const Numbers<Real>& old, const FactorialLayout& from) const {
    Numbers<Real> out(static_cast<std::size_t>(size), Real{0});
    for (std::size_t b = 0; b + 1 < std::min(blocks_.size(), from.blocks_.size()); ++b)
      std::copy(old.begin() + from.blocks_[b], old.begin() + from.blocks_[b + 1], out.begin() + blocks_[b]);
    return out;
  }

  std::int64_t size = 0;  // of the vector

 private:
  std::vector<std::int64_t> starts_, sizes_;  // [slots]
  std::vector<std::int64_t> columns_;         // [columns + 1]
  std::vector<std::int64_t> blocks_;          // where the blocks of all slots start, in order, and the end
};

template <class Real>
struct FactorialWeights {
  FactorialCoding coding;
  Numbers<Real> flat;  // the long vector that `layout` describes
  FactorialLayout layout = {};
};

// The n-gram that a slot reads at token t of sentence s: 0 if the slot reads none; none if training has not seen it.
inline NgramId ngram_of(const FactorialSlot& slot, const Instances& instances, std::int64_t s, std::int64_t t) noexcept {
  if (slot.family < 0) return NgramId(0);
  return NgramId(instances.ngrams[slot.family][static_cast<std::size_t>(instances.origin(s) + t + slot.offset)]);
}

}  // namespace riata
