// Scores of the labels of several columns from a vector of weights.
#pragma once

#include <algorithm>
#include <cstdint>
#include <limits>
#include <vector>

#include "core/error.hpp"
#include "features/instances.hpp"
#include "inference/exact/factorial_scores.hpp"
#include "models/factorial_weights.hpp"
#include "models/row_sum.hpp"

namespace riata {

inline FactorialShape shape_of(const FactorialTemplates& templates, const FactorialCoding& coding) {
  std::vector<std::int32_t> labels;
  for (const FactorialCoding::Column& column : coding.columns) labels.push_back(column.labels);
  return FactorialShape(std::move(labels), templates.between());
}

// [factors] whether a factor has a table per token, since one of its features reads n-grams.
inline std::vector<std::uint8_t> tables_per_token(const FactorialTemplates& templates) {
  std::vector<std::uint8_t> out(static_cast<std::size_t>(templates.factors()), 0);
  for (const FactorialSlot& slot : templates.slots()) {
    if (!slot.alone() && slot.family >= 0) out[static_cast<std::size_t>(templates.factor(slot))] = 1;
  }
  return out;
}

// Adds minus infinity to the scores of labels that may not start or end a sentence, and of pairs that may not follow each other.
template <class Real>
void constrain_nodes(const FactorialCoding& coding, FactorialScores<Real>& scores) {
  constexpr Real never = -std::numeric_limits<Real>::infinity();
  each_column(*scores.shape, [&](ColumnId c) {
    const FactorialCoding::Column& column = coding.columns[c.place()];
    for (std::size_t j = 0; j < column.start.size(); ++j) {
      if (column.start[j] == 0) scores.nodes(c, 0)[j] = never;
      if (column.end[j] == 0) scores.nodes(c, scores.length - 1)[j] = never;
    }
  });
}
template <class Real>
void constrain_table(const FactorialCoding::Column& column, Real* table) {
  const std::int32_t labels = column.labels, stride = padded(labels);
  for (std::int32_t i = 0; i < labels; ++i) {
    for (std::int32_t j = 0; j < labels; ++j) {
      if (column.follow[static_cast<std::size_t>(i * labels + j)] == 0)
        table[std::int64_t{i} * stride + j] = -std::numeric_limits<Real>::infinity();
    }
  }
}

// Refuses a sentence whose tables would not fit into memory.
inline void check_room(const FactorialShape& shape, std::int64_t length) {
  constexpr std::int64_t most = std::int64_t{1} << 29;  // numbers of one array of states
  if (length * shape.states() <= most) return;
  throw Error("DataError",
              "a sentence of " + std::to_string(length) + " tokens with " + std::to_string(shape.combinations()) +
                  " combinations of labels is too long for exact inference.",
              "Split it, use fewer labels, or use structure='joint', which searches.");
}

template <class Real>
class FactorialScorer {
 public:
  // All parameters must outlive the object.
  FactorialScorer(const FactorialTemplates& templates, const FactorialCoding& coding, const FactorialLayout& layout,
                  const Instances& instances)
      : templates_(templates),
        coding_(coding),
        layout_(layout),
        instances_(instances),
        shape_(shape_of(templates, coding)),
        per_token_(tables_per_token(templates)) {}

  const FactorialShape& shape() const noexcept { return shape_; }

  // Calls visit(slot, place of its row) for what is read at token t of sentence s.
  template <class Visit>
  void each_row(std::int64_t s, std::int64_t t, Visit visit) const {
    for (SlotId id(0); id.place() < templates_.slots().size(); ++id) {
      const FactorialSlot& slot = templates_.slots()[id.place()];
      if (slot.other == slot.column && t == 0) continue;
      const NgramId ngram = ngram_of(slot, instances_, s, t);
      if (ngram) visit(id, layout_.row(id, ngram));
    }
  }

  // Calls visit(place of the weight) for the features of an output at token t.
  template <class Visit>
  void each_weight(std::int64_t s, std::int64_t t, const std::int32_t* codes, Visit visit) const {
    each_row(s, t, [&](SlotId id, std::int64_t row) {
      const FactorialSlot& slot = templates_.slots()[id.place()];
      const LabelId label = shape_.label(codes[t], ColumnId(slot.column));
      if (slot.alone()) return visit(row + label.number());
      const LabelId other = shape_.label(codes[slot.other == slot.column ? t - 1 : t], ColumnId(slot.other));
      visit(row + shape_.cell(FactorId(templates_.factor(slot)), other, label));
    });
  }

  // Calls visit(place of a row, its posteriors, size of the row) for the rows that are read at token t. Rows whose posteriors are added up
  // over all tokens are visited at token 0.
  template <class Visit>
  void each_part(std::int64_t s, std::int32_t t, const FactorialTables<Real>& tables, Visit visit) const {
    for (SlotId id(0); id.place() < templates_.slots().size(); ++id) {
      const FactorialSlot& slot = templates_.slots()[id.place()];
      const FactorId k(slot.alone() ? -1 : templates_.factor(slot));
      if (k && t > 0 && !per_token_[k.place()]) continue;
      const NgramId ngram = ngram_of(slot, instances_, s, t);
      if (!ngram) continue;
      const Real* numbers = k ? tables.table(shape_, k, t) : tables.nodes(shape_, ColumnId(slot.column), t);
      visit(layout_.row(id, ngram), numbers, layout_.row_size(id));
    }
  }

  // Writes the scores of sentence s under the weights scale * weights.
  void operator()(std::int64_t s, const Real* weights, Real scale, FactorialScores<Real>& out) {
    const auto length = static_cast<std::int32_t>(instances_.length(s));
    check_room(shape_, length);
    out.open(shape_, length, per_token_);
    score_labels(s, weights, scale, out);
    for (Numbers<Real>& table : out.pair) std::ranges::fill(table, Real{0});
    for (SlotId id(0); id.place() < templates_.slots().size(); ++id) {
      const FactorialSlot& slot = templates_.slots()[id.place()];
      if (slot.alone()) continue;
      const FactorId k(templates_.factor(slot));
      const bool each = per_token_[k.place()] != 0;
      for (std::int32_t t = 0; t < (each ? length : 1); ++t) {
        const NgramId ngram = ngram_of(slot, instances_, s, t);
        if (!ngram) continue;
        const Real* from = weights + layout_.row(id, ngram);
        Real* to = out.own_table(k, t);
        for (std::int64_t x = 0; x < shape_.table(k); ++x) to[x] += scale * from[x];
      }
    }
    constrain(out);
  }

 private:
  void score_labels(std::int64_t s, const Real* weights, Real scale, FactorialScores<Real>& out) {
    for (std::int32_t t = 0; t < out.length; ++t) {
      each_column(shape_, [&](ColumnId c) {
        Real* to = out.nodes(c, t);
        std::fill_n(to, shape_.stride(c), Real{0});
        sum_.begin(to, shape_.stride(c));
        for (SlotId id(0); id.place() < templates_.slots().size(); ++id) {
          const FactorialSlot& slot = templates_.slots()[id.place()];
          if (!slot.alone() || slot.column != c.number()) continue;
          const NgramId ngram = ngram_of(slot, instances_, s, t);
          if (ngram) sum_.add(weights + layout_.row(id, ngram), 1.0f);
        }
        sum_.finish();
        for (std::int32_t j = 0; j < shape_.stride(c); ++j) to[j] *= scale;
      });
    }
  }
  void constrain(FactorialScores<Real>& out) const {
    constrain_nodes(coding_, out);
    each_column(shape_, [&](ColumnId c) {
      const FactorId k(c.number());
      for (std::int32_t t = 0; t < (per_token_[k.place()] ? out.length : 1); ++t)
        constrain_table(coding_.columns[c.place()], out.own_table(k, t));
    });
  }

  const FactorialTemplates& templates_;
  const FactorialCoding& coding_;
  const FactorialLayout& layout_;
  const Instances& instances_;
  FactorialShape shape_;
  std::vector<std::uint8_t> per_token_;
  RowSum<Real> sum_;
};

}  // namespace riata
