// The scores of all combinations of labels of a sentence, as sums of scores of labels and of pairs of labels.
#pragma once

#include <algorithm>
#include <cstdint>
#include <limits>
#include <vector>

#include "core/numbers.hpp"
#include "inference/exact/factorial_shape.hpp"

namespace riata {

// Constraints are included, as minus infinity. Padding may contain anything.
template <class Real>
struct FactorialScores {
  const FactorialShape* shape = nullptr;
  std::int32_t length = 0;
  std::vector<Numbers<Real>> node;      // [columns][length][stride]
  std::vector<Numbers<Real>> pair;      // [factors] a table, or one per token if per_token (that of token 0 is not read within columns)
  std::vector<std::uint8_t> per_token;  // [factors]

  void open(const FactorialShape& of, std::int32_t tokens, const std::vector<std::uint8_t>& tables_per_token) {
    shape = &of;
    length = tokens;
    per_token = tables_per_token;
    node.resize(static_cast<std::size_t>(of.columns()));
    pair.resize(static_cast<std::size_t>(of.factors()));
    each_column(of, [&](ColumnId c) { node[c.place()].resize(static_cast<std::size_t>(std::int64_t{tokens} * of.stride(c))); });
    each_factor(of,
                [&](FactorId k) { pair[k.place()].resize(static_cast<std::size_t>((per_token[k.place()] ? tokens : 1) * of.table(k))); });
  }

  Real* nodes(ColumnId c, std::int32_t t) noexcept { return node[c.place()].data() + std::int64_t{t} * shape->stride(c); }
  const Real* nodes(ColumnId c, std::int32_t t) const noexcept { return node[c.place()].data() + std::int64_t{t} * shape->stride(c); }
  Real* own_table(FactorId k, std::int32_t t) noexcept { return pair[k.place()].data() + (per_token[k.place()] ? t * shape->table(k) : 0); }
  const Real* table(FactorId k, std::int32_t t) const noexcept {
    return pair[k.place()].data() + (per_token[k.place()] ? t * shape->table(k) : 0);
  }

  // Multiplies all scores by a number above 0.
  void multiply(Real factor) noexcept {
    for (auto* tables : {&node, &pair}) {
      for (Numbers<Real>& table : *tables) {
        for (Real& score : table) score *= factor;
      }
    }
  }

  // Writes the scores of all combinations at token t, without those of pairs within columns, to out, [states]; padding: minus infinity.
  void states(std::int32_t t, Real* out) const {
    const ColumnId inner = shape->inner();
    const std::int32_t stride = shape->stride(inner), labels = shape->labels(inner);
    for (std::int64_t row = 0; row < shape->rows(); ++row, out += stride) {
      Real sum = 0;
      each_column(*shape, [&](ColumnId c) { sum += c == inner ? Real{0} : nodes(c, t)[shape->label_in_row(row, c).place()]; });
      const Real* own = nodes(inner, t);
      for (std::int32_t j = 0; j < labels; ++j) out[j] = own[j] + sum;
      std::fill(out + labels, out + stride, -std::numeric_limits<Real>::infinity());
      for (FactorId k(shape->columns()); k.number() < shape->factors(); ++k) add_between(k, t, row, out);
    }
  }

  // The score of the step from one combination to the next: of all pairs within columns.
  Real step(std::int32_t t, std::int32_t from, std::int32_t to) const noexcept {
    Real sum = 0;
    each_column(*shape, [&](ColumnId c) {
      const FactorId k(c.number());
      sum += table(k, t)[shape->cell(k, shape->label(from, c), shape->label(to, c))];
    });
    return sum;
  }

  // The score of one output.
  double of(const std::int32_t* codes) const noexcept {
    double sum = 0;
    for (std::int32_t t = 0; t < length; ++t) {
      each_column(*shape, [&](ColumnId c) { sum += double(nodes(c, t)[shape->label(codes[t], c).place()]); });
      each_factor(*shape, [&](FactorId k) {
        const FactorialPair& of = shape->pair(k);
        if (of.within() && t == 0) return;
        const LabelId left = shape->label(codes[of.within() ? t - 1 : t], of.left);
        sum += double(table(k, t)[shape->cell(k, left, shape->label(codes[t], of.right))]);
      });
    }
    return sum;
  }

 private:
  void add_between(FactorId k, std::int32_t t, std::int64_t row, Real* out) const noexcept {
    const FactorialPair& of = shape->pair(k);
    const ColumnId inner = shape->inner();
    const Real* scores = table(k, t);
    const std::int32_t labels = shape->labels(inner);
    if (of.right == inner) {
      scores += shape->cell(k, shape->label_in_row(row, of.left), LabelId(0));
      for (std::int32_t j = 0; j < labels; ++j) out[j] += scores[j];
    } else if (of.left == inner) {
      scores += shape->label_in_row(row, of.right).number();
      for (std::int32_t j = 0; j < labels; ++j) out[j] += scores[std::int64_t{j} * shape->stride(of.right)];
    } else {
      const Real score = scores[shape->cell(k, shape->label_in_row(row, of.left), shape->label_in_row(row, of.right))];
      for (std::int32_t j = 0; j < labels; ++j) out[j] += score;
    }
  }
};

// Tables of posteriors of one sentence, with the layout of its scores: [columns][length][stride], and tables of pairs, of every token, or
// added up over all tokens.
template <class Real>
struct FactorialTables {
  std::vector<Real*> node;              // [columns]
  std::vector<Real*> pair;              // [factors]
  std::vector<std::uint8_t> per_token;  // [factors]

  Real* nodes(const FactorialShape& shape, ColumnId c, std::int32_t t) const noexcept {
    return node[c.place()] + std::int64_t{t} * shape.stride(c);
  }
  Real* table(const FactorialShape& shape, FactorId k, std::int32_t t) const noexcept {
    return pair[k.place()] + (per_token[k.place()] ? t * shape.table(k) : 0);
  }

  // Adds `times` at the labels and pairs of labels of an output.
  void add(const FactorialShape& shape, const std::int32_t* codes, std::int32_t length, Real times) const noexcept {
    for (std::int32_t t = 0; t < length; ++t) {
      each_column(shape, [&](ColumnId c) { nodes(shape, c, t)[shape.label(codes[t], c).place()] += times; });
      each_factor(shape, [&](FactorId k) {
        const FactorialPair& of = shape.pair(k);
        if (of.within() && t == 0) return;
        const LabelId left = shape.label(codes[of.within() ? t - 1 : t], of.left);
        table(shape, k, t)[shape.cell(k, left, shape.label(codes[t], of.right))] += times;
      });
    }
  }

  // Adds `times` times the posteriors of combinations at token t, [states], to the labels and the pairs between columns.
  template <class From>
  void add_states(const FactorialShape& shape, std::int32_t t, const From* posterior, double times) const noexcept {
    const ColumnId inner = shape.inner();
    const std::int32_t labels = shape.labels(inner), stride = shape.stride(inner);
    for (std::int64_t row = 0; row < shape.rows(); ++row, posterior += stride) {
      From sum = 0;
      Real* own = nodes(shape, inner, t);
      for (std::int32_t j = 0; j < labels; ++j) sum += posterior[j];
      for (std::int32_t j = 0; j < labels; ++j) own[j] += static_cast<Real>(times * posterior[j]);
      each_column(shape, [&](ColumnId c) {
        if (c != inner) nodes(shape, c, t)[shape.label_in_row(row, c).place()] += static_cast<Real>(times * sum);
      });
      for (FactorId k(shape.columns()); k.number() < shape.factors(); ++k) {
        const FactorialPair& of = shape.pair(k);
        Real* to = table(shape, k, t);
        if (of.right == inner) {
          to += shape.cell(k, shape.label_in_row(row, of.left), LabelId(0));
          for (std::int32_t j = 0; j < labels; ++j) to[j] += static_cast<Real>(times * posterior[j]);
        } else if (of.left == inner) {
          to += shape.label_in_row(row, of.right).number();
          for (std::int32_t j = 0; j < labels; ++j) to[std::int64_t{j} * shape.stride(of.right)] += static_cast<Real>(times * posterior[j]);
        } else {
          to[shape.cell(k, shape.label_in_row(row, of.left), shape.label_in_row(row, of.right))] += static_cast<Real>(times * sum);
        }
      }
    }
  }
};

}  // namespace riata
