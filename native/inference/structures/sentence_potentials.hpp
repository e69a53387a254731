// Potentials of structures that answer about one sentence at a time: log P of its truth, and posteriors minus the truth by feature.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "core/numbers.hpp"
#include "core/tasks.hpp"
#include "inference/sentence_gradient.hpp"
#include "inference/structures/batched_potentials.hpp"

namespace riata {

// Adds numbers to a gradient, by the places of weights, as RowMoves adds them to weights; those of some places alone.
class GradientRows {
 public:
  GradientRows(const RowWeights& there, std::span<double> gradient, std::int64_t first, std::int64_t end)
      : there_(there), gradient_(gradient), first_(first), end_(end) {}

  template <class Real>
  void add(std::int64_t row, const Real* values, double times) const {
    if (row >= first_ && row < end_) there_.add(row, values, times, gradient_);
  }
  template <class Real>
  void add_from(std::int64_t place, const Real* values, std::int64_t count, double times) const {
    const std::int64_t from = std::max(place, first_), to = std::min(place + count, end_);
    if (from >= to) return;
    there_.each_from(from, to - from, [&](std::int32_t i, std::int64_t at) {
      gradient_[static_cast<std::size_t>(i)] += times * double(values[at - place]);
    });
  }

 private:
  const RowWeights& there_;
  std::span<double> gradient_;
  std::int64_t first_, end_;
};

// A point has the weights that exist, in the order of their places in the vector of a model. Answers, of which every thread has its own:
// - open(s, weights, scale): log P of the truth of a sentence that has a token; not finite if it cannot be computed;
// - Kept, and keep(kept): the posteriors of the open sentence minus its truth, by part;
// - add(s, kept, times, to): `times` times the same by feature, to RowMoves or GradientRows;
// - shared: whether several threads may call `add` at once, since it is cheap to find which weights a sentence has;
// - work(): how many labels a token is compared with, as a measure of what a sentence costs.
template <class Real, class Answers>
class SentencePotentials : public BatchedPotentials {
 public:
  using Kept = typename Answers::Kept;

  std::int64_t size() const noexcept override { return there_->size(); }
  void count_truth(std::span<const double>) override {}
  double begin(std::span<const double> at, std::int64_t) override {
    weights_.resize(static_cast<std::size_t>(there_->room()), Real{0});
    there_->each([&](std::int32_t i, std::int64_t place) {
      weights_[static_cast<std::size_t>(place)] = static_cast<Real>(at[static_cast<std::size_t>(i)]);
    });
    return 0;
  }
  std::unique_ptr<Visitor> visitor() override { return std::make_unique<Visiting>(*this, answers(false)); }
  void gather(std::span<double> gradient, std::int64_t threads) override {
    if (!gathering_) gathering_.emplace(answers(false));
    in_parts(there_->room(), Answers::shared ? threads : 1, [&](std::int64_t first, std::int64_t end) {
      const GradientRows rows(*there_, gradient, first, end);
      for (std::int64_t s = batch().first; s < batch().end; ++s) {
        const Sentence& of = sentence(s);
        if (of.times != 0) gathering_->add(s, of.kept, of.times, rows);
      }
    });
  }
  void finish(std::span<double>, std::int64_t) override {}
  double shared_score(std::int64_t) const override { return 0; }
  void take_truth(std::int64_t, double) override {}

  // The gradient of one sentence after another, under weights that change in between. The potentials must outlive the gradient.
  std::unique_ptr<SentenceGradient<Real>> gradient() { return std::make_unique<Gradient>(*this, answers(true)); }

  const RowWeights& there() const noexcept { return *there_; }

 protected:
  SentencePotentials(const Instances& instances, std::vector<SentenceRange> batches, Codes gold)
      : BatchedPotentials(instances, std::move(batches)), gold_(gold.begin(), gold.end()) {
    std::int64_t most = 0;
    for (const SentenceRange& range : batches_) most = std::max(most, range.end - range.first);
    sentences_.resize(static_cast<std::size_t>(most));
  }

  // alone: for learning from one sentence after another, whose steps may be rough.
  virtual Answers answers(bool alone) = 0;

  // Says which places of the vector of a model have a weight; `stride` as in RowWeights.
  void exist(std::int64_t stride, const std::vector<bool>& places) { there_ = std::make_unique<RowWeights>(stride, places); }
  Codes gold(std::int64_t s) const noexcept {
    return Codes(gold_).subspan(static_cast<std::size_t>(instances_.starts[static_cast<std::size_t>(s)]),
                                static_cast<std::size_t>(instances_.length(s)));
  }
  // The weights of a model at a point, in any precision; and the point of such weights, which may be too few: others are 0.
  template <class Out>
  Numbers<Out> flat(std::span<const double> at) const {
    Numbers<Out> out(static_cast<std::size_t>(there_->room()), Out{0});
    there_->each([&](std::int32_t i, std::int64_t place) {
      out[static_cast<std::size_t>(place)] = static_cast<Out>(at[static_cast<std::size_t>(i)]);
    });
    return out;
  }
  std::vector<double> point_of(const Numbers<Real>& weights) const {
    std::vector<double> at(static_cast<std::size_t>(size()), 0);
    there_->each([&](std::int32_t i, std::int64_t place) {
      if (static_cast<std::size_t>(place) < weights.size())
        at[static_cast<std::size_t>(i)] = double(weights[static_cast<std::size_t>(place)]);
    });
    return at;
  }

  std::vector<std::int32_t> gold_;

 private:
  // What a visit leaves for `gather`.
  struct Sentence {
    double times = 0;
    Kept kept;
  };
  Sentence& sentence(std::int64_t s) noexcept { return sentences_[static_cast<std::size_t>(s - batch().first)]; }

  class Visiting final : public Visitor {
   public:
    Visiting(SentencePotentials& of, Answers answers) : of_(of), answers_(std::move(answers)) {}

    std::optional<double> open(std::int64_t s) override {
      s_ = s;
      return of_.instances_.length(s) == 0 ? 0 : answers_.open(s, of_.weights_.data(), 1);
    }
    void take(double times) override {
      Sentence& to = of_.sentence(s_);
      to.times = of_.instances_.length(s_) == 0 ? 0 : times;
      if (to.times != 0) answers_.keep(to.kept);
    }
    // Answers turn to logarithms by themselves.
    double open_in_logarithms(std::int64_t s) override { return *open(s); }
    void take_in_logarithms(double times) override { take(times); }

   private:
    SentencePotentials& of_;
    Answers answers_;
    std::int64_t s_ = 0;
  };

  class Gradient final : public SentenceGradient<Real> {
   public:
    Gradient(const SentencePotentials& of, Answers answers) : of_(of), answers_(std::move(answers)) {}

    std::int64_t sentences() const noexcept override { return of_.instances_.sentences(); }
    std::int64_t length(std::int64_t s) const noexcept override { return of_.instances_.length(s); }
    std::int32_t work() const noexcept override { return answers_.work(); }
    const RowWeights& there() const noexcept override { return *of_.there_; }
    double open(std::int64_t s, const Real* weights, double scale) override {
      s_ = s;
      return answers_.open(s, weights, static_cast<Real>(scale));
    }
    void move(double times, const RowMoves<Real>& to) override {
      answers_.keep(kept_);
      answers_.add(s_, kept_, times, to);
    }

   private:
    const SentencePotentials& of_;
    Answers answers_;
    Kept kept_;
    std::int64_t s_ = 0;
  };

  std::unique_ptr<RowWeights> there_;
  Numbers<Real> weights_;            // those of the present point, at their places
  std::vector<Sentence> sentences_;  // of a batch
  std::optional<Answers> gathering_;
};

}  // namespace riata
