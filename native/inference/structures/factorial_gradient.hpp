// log P of the truth of one sentence after another, and posteriors minus the truth, for several labels per token.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

#include "inference/corpus.hpp"
#include "inference/structures/factorial_inference.hpp"
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

// The answers that SentencePotentials asks for.
template <class Real>
class FactorialGradient {
 public:
  // The scorer comes with what it reads, which must outlive the object. gold: [N] codes. unsettled: counts sentences whose approximate sums
  // do not converge.
  FactorialGradient(FactorialScorer<Real> scorer, const Instances& instances, Codes gold, SumsBy how, std::atomic<std::int64_t>& unsettled)
      : scorer_(std::move(scorer)), instances_(instances), gold_(gold), how_(how), unsettled_(unsettled) {}

  using Kept = OwnedTables<Real>;

  static constexpr bool shared = true;
  std::int32_t work() const noexcept { return static_cast<std::int32_t>(scorer_.shape().combinations()); }

  double open(std::int64_t s, const Real* weights, Real scale) {
    if (!inference_) inference_ = std::make_unique<FactorialInference<Real>>(scorer_.shape(), how_);
    truth_ = gold_.data() + instances_.starts[static_cast<std::size_t>(s)];
    scorer_(s, weights, scale, scores_);
    const double log_z = inference_->open(scores_);
    if (!inference_->converged()) ++unsettled_;
    return scores_.of(truth_) - log_z;
  }
  void keep(Kept& out) {
    const FactorialTables<Real>& tables = out.open(scores_);
    inference_->add(tables, 1);
    tables.add(scorer_.shape(), truth_, scores_.length, Real{-1});
  }
  template <class To>
  void add(std::int64_t s, const Kept& kept, double times, const To& to) const {
    for (std::int32_t t = 0; t < instances_.length(s); ++t) {
      scorer_.each_part(s, t, kept.tables(),
                        [&](std::int64_t row, const Real* numbers, std::int64_t count) { to.add_from(row, numbers, count, times); });
    }
  }

 private:
  FactorialScorer<Real> scorer_;
  const Instances& instances_;
  Codes gold_;
  SumsBy how_;
  std::atomic<std::int64_t>& unsettled_;
  std::unique_ptr<FactorialInference<Real>> inference_;  // of the scorer's shape, which has its place once a sentence is opened
  FactorialScores<Real> scores_;
  const std::int32_t* truth_ = nullptr;  // of the open sentence
};

}  // namespace riata
