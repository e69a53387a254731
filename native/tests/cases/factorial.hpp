// Several labels per token, all combinations listed.
#pragma once

#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

#include "inference/exact/factorial_shape.hpp"
#include "inference/structures/factorial_model.hpp"
#include "inference/structures/factorial_scorer.hpp"
#include "tests/enumerated.hpp"

namespace riata::test {

// Codes of `length` tokens whose labels may start, follow each other and end, in every column.
inline std::vector<Output> legal_combinations(const FactorialCoding& coding, const FactorialShape& shape, std::int32_t length) {
  std::vector<Output> found{{}};
  for (std::int32_t t = 0; t < length; ++t) {
    std::vector<Output> longer;
    for (const Output& before : found) {
      for (std::int32_t code = 0; code < shape.combinations(); ++code) {
        bool ok = true;
        each_column(shape, [&](ColumnId c) {
          const FactorialCoding::Column& column = coding.columns[c.place()];
          const std::size_t label = shape.label(code, c).place();
          if (t == 0) ok = ok && column.start[label];
          if (t > 0) ok = ok && column.follow[shape.label(before.back(), c).place() * static_cast<std::size_t>(column.labels) + label];
          if (t + 1 == length) ok = ok && column.end[label];
        });
        if (!ok) continue;
        longer.push_back(before);
        longer.back().push_back(code);
      }
    }
    found = std::move(longer);
  }
  return found;
}

// A column of BIO labels: B, I and O in this order.
inline FactorialCoding::Column bio() { return {3, {1, 0, 1}, {1, 1, 1}, {1, 1, 1, 1, 1, 1, 1, 0, 1}}; }

// Sentences of at most `longest` tokens with these columns. per_token: factors of two labels read words, too.
inline Case enumerated_factorial(Rng& rng, FactorialCoding coding, bool per_token, std::int64_t longest) {
  auto out =
      std::make_unique<Enumerated>("factorial", FeatureIndex({{-1, 0, 0}, {0, 0, 1}}, {}, 1, false, {}, {}, 0, {{0, 0}, {0, -1}, {1, -1}}));
  const auto columns = static_cast<std::int32_t>(coding.columns.size());
  std::vector<FactorialSlot> slots{{0, -1, 1, -1}};
  for (std::int32_t c = 0; c < columns; ++c) {
    slots.push_back({c, -1, 0, 0});
    slots.push_back({c, c, -1, 0});
    if (c > 0) slots.push_back({c, c - 1, -1, 0});
    if (per_token && c > 0) slots.push_back({c, c - 1, 0, 0});
    if (per_token) slots.push_back({c, c, 0, -1});
  }
  const FactorialTemplates templates(out->index, columns, slots);
  const RandomSentences drawn(rng, 4, [](const auto&) { return 0; });
  RandomSentences kept = drawn;  // fewer tokens, since all outputs are listed
  kept.values.clear();
  kept.gold.clear();
  kept.starts = {0};
  for (std::size_t s = 0; s + 1 < drawn.starts.size(); ++s) {
    for (std::int64_t n = drawn.starts[s]; n < std::min(drawn.starts[s + 1], drawn.starts[s] + longest); ++n) {
      kept.values.push_back(drawn.values[static_cast<std::size_t>(n)]);
      kept.gold.push_back(0);
    }
    kept.starts.push_back(static_cast<std::int64_t>(kept.values.size()));
  }
  out->instances = kept.entered(out->index);
  const FactorialShape shape = shape_of(templates, coding);
  out->outputs = [coding, shape](std::int32_t length) { return legal_combinations(coding, shape, length); };
  for (std::int64_t s = 0; s < out->instances.sentences(); ++s) {
    const std::vector<Output> every = out->outputs(static_cast<std::int32_t>(out->instances.length(s)));
    const Output& one = every[rng.below(every.size())];
    out->gold.insert(out->gold.end(), one.begin(), one.end());
  }
  out->instances.labels = out->gold;
  out->model = std::make_unique<FactorialModel<double>>(templates, FactorialWeights<double>{coding, {}});
  out->loss = [shape](Codes gold, Codes output) {
    double wrong = 0;
    for (std::size_t t = 0; t < gold.size(); ++t)
      each_column(shape, [&](ColumnId c) { wrong += shape.label(gold[t], c) != shape.label(output[t], c); });
    return wrong;
  };
  list_outputs(*out, rng);
  return out;
}

inline FactorialCoding two_columns() { return {{FactorialCoding::Column::free(2), bio()}}; }
inline FactorialCoding wide_first() { return {{FactorialCoding::Column::free(4), FactorialCoding::Column::free(2)}}; }
inline FactorialCoding three_columns() { return {{bio(), FactorialCoding::Column::free(2), FactorialCoding::Column::free(2)}}; }

}  // namespace riata::test
