// The gradient of one sentence after another, for several labels per token.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <span>
#include <vector>

#include "inference/sentence_gradient.hpp"
#include "inference/structures/factorial_inference.hpp"
#include "inference/structures/factorial_rows.hpp"
#include "inference/structures/factorial_scorer.hpp"

namespace riata {

// Tables that own their memory, for the posteriors of one sentence.
template <class Real>
class OwnedTables {
 public:
  // Tables of zeros with the layout of these scores.
  const FactorialTables<Real>& open(const FactorialScores<Real>& like) {
    tables_ = {{}, {}, like.per_token};
    node_.resize(like.node.size());
    pair_.resize(like.pair.size());
    for (std::size_t c = 0; c < node_.size(); ++c) {
      node_[c].assign(like.node[c].size(), Real{0});
      tables_.node.push_back(node_[c].data());
    }
    for (std::size_t k = 0; k < pair_.size(); ++k) {
      pair_[k].assign(like.pair[k].size(), Real{0});
      tables_.pair.push_back(pair_[k].data());
    }
    return tables_;
  }
  const FactorialTables<Real>& tables() const noexcept { return tables_; }

 private:
  std::vector<Numbers<Real>> node_, pair_;
  FactorialTables<Real> tables_;
};

template <class Real>
class FactorialGradient final : public SentenceGradient<Real> {
 public:
  // All parameters must outlive the gradient.
  FactorialGradient(const FactorialRows<Real>& rows, const FactorialCoding& coding, const Instances& instances,
                    std::span<const std::int32_t> gold, SumsBy how)
      : rows_(rows),
        instances_(instances),
        gold_(gold),
        scorer_(rows.templates(), coding, rows.layout(), instances),
        inference_(scorer_.shape(), how) {}

  std::int64_t sentences() const noexcept override { return instances_.sentences(); }
  std::int64_t length(std::int64_t s) const noexcept override { return instances_.length(s); }
  std::int32_t work() const noexcept override { return static_cast<std::int32_t>(scorer_.shape().combinations()); }
  const RowWeights& there() const noexcept override { return rows_.weights(); }

  double open(std::int64_t s, const Real* weights, double scale) override {
    s_ = s;
    scorer_(s, weights, static_cast<Real>(scale), scores_);
    return scores_.of(gold()) - inference_.open(scores_);
  }

  void move(double times, const RowMoves<Real>& to) override {
    const FactorialTables<Real>& tables = found_.open(scores_);
    inference_.add(tables, 1);
    tables.add(scorer_.shape(), gold(), scores_.length, Real{-1});
    for (std::int32_t t = 0; t < scores_.length; ++t) {
      scorer_.each_part(s_, t, tables, [&](std::int64_t row, const Real* numbers, std::int64_t count) {
        for (std::int64_t x = 0; x < count; x += row_multiple) to.add(row + x, numbers + x, times);
      });
    }
  }

 private:
  const std::int32_t* gold() const noexcept { return gold_.data() + instances_.starts[s_]; }

  const FactorialRows<Real>& rows_;
  const Instances& instances_;
  std::span<const std::int32_t> gold_;
  FactorialScorer<Real> scorer_;
  FactorialInference<Real> inference_;
  FactorialScores<Real> scores_;
  OwnedTables<Real> found_;
  std::int64_t s_ = 0;
};

}  // namespace riata
