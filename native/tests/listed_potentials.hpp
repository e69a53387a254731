// The potentials of a structure given by enumeration: every output of a sentence has its own features, and the first output is the truth.
#pragma once

#include <cmath>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "inference/potentials.hpp"

namespace riata {

class ListedPotentials final : public Potentials {
 public:
  using Output = std::vector<double>;  // [size] features
  ListedPotentials(std::int64_t size, std::vector<std::vector<Output>> outputs) : size_(size), outputs_(std::move(outputs)) {
    batches_ = cut_batches(sentences(), 2, [](std::int64_t) { return 1; });
    difference_.assign(outputs_.size(), Output(static_cast<std::size_t>(size)));
  }

  std::int64_t size() const noexcept override { return size_; }
  std::int64_t sentences() const noexcept override { return static_cast<std::int64_t>(outputs_.size()); }
  std::span<const SentenceRange> batches() const noexcept override { return batches_; }
  void count_truth(std::span<const double>) override {}
  double begin(std::span<const double> at, std::int64_t) override {
    at_.assign(at.begin(), at.end());
    return 0;
  }
  void start(std::size_t batch) override { batch_ = batches_[batch]; }
  std::unique_ptr<Visitor> visitor() override { return std::make_unique<Lister>(*this); }
  void gather(std::span<double> gradient, std::int64_t) override {
    for (std::int64_t s = batch_.first; s < batch_.end; ++s) {
      for (std::size_t i = 0; i < gradient.size(); ++i) gradient[i] += difference_[static_cast<std::size_t>(s)][i];
    }
  }
  void finish(std::span<double>, std::int64_t) override {}
  double shared_score(std::int64_t) const override { return 0; }
  void take_truth(std::int64_t, double) override {}

 private:
  struct Lister final : Visitor {
    explicit Lister(ListedPotentials& potentials) : of(potentials) {}
    std::optional<double> open(std::int64_t sentence) override {
      s = static_cast<std::size_t>(sentence);
      probabilities.clear();
      double sum = 0;
      for (const Output& output : of.outputs_[s]) {
        double score = 0;
        for (std::size_t i = 0; i < output.size(); ++i) score += output[i] * of.at_[i];
        probabilities.push_back(std::exp(score));
        sum += probabilities.back();
      }
      for (double& p : probabilities) p /= sum;
      return std::log(probabilities[0]);
    }
    void take(double times) override {
      Output& out = of.difference_[s];
      for (std::size_t i = 0; i < out.size(); ++i) {
        out[i] = -of.outputs_[s][0][i];
        for (std::size_t y = 0; y < probabilities.size(); ++y) out[i] += probabilities[y] * of.outputs_[s][y][i];
        out[i] *= times;
      }
    }
    double open_in_logarithms(std::int64_t sentence) override { return *open(sentence); }
    void take_in_logarithms(double times) override { take(times); }

    ListedPotentials& of;
    std::size_t s = 0;
    std::vector<double> probabilities;
  };

  std::int64_t size_;
  std::vector<std::vector<Output>> outputs_;
  std::vector<SentenceRange> batches_;
  SentenceRange batch_{0, 0};
  std::vector<double> at_;
  std::vector<Output> difference_;
};

}  // namespace riata
