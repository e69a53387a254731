// The chunks that the labels of the last of several columns may stand for, with their probabilities over all outputs.
#pragma once

#include <algorithm>
#include <cstdint>
#include <tuple>
#include <vector>

#include "inference/exact/chunk_choice.hpp"
#include "inference/structures/factorial_inference.hpp"

namespace riata {

// Chunks that start at one token are carried together, token by token: their types keep them apart.
template <class Real>
class FactorialChunks {
 public:
  // Less probable chunks are never looked for. It is more than in chains, since every first token of a chunk that is carried on takes a
  // step over all combinations.
  static constexpr double least_chunk = 1e-4;

  FactorialChunks(const FactorialShape& shape, const ChunkLabels& chunks) : shape_(shape), chunks_(chunks), column_(shape.columns() - 1) {
    label_.assign(static_cast<std::size_t>(shape.states()), -1);
    for (std::int32_t code = 0; code < shape.combinations(); ++code)
      label_[static_cast<std::size_t>(shape.place(code))] = shape.label(code, column_).number();
    for (std::vector<double>* one : {&here_, &before_, &shares_, &gone_on_}) one->assign(label_.size(), 0);
    const std::int32_t labels = chunks.labels;
    continues_.assign(std::size_t(labels) * labels, 0);
    for (std::int32_t i = 0; i < labels; ++i) {
      for (const std::int32_t j : chunks.next[static_cast<std::size_t>(i)]) continues_[std::size_t(i) * labels + j] = 1;
    }
  }

  // As FirstOrderChunks.
  double operator()(FactorialInference<Real>& inference, std::int32_t length, double least, std::vector<ProbableChunk>& out) {
    double expected = 0;
    least_ = least;
    out.clear();
    open_.clear();
    for (std::int32_t t = 0; t < length; ++t) {
      here_.swap(before_);
      for (Open& one : open_) go_on(inference, t, one, out);
      std::erase_if(open_, [&](const Open& one) { return *std::ranges::max_element(one.mass) < least; });
      inference.posterior(t, here_.data());
      expected += start(inference, t);
    }
    for (const Open& one : open_) close(one, length, std::vector<double>(one.mass.size(), 0), out);
    std::ranges::sort(out, {}, [](const ProbableChunk& one) { return std::tuple(one.first, one.type, one.end); });
    return expected;
  }

 private:
  struct Open {
    std::int32_t first = 0;
    std::vector<double> passed;  // [states] the probability that a chunk from this token goes on up to the present one
    std::vector<double> mass;    // [types] its sums
  };

  auto goes() const {
    return
        [this](ColumnId c, std::int32_t i, std::int32_t j) { return c != column_ || continues_[std::size_t(i) * chunks_.labels + j] != 0; };
  }

  // Sums by type. Types that are hardly probable are dropped: their chunks end.
  std::vector<double> sums(std::vector<double>& passed) const {
    std::vector<double> mass(static_cast<std::size_t>(chunks_.labels), 0);
    const auto type = [&](std::size_t x) { return label_[x] < 0 ? -1 : chunks_.type(label_[x]); };
    for (std::size_t x = 0; x < passed.size(); ++x) {
      if (type(x) >= 0) mass[static_cast<std::size_t>(type(x))] += passed[x];
    }
    for (std::size_t x = 0; x < passed.size(); ++x) {
      if (type(x) < 0 || mass[static_cast<std::size_t>(type(x))] < least_) passed[x] = 0;
    }
    return mass;
  }

  // The chunks of one first token that end before token `end`: what does not go on.
  void close(const Open& one, std::int32_t end, const std::vector<double>& through, std::vector<ProbableChunk>& out) const {
    for (std::size_t type = 0; type < one.mass.size(); ++type) {
      if (one.mass[type] >= least_)
        out.push_back({one.first, end, static_cast<std::int32_t>(type), std::clamp(one.mass[type] - through[type], 0.0, 1.0)});
    }
  }

  void go_on(FactorialInference<Real>& inference, std::int32_t t, Open& one, std::vector<ProbableChunk>& out) {
    for (std::size_t x = 0; x < shares_.size(); ++x) shares_[x] = before_[x] > 0 ? one.passed[x] / before_[x] : 0;
    inference.carry(t, shares_, goes(), one.passed);
    const std::vector<double> through = sums(one.passed);
    close(one, t, through, out);
    one.mass = through;
  }

  // Opens the chunks that start at token t: labels that do not go on with a chunk. Returns how many are expected.
  double start(FactorialInference<Real>& inference, std::int32_t t) {
    Open one{t, here_, {}};
    if (t > 0) {
      std::fill(shares_.begin(), shares_.end(), 1.0);
      inference.carry(t, shares_, goes(), gone_on_);
      for (std::size_t x = 0; x < gone_on_.size(); ++x) one.passed[x] = std::max(0.0, one.passed[x] - gone_on_[x]);
    }
    one.mass = sums(one.passed);
    double expected = 0;
    for (const double mass : one.mass) expected += mass;
    if (*std::ranges::max_element(one.mass) >= least_) open_.push_back(std::move(one));
    return expected;
  }

  const FactorialShape& shape_;
  const ChunkLabels& chunks_;
  ColumnId column_;
  double least_ = 0;                      // the least probability of chunks that are looked for
  std::vector<std::int32_t> label_;       // [states] the label of the column; -1: padding
  std::vector<std::uint8_t> continues_;   // [labels][labels]
  std::vector<Open> open_;                // first tokens of chunks that go on
  std::vector<double> here_, before_;     // [states] probabilities at the present token and at the one before
  std::vector<double> shares_, gone_on_;  // [states]
};

}  // namespace riata
