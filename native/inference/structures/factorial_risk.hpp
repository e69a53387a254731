// The labels of least expected loss, if tokens have several.
#pragma once

#include <cmath>
#include <cstdint>
#include <limits>
#include <optional>
#include <vector>

#include "inference/exact/chunk_choice.hpp"
#include "inference/exact/likeliest_labels.hpp"
#include "inference/risk.hpp"
#include "inference/structures/factorial_chunks.hpp"
#include "inference/structures/factorial_inference.hpp"
#include "models/factorial_weights.hpp"

namespace riata {

// The loss is a sum over columns, so that the labels of each column are chosen by themselves. Chunks are labels of the last column; the
// other columns always count labels.
template <class Real>
class FactorialRisk {
 public:
  // Shape and coding, and what the flags of the risk view, must outlive the object.
  FactorialRisk(const FactorialShape& shape, const FactorialCoding& coding, const Risk& risk)
      : shape_(shape), risk_(risk), last_(shape.columns() - 1), inference_(shape, SumsBy::exact) {
    each_column(shape, [&](ColumnId c) { likeliest_.emplace_back(shape.labels(c), follow(coding, c).data()); });
    if (!risk.chunks) return;
    chunk_labels_.emplace(shape.labels(last_), risk.flags);
    chosen_.emplace(*chunk_labels_, follow(coding, last_).data());
    find_chunks_.emplace(shape, *chunk_labels_);
  }

  double sharpness() const noexcept { return risk_.sharpness; }

  // Writes the codes of a sentence; nothing if no output is allowed.
  std::optional<ExpectedRight> operator()(const FactorialScores<Real>& scores, std::int32_t* out) {
    if (!std::isfinite(inference_.open(scores))) return std::nullopt;
    add_up(scores.length);
    ExpectedRight expected;
    std::fill_n(out, scores.length, 0);
    each_column(shape_, [&](ColumnId c) {
      const auto probability = [&](std::int32_t t, std::int32_t j) { return marginals_[c.place()][std::size_t(t) * shape_.labels(c) + j]; };
      const auto possible = [&](std::int32_t t, std::int32_t j) { return scores.nodes(c, t)[j] != -std::numeric_limits<Real>::infinity(); };
      labels_.resize(static_cast<std::size_t>(scores.length));
      bool chosen = false;
      if (risk_.chunks && c == last_) {
        const double least = chosen_->threshold(scores.length, risk_.cost, FactorialChunks<Real>::least_chunk, possible);
        expected.all = (*find_chunks_)(inference_, scores.length, least, chunks_);
        chosen = (*chosen_)(scores.length, chunks_, risk_.cost, possible, labels_.data(), expected.right, expected.found);
      }
      if (!chosen) {
        const double right = likeliest_[c.place()](scores.length, probability, possible, labels_.data());
        if (!risk_.chunks) expected.right += right;
      }
      for (std::int32_t t = 0; t < scores.length; ++t) out[t] = out[t] * shape_.labels(c) + labels_[static_cast<std::size_t>(t)];
    });
    if (!risk_.chunks) expected.found = expected.all = double(scores.length) * shape_.columns();
    return expected;
  }

 private:
  // [label before][stride] 0 if a label may follow another, minus infinity if not.
  std::vector<double> follow(const FactorialCoding& coding, ColumnId c) const {
    const FactorialCoding::Column& column = coding.columns[c.place()];
    std::vector<double> out(std::size_t(column.labels) * shape_.stride(c), -std::numeric_limits<double>::infinity());
    for (std::int32_t i = 0; i < column.labels; ++i) {
      for (std::int32_t j = 0; j < column.labels; ++j) {
        if (column.follow[std::size_t(i) * column.labels + j]) out[std::size_t(i) * shape_.stride(c) + j] = 0;
      }
    }
    return out;
  }

  // The probabilities of the labels of each column.
  void add_up(std::int32_t length) {
    states_.resize(static_cast<std::size_t>(shape_.states()));
    marginals_.resize(static_cast<std::size_t>(shape_.columns()));
    each_column(shape_, [&](ColumnId c) { marginals_[c.place()].assign(std::size_t(length) * shape_.labels(c), 0); });
    for (std::int32_t t = 0; t < length; ++t) {
      inference_.posterior(t, states_.data());
      for (std::int32_t code = 0; code < shape_.combinations(); ++code) {
        const double p = states_[static_cast<std::size_t>(shape_.place(code))];
        each_column(shape_,
                    [&](ColumnId c) { marginals_[c.place()][std::size_t(t) * shape_.labels(c) + shape_.label(code, c).place()] += p; });
      }
    }
  }

  const FactorialShape& shape_;
  Risk risk_;
  ColumnId last_;
  FactorialInference<Real> inference_;
  std::vector<LikeliestLabels> likeliest_;  // [columns]
  std::optional<ChunkLabels> chunk_labels_;
  std::optional<ChunkChoice> chosen_;
  std::optional<FactorialChunks<Real>> find_chunks_;
  std::vector<ProbableChunk> chunks_;
  std::vector<double> states_;                  // [states] probabilities at a token
  std::vector<std::vector<double>> marginals_;  // [columns][length][labels]
  std::vector<std::int32_t> labels_;            // [length] of one column
};

}  // namespace riata
