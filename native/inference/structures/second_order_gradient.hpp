// The gradient of one sentence after another, for chains that read two labels back.
#pragma once

#include <algorithm>
#include <cstdint>
#include <span>
#include <vector>

#include "core/kernels.hpp"
#include "inference/exact/second_order_sums.hpp"
#include "inference/sentence_gradient.hpp"
#include "inference/structures/second_order_potentials.hpp"
#include "inference/structures/steps_of_sentence.hpp"
#include "inference/structures/token_gradient.hpp"

namespace riata {

// If some labels of a sentence are unknown, every labelling that agrees with the known labels counts as true. Contexts contain all matrices
// of label pairs that a step reads, and identify rows by their place in the vector of weights.
template <class Real>
class SecondOrderGradient final : public SentenceGradient<Real> {
 public:
  // The potentials must outlive the gradient.
  explicit SecondOrderGradient(const SecondOrderPotentials<Real>& of)
      : of_(of),
        stride_(of.layout_.stride),
        square_(of.square()),
        tokens_(of.tokens_.index(), of.layout_, of.instances_, of.constraint_, of.tokens_.possible()),
        steps_(of.tokens_.index(), of.layout_, of.history_, of.instances_, of.constraint_, of.there_),
        here_(static_cast<std::size_t>(steps_.contexts())),
        sums_(of.layout_.labels) {}

  std::int64_t sentences() const noexcept override { return of_.instances_.sentences(); }
  std::int64_t length(std::int64_t s) const noexcept override { return of_.instances_.length(s); }
  std::int32_t work() const noexcept override { return of_.layout_.labels * of_.layout_.labels; }
  const RowWeights& there() const noexcept override { return of_.there_; }

  double open(std::int64_t s, const Real* weights, double scale) override {
    enter(s);
    score(weights, static_cast<Real>(scale));
    double truth = 0;
    if (of_.complete(s)) {
      truth = of_.tokens_.score_of_truth(s, node_.data());
      each_true_step([&](std::int64_t t, LabelId h, LabelId i, LabelId j) {
        steps_.each(steps_.context(start_ + t), h, i, j, [&](std::int64_t place) { truth += double(weights[place]) * scale; });
      });
    } else {
      known_node_ = node_;
      of_.tokens_.keep_known(s, known_node_.data());
    }
    const double log_z = all_.sum(*this, node_);
    if (!of_.complete(s)) truth = known_.sum(*this, known_node_);
    return truth - log_z;
  }

  void move(double times, const RowMoves<Real>& to) override {
    if (of_.complete(s_)) {
      of_.tokens_.take_truth(s_, Real{1}, all_.posterior.data());
    } else {
      for (std::size_t k = 0; k < node_.size(); ++k) all_.posterior[k] -= known_.posterior[k];
      for (Real& number : known_.into) number *= -1;
    }
    tokens_.move(s_, all_.posterior.data(), times, to);
    steps_.each_first(s_, [&](std::int64_t row) { to.add(row, all_.posterior.data(), times); });
    expect_steps();
    for (std::size_t c = 0; c < here_.used().size(); ++c)
      steps_.hand_on(here_.used()[c], cube(expected_, c), [&](std::int64_t row, const Real* values) { to.add(row, values, times); });
  }

 private:
  // Sums over all labellings of the open sentence, or over those that agree with the known labels.
  struct Sums {
    std::vector<Real> from, into;  // [length][labels][stride] as SecondOrderSums writes them
    std::vector<Real> posterior;   // [length][stride]

    double sum(SecondOrderGradient& of, std::vector<Real>& node) {
      for (auto* pairs : {&from, &into}) pairs->resize(static_cast<std::size_t>(of.length_ * of.square_));
      posterior.resize(node.size());
      const auto step = [&](std::int32_t t) {
        const auto c = static_cast<std::size_t>(of.here_.number(t));
        return TripleFactors<Real>{of.cube(of.factors_, c), of.highest_[c]};
      };
      const auto own = [&](std::int32_t t) { return PairFactors<Real>{node.data() + t * of.stride_, 0, 0}; };
      const auto ignored = [](std::int32_t, const Real*, Real) {};
      return of.sums_(static_cast<std::int32_t>(of.length_), node.data(), step, own, from.data(), into.data(), posterior.data(), ignored);
    }
  };

  void enter(std::int64_t s) {
    s_ = s;
    start_ = of_.instances_.starts[s];
    length_ = of_.instances_.length(s);
    node_.resize(static_cast<std::size_t>(length_ * stride_));
    here_.open(steps_.contexts_of(start_, length_));
    at_.resize(here_.used().size());
    for (std::vector<std::int32_t>& tokens : at_) tokens.clear();
    for (std::int32_t t = 1; t < length_; ++t) at_[static_cast<std::size_t>(here_.number(t))].push_back(t);
  }
  // The cube of context number c in a table [contexts of the sentence][labels][labels][stride].
  Real* cube(std::vector<Real>& all, std::size_t c) const noexcept { return all.data() + c * static_cast<std::size_t>(of_.cube_size()); }

  // Calls visit(t, h, i, j) for every token t > 0, where h, i and j are the true labels of tokens t - 2 to t; at token 1, h is 0.
  template <class Visit>
  void each_true_step(Visit visit) const {
    const std::int32_t* gold = of_.instances_.labels.data() + start_;
    for (std::int64_t t = 1; t < length_; ++t) visit(t, LabelId(t == 1 ? 0 : gold[t - 2]), LabelId(gold[t - 1]), LabelId(gold[t]));
  }

  // Computes the score of every label at every token, and the factors of label triples in every context of the sentence.
  void score(const Real* weights, Real scale) {
    tokens_.score(s_, weights, scale, node_.data());
    steps_.each_first(s_, [&](std::int64_t row) {
      for (std::int64_t j = 0; j < stride_; ++j) node_[static_cast<std::size_t>(j)] += weights[row + j] * scale;
    });
    const std::span<const std::int32_t> used = here_.used();
    for (auto* all : {&factors_, &expected_}) all->resize(static_cast<std::size_t>(of_.cube_size()) * used.size());
    highest_.resize(used.size());
    for (std::size_t c = 0; c < used.size(); ++c) {
      Real* scores = cube(factors_, c);
      steps_.score(used[c], weights, scores);
      const std::int64_t rows = steps_.rows(used[c]);
      for (std::int64_t k = 0; k < rows * stride_; ++k) scores[k] *= scale;
      highest_[c] = make_factors(scores, rows, of_.layout_.stride, rows_);
    }
  }

  // Computes the posteriors of label triples minus the truth, added up over the steps of every context of the sentence.
  void expect_steps() {
    const std::int32_t labels = of_.layout_.labels, stride = of_.layout_.stride;
    for (std::size_t c = 0; c < here_.used().size(); ++c) {
      const std::int32_t context = here_.used()[c], tall = steps_.height(context);
      const std::int64_t size = steps_.rows(context) * stride_;
      Real* expected = cube(expected_, c);
      const Real* factors = cube(factors_, c);
      std::fill_n(expected, size, Real{0});
      for (const Sums* one : {&all_, &known_}) {
        if (one == &known_ && of_.complete(s_)) continue;
        const auto count = static_cast<std::int64_t>(at_[c].size());
        add_triples(at_[c].data(), count, one->from.data(), one->into.data(), labels, tall, stride, 0, labels, expected);
      }
      for (std::int64_t k = 0; k < size; ++k) expected[k] *= factors[k];
    }
    if (!of_.complete(s_)) return;
    each_true_step([&](std::int64_t t, LabelId h, LabelId i, LabelId j) {
      const std::int64_t tall = steps_.height(steps_.context(start_ + t));
      cube(expected_, static_cast<std::size_t>(here_.number(t)))[(i.number() * tall + h.number()) * stride_ + j.number()] -= 1;
    });
  }

  const SecondOrderPotentials<Real>& of_;
  std::int64_t stride_, square_;
  TokenGradient<Real> tokens_;
  SecondOrderSteps<Real> steps_;
  StepsOfSentence here_;
  SecondOrderSums<Real> sums_;
  std::int64_t s_ = 0, start_ = 0, length_ = 0;  // the open sentence, its first token and its number of tokens
  std::vector<std::vector<std::int32_t>> at_;    // [contexts of the sentence] the tokens whose steps have the context
  // [length][stride] scores, later factors: of all labels, and of labels that agree with the known ones.
  std::vector<Real> node_, known_node_;
  Sums all_, known_;
  std::vector<Real> factors_, expected_;  // [contexts of the sentence][labels][labels][stride]
  std::vector<double> highest_;           // [contexts of the sentence] the highest score, which the factors do not contain
  std::vector<Real> rows_;                // working memory
};

}  // namespace riata
