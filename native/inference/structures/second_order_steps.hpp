// The weights that score a label by the two labels before it in a batch objective, and the scores that they give to a step.
#pragma once

#include <algorithm>
#include <cstdint>
#include <span>
#include <unordered_map>
#include <vector>

#include "features/history.hpp"
#include "features/instances.hpp"
#include "inference/constraint.hpp"
#include "inference/structures/chain_pairs.hpp"
#include "inference/structures/sparse_pairs.hpp"
#include "models/layout.hpp"

namespace riata {

// Adds rows of earlier labels to `history`: those that the labels of the instances read or, with FeatureLabels::all, those that any labels
// would read. Returns which weights of the rows exist, [rows x stride]: those of labels that occur after the labels of the row, or all.
// bytes: the size of a weight.
std::vector<bool> enter_history(HistoryIndex& history, const Layout& layout, const Instances& instances, FeatureLabels which,
                                std::size_t bytes);

// Steps that read the same rows have the same context. Matrices of label pairs that few steps read are not part of contexts, so that there
// are few contexts; they are handled weight by weight (SparsePairs). The rows of contexts are copied to a table: first matrices
// [labels][stride] of label pairs, then rows [stride] of earlier labels, in the order of their index.
template <class Real>
class SecondOrderSteps {
 public:
  // often: the share of all steps that must read a matrix to make it part of contexts. there must outlive the object.
  SecondOrderSteps(const FeatureIndex& index, const Layout& layout, const HistoryIndex& history, const Instances& instances,
                   const Constraint<Real>& constraint, const RowWeights& there, double often);
  // Uses the vector of all weights instead of a table. All matrices are part of contexts.
  SecondOrderSteps(const FeatureIndex& index, const Layout& layout, const HistoryIndex& history, const Instances& instances,
                   const Constraint<Real>& constraint, const RowWeights& there)
      : SecondOrderSteps(index, layout, history, instances, constraint, there, 0, true) {}

  std::int64_t table_size() const noexcept { return history_at_ + std::int64_t{history_rows_} * stride_; }
  // `read` copies weights into the table; `add` adds the table to a gradient.
  void read(const RowWeights& there, std::span<const double> at, Real* table) const;
  void add(const double* table, const RowWeights& there, std::span<double> gradient) const;

  std::int32_t contexts() const noexcept { return static_cast<std::int32_t>(contexts_.size()); }
  // The context of the step into token n, counted over all sentences; -1 for the first token of a sentence.
  std::int32_t context(std::int64_t n) const noexcept { return of_[static_cast<std::size_t>(n)]; }
  std::span<const std::int32_t> contexts_of(std::int64_t first, std::int64_t tokens) const noexcept {
    return std::span(of_).subspan(static_cast<std::size_t>(first), static_cast<std::size_t>(tokens));
  }
  // + how many tokens have this context.
  std::int64_t tokens(std::int32_t context) const noexcept { return contexts_[static_cast<std::size_t>(context)].tokens; }
  // The number of labels two tokens before: 1 if the sentence has not begun there.
  std::int32_t height(std::int32_t context) const noexcept { return contexts_[static_cast<std::size_t>(context)].second ? 1 : labels_; }
  std::int64_t rows(std::int32_t context) const noexcept { return std::int64_t{labels_} * height(context); }

  // Writes the scores of a step, [label before][height][stride]; minus infinity where not allowed.
  void score(std::int32_t context, const Real* table, Real* scores) const;
  // Adds numbers, [label before][height][stride], to the rows that score them: in a table, or by calls of add(place of the row, numbers
  // [stride]).
  void hand_on(std::int32_t context, const Real* numbers, double* table) const {
    hand_on_totals<double>(context, numbers, [&](std::int64_t row, const auto* values) {
      for (std::int32_t j = 0; j < stride_; ++j) table[row + j] += double(values[j]);
    });
  }
  template <class Add>
  void hand_on(std::int32_t context, const Real* numbers, Add add) const {
    hand_on_totals<Real>(context, numbers, add);
  }
  // Calls visit(place of a weight) for every weight that scores label j after the labels h and i; at token 1, h does not matter.
  template <class Visit>
  void each(std::int32_t context, LabelId h, LabelId i, LabelId j, Visit visit) const {
    const Context& from = contexts_[static_cast<std::size_t>(context)];
    for (const std::int64_t matrix : from.matrices) visit(matrix + std::int64_t{i.number()} * stride_ + j.number());
    for (const std::int32_t list : from.lists) {
      for (const Term& term : lists_[static_cast<std::size_t>(list)]) {
        if ((term.first == any || term.first == h.number()) && (term.second == any || term.second == i.number()))
          visit(term.row + j.number());
      }
    }
  }
  // The weights that steps read outside their contexts.
  SparsePairs<Real>& sparse() noexcept { return sparse_; }
  const SparsePairs<Real>& sparse() const noexcept { return sparse_; }

  // Calls visit(place of a row) for every row that scores the first label of sentence s.
  template <class Visit>
  void each_first(std::int64_t s, Visit visit) const {
    for (std::int64_t k = first_starts_[static_cast<std::size_t>(s)]; k < first_starts_[static_cast<std::size_t>(s) + 1]; ++k)
      visit(first_rows_[static_cast<std::size_t>(k)]);
  }

 private:
  class Finder;
  static constexpr std::int32_t any = -1;

  // A row of the table, and the earlier labels to which it applies.
  struct Term {
    std::int32_t first, second;  // the labels two tokens before and one token before; or any
    std::int64_t row;
  };
  struct Context {
    bool second;                         // whether the steps of this context lead to token 1
    std::vector<std::int64_t> matrices;  // places in the table
    std::vector<std::int32_t> lists;
    std::int64_t tokens = 0;
  };

  SecondOrderSteps(const FeatureIndex& index, const Layout& layout, const HistoryIndex& history, const Instances& instances,
                   const Constraint<Real>& constraint, const RowWeights& there, double often, bool in_long);
  std::unordered_map<std::int64_t, std::int64_t> steps_of_matrices(const FeatureIndex& index, const Layout& layout,
                                                                   const Instances& instances) const;
  template <class Visit>
  void each_row(Visit visit) const;
  // Calls visit(row of the table, row of [labels][tall][stride]) for all rows of earlier labels.
  template <class Visit>
  void each_cell(const Context& of, std::int64_t tall, Visit visit) const {
    for (const std::int32_t list : of.lists) {
      for (const Term& term : lists_[static_cast<std::size_t>(list)]) {
        const std::int64_t i_end = term.second == any ? labels_ : term.second + 1, h_end = term.first == any ? tall : term.first + 1;
        for (std::int64_t i = std::max(term.second, 0); i < i_end; ++i) {
          for (std::int64_t h = std::max(term.first, 0); h < h_end; ++h) visit(term.row, (i * tall + h) * stride_);
        }
      }
    }
  }
  // Sum: the type in which numbers of several rows are added up.
  template <class Sum, class Add>
  void hand_on_totals(std::int32_t context, const Real* numbers, Add add) const {
    const Context& from = contexts_[static_cast<std::size_t>(context)];
    const std::int64_t tall = height(context), slab = tall * stride_;
    std::vector<Sum> totals(static_cast<std::size_t>(stride_));
    for (std::int64_t i = 0; i < labels_ && !from.matrices.empty(); ++i) {
      std::fill(totals.begin(), totals.end(), Sum{0});
      for (std::int64_t h = 0; h < tall; ++h) {
        for (std::int64_t j = 0; j < stride_; ++j) totals[static_cast<std::size_t>(j)] += Sum(numbers[i * slab + h * stride_ + j]);
      }
      for (const std::int64_t matrix : from.matrices) add(matrix + i * stride_, totals.data());
    }
    each_cell(from, tall, [&](std::int64_t row, std::int64_t cell) { add(row, numbers + cell); });
  }
  std::vector<Term> terms(const HistoryIndex& history, SlotId slot, NgramId ngram, bool second) const;

  std::int32_t labels_, stride_, history_rows_;
  bool in_long_;                                   // whether the vector of all weights is used instead of a table
  std::int64_t history_at_ = 0, history_in_long_;  // where rows of earlier labels begin in the table, and in the long vector
  Constraint<Real> constraint_;
  std::vector<std::int64_t> matrices_;    // [matrices] places in the long vector
  std::vector<std::vector<Term>> lists_;  // [lists] the rows of a slot and an n-gram
  std::vector<Context> contexts_;
  std::vector<std::int32_t> of_;  // [N] the context of the step into each token
  SparsePairs<Real> sparse_;
  std::vector<std::int64_t> first_starts_;  // [S + 1] where the rows of a sentence's first token start in first_rows_
  std::vector<std::int64_t> first_rows_;
};

extern template class SecondOrderSteps<float>;
extern template class SecondOrderSteps<double>;

}  // namespace riata
