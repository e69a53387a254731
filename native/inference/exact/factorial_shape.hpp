// Several labels per token, one of each column: their combinations as codes, and as places in arrays of states.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <numeric>
#include <utility>
#include <vector>

#include "core/error.hpp"
#include "core/id.hpp"
#include "core/kernels.hpp"
#include "core/kinds.hpp"

namespace riata {

struct ColumnKind;
struct FactorKind;
using ColumnId = Id<ColumnKind>;  // an output column, such as that of tags
using FactorId = Id<FactorKind>;  // a table of scores of two labels

// Two labels that are scored together: of one column at neighbouring tokens (left: the label before), or of two columns at one token.
struct FactorialPair {
  ColumnId left, right;
  bool within() const noexcept { return left == right; }
};

// A state is a combination of labels, one per column. Arrays of states have one axis per column. The column with the most labels is the
// innermost axis, whose rows are padded, since kernels run along rows.
class FactorialShape {
 public:
  // labels: of each column. between: pairs of columns that are scored together at a token, the first with the lower number. Every column is
  // scored together with itself at the token before.
  explicit FactorialShape(std::vector<std::int32_t> labels, const std::vector<std::pair<std::int32_t, std::int32_t>>& between = {})
      : labels_(std::move(labels)), steps_(labels_.size()), radix_(labels_.size()) {
    const std::int32_t columns = this->columns();
    for (std::int32_t c = 0; c < columns; ++c) pairs_.push_back({ColumnId(c), ColumnId(c)});
    for (const auto& [a, b] : between) {
      if (a < 0 || a >= b || b >= columns) throw Error("RiataError", "the columns of a factor do not exist");
      pairs_.push_back({ColumnId(a), ColumnId(b)});
    }
    order_.resize(labels_.size());
    std::iota(order_.begin(), order_.end(), 0);
    std::stable_sort(order_.begin(), order_.end(), [&](std::int32_t a, std::int32_t b) { return labels_[at(a)] < labels_[at(b)]; });
    states_ = 1;
    for (auto c = order_.rbegin(); c != order_.rend(); ++c) {
      steps_[at(*c)] = states_;
      states_ *= c == order_.rbegin() ? padded(labels_[at(*c)]) : labels_[at(*c)];
    }
    combinations_ = 1;
    for (std::int32_t c = columns - 1; c >= 0; --c) {
      radix_[at(c)] = combinations_;
      combinations_ *= labels_[at(c)];
    }
    if (combinations_ > most_states) throw Error("RiataError", "there are too many combinations of labels");
    for (std::int32_t code = 0; code < combinations_; ++code) {
      std::int64_t place = 0;
      for (std::int32_t c = 0; c < columns; ++c) place += label(code, ColumnId(c)).number() * steps_[at(c)];
      places_.push_back(static_cast<std::int32_t>(place));
    }
  }

  static constexpr std::int64_t most_states = std::int64_t{1} << 16;  // combinations; Python refuses more, with a remedy

  std::int32_t columns() const noexcept { return static_cast<std::int32_t>(labels_.size()); }
  std::int32_t labels(ColumnId c) const noexcept { return labels_[c.place()]; }
  std::int32_t stride(ColumnId c) const noexcept { return padded(labels_[c.place()]); }
  std::int64_t combinations() const noexcept { return combinations_; }
  std::int64_t states() const noexcept { return states_; }  // with padding
  ColumnId inner() const noexcept { return ColumnId(order_.back()); }
  std::int64_t rows() const noexcept { return states_ / stride(inner()); }    // rows of the innermost axis
  std::int64_t step(ColumnId c) const noexcept { return steps_[c.place()]; }  // from one label of a column to the next
  std::int64_t outer(ColumnId c) const noexcept {                             // how often the axis of the column is repeated
    return c == inner() ? rows() : states_ / (steps_[c.place()] * labels_[c.place()]);
  }
  // The label of an outer column in a row of the innermost axis.
  LabelId label_in_row(std::int64_t row, ColumnId c) const noexcept {
    return LabelId(static_cast<std::int32_t>(row * stride(inner()) / steps_[c.place()] % labels_[c.place()]));
  }

  // The code of a combination: its labels as digits of one number, the first column first.
  LabelId label(std::int32_t code, ColumnId c) const noexcept {
    return LabelId(static_cast<std::int32_t>(code / radix_[c.place()] % labels_[c.place()]));
  }
  std::int64_t place(std::int32_t code) const noexcept { return places_[static_cast<std::size_t>(code)]; }

  // First the pairs within columns, in the order of columns, then those between columns.
  const std::vector<FactorialPair>& pairs() const noexcept { return pairs_; }
  std::int32_t factors() const noexcept { return static_cast<std::int32_t>(pairs_.size()); }
  const FactorialPair& pair(FactorId k) const noexcept { return pairs_[k.place()]; }
  // The size of a table of two labels: [labels of the left column][stride of the right column].
  std::int64_t table(FactorId k) const noexcept { return std::int64_t{labels(pair(k).left)} * stride(pair(k).right); }
  std::int64_t cell(FactorId k, LabelId left, LabelId right) const noexcept {
    return std::int64_t{left.number()} * stride(pair(k).right) + right.number();
  }

 private:
  static std::size_t at(std::int32_t c) noexcept { return static_cast<std::size_t>(c); }

  std::vector<std::int32_t> labels_;
  std::vector<std::int64_t> steps_, radix_;  // [columns]
  std::vector<FactorialPair> pairs_;
  std::vector<std::int32_t> order_;  // columns from the outermost axis to the innermost
  std::int64_t states_ = 0, combinations_ = 0;
  std::vector<std::int32_t> places_;  // [combinations] the place of each code in an array of states
};

// Calls visit(column) for all columns, and visit(factor) for all factors.
template <class Visit>
void each_column(const FactorialShape& shape, Visit visit) {
  for (ColumnId c(0); c.number() < shape.columns(); ++c) visit(c);
}
template <class Visit>
void each_factor(const FactorialShape& shape, Visit visit) {
  for (FactorId k(0); k.number() < shape.factors(); ++k) visit(k);
}

}  // namespace riata
