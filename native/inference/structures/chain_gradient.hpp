// The gradient of one sentence after another, for first-order chains that are normalised over all labellings of a sentence.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "core/kernels.hpp"
#include "inference/exact/chain_sums.hpp"
#include "inference/sentence_gradient.hpp"
#include "inference/structures/chain_potentials.hpp"
#include "inference/structures/steps_of_sentence.hpp"
#include "inference/structures/token_gradient.hpp"

namespace riata {

// In a sentence with unknown labels, all labellings that agree with the known labels count as true.
template <class Real>
class ChainGradient final : public SentenceGradient<Real> {
 public:
  // The potentials must outlive the gradient.
  explicit ChainGradient(const ChainPotentials<Real>& of)
      : of_(of),
        stride_(of.layout_.stride),
        square_(of.square()),
        tokens_(of.tokens_.index(), of.layout_, of.instances_, of.constraint_, of.tokens_.possible()),
        steps_(of.contexts_.rows.size()),
        sums_(of.layout_.labels, of.limited()) {}

  std::int64_t sentences() const noexcept override { return of_.instances_.sentences(); }
  std::int64_t length(std::int64_t s) const noexcept override { return of_.instances_.length(s); }
  std::int32_t work() const noexcept override { return of_.layout_.labels; }
  const RowWeights& there() const noexcept override { return of_.there_; }

  double open(std::int64_t s, const Real* weights, double scale) override {
    enter(s);
    const Real factor = static_cast<Real>(scale);
    tokens_.score(s, weights, factor, node_.data());
    double truth = complete_ ? of_.tokens_.score_of_truth(s, node_.data()) : 0;
    if (!complete_) {
      known_node_ = node_;
      of_.tokens_.keep_known(s, known_node_.data());
    }
    score_steps(weights, factor, truth);
    const double log_z = all_.sum(*this, node_);
    if (!complete_) truth = known_.sum(*this, known_node_);
    return truth - log_z;
  }

  void move(double times, const RowMoves<Real>& to) override {
    if (complete_) {
      of_.tokens_.take_truth(s_, Real{1}, all_.posterior.data());
    } else {
      for (std::size_t k = 0; k < node_.size(); ++k) all_.posterior[k] -= known_.posterior[k];
      for (std::size_t k = 0; k < node_.size(); ++k) known_.into[k] *= -1;
    }
    tokens_.move(s_, all_.posterior.data(), times, to);
    expect_steps();
    for (std::size_t c = 0; c < steps_.used().size(); ++c) {
      for (const std::int64_t row : of_.contexts_.rows[static_cast<std::size_t>(steps_.used()[c])]) {
        for (std::int64_t i = 0; i < of_.layout_.labels; ++i) to.add(row + i * stride_, table(expected_, c) + i * stride_, times);
      }
    }
  }

 private:
  // Forward and backward sums of the open sentence: over all labellings, or over those that agree with the known labels.
  struct Sums {
    std::vector<Real> alpha, into, posterior;  // [length][stride]

    double sum(ChainGradient& of, std::vector<Real>& node) {
      for (auto* rows : {&alpha, &into, &posterior}) rows->resize(node.size());
      const auto edge = [&](std::int32_t t) {
        const auto c = static_cast<std::size_t>(of.steps_.number(t));
        return EdgeFactors<Real>{of.table(of.factors_, c), of.table(of.turned_, c), of.highest_[c]};
      };
      return of.sums_(static_cast<std::int32_t>(of.length_), node.data(), edge, alpha.data(), into.data(), posterior.data());
    }
  };

  void enter(std::int64_t s) {
    s_ = s;
    start_ = of_.instances_.starts[s];
    length_ = of_.instances_.length(s);
    complete_ = of_.known_row(s) < 0;
    node_.resize(static_cast<std::size_t>(length_ * stride_));
    steps_.open(std::span(of_.contexts_.of).subspan(static_cast<std::size_t>(start_), static_cast<std::size_t>(length_)));
  }
  const std::int32_t* gold() const noexcept { return of_.instances_.labels.data() + start_; }
  // The matrix of context number c in a table [contexts of the sentence][labels][stride].
  Real* table(std::vector<Real>& all, std::size_t c) const noexcept { return all.data() + c * static_cast<std::size_t>(square_); }
  // The place of the true pair of labels at tokens t - 1 and t in such a matrix.
  std::int64_t true_pair(std::int64_t t) const noexcept { return std::int64_t{gold()[t - 1]} * stride_ + gold()[t]; }

  // Computes the factors of label pairs for every context of the sentence. Adds the scores of the true pairs to `truth` if all labels are
  // known.
  void score_steps(const Real* weights, Real scale, double& truth) {
    const std::span<const std::int32_t> used = steps_.used();
    for (auto* all : {&factors_, &turned_, &expected_}) all->assign(static_cast<std::size_t>(square_) * used.size(), Real{0});
    highest_.assign(used.size(), 0);
    for (std::size_t c = 0; c < used.size(); ++c) {
      scores_.assign(static_cast<std::size_t>(square_), Real{0});
      for (const std::int64_t row : of_.contexts_.rows[static_cast<std::size_t>(used[c])]) {
        for (std::int64_t k = 0; k < square_; ++k) scores_[static_cast<std::size_t>(k)] += weights[row + k] * scale;
      }
      for (std::int64_t t = 1; complete_ && t < length_; ++t) {
        if (steps_.number(t) == static_cast<std::int64_t>(c)) truth += double(scores_[static_cast<std::size_t>(true_pair(t))]);
      }
      const std::vector<Real>& follow = of_.constraint_.follow;
      for (std::size_t k = 0; k < scores_.size(); ++k) scores_[k] += follow[k];
      highest_[c] = make_edge_factors(scores_.data(), of_.layout_.labels, table(factors_, c), table(turned_, c));
    }
  }

  // Computes, for every context of the sentence, the posteriors of label pairs minus the counts of the true pairs.
  void expect_steps() {
    for (std::int32_t t = 1; t < length_; ++t) {
      Real* expected = table(expected_, static_cast<std::size_t>(steps_.number(t)));
      of_.add_pairs(&t, 1, all_.alpha.data(), all_.into.data(), expected);
      if (!complete_) of_.add_pairs(&t, 1, known_.alpha.data(), known_.into.data(), expected);
    }
    for (std::size_t k = 0; k < expected_.size(); ++k) expected_[k] *= factors_[k];
    for (std::int64_t t = 1; complete_ && t < length_; ++t) table(expected_, static_cast<std::size_t>(steps_.number(t)))[true_pair(t)] -= 1;
  }

  const ChainPotentials<Real>& of_;
  std::int64_t stride_, square_;
  TokenGradient<Real> tokens_;
  StepsOfSentence steps_;
  ChainSums<Real> sums_;
  std::int64_t s_ = 0, start_ = 0, length_ = 0;  // the open sentence, its first token and its number of tokens
  bool complete_ = true;                         // whether all labels of the sentence are known
  // [length][stride] scores, later factors: of all labels, and of labels that agree with the known ones.
  std::vector<Real> node_, known_node_;
  Sums all_, known_;
  std::vector<Real> factors_, turned_, expected_;  // [contexts of the sentence][labels][stride]
  std::vector<double> highest_;                    // [contexts of the sentence] the highest score, which the factors do not contain
  std::vector<Real> scores_;                       // [labels][stride]
};

}  // namespace riata
