// A structure given by enumeration: every sentence has a list of outputs, with their features and losses. Every question is answered by
// looking at all outputs. Learners are tested on it, and every other structure is compared with it.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <memory>
#include <numeric>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "core/error.hpp"
#include "inference/model.hpp"

namespace riata {

struct ListedOutput {
  std::vector<std::int32_t> codes;
  Difference features;  // every place occurs once
  double loss = 0;
};
using Listing = std::vector<std::vector<ListedOutput>>;  // [sentences][outputs]

template <class Real>
class ListedStructure : public Structure<Real> {
 public:
  ListedStructure(const Listing& listing, const Corpus& over, Vector<Real>& weights, double* closest = nullptr)
      : Structure<Real>(over), listing_(listing), weights_(weights), closest_(closest) {}

  void open(std::int64_t s) override {
    sentence_ = s;
    times_ = 0;
  }

  // If the truth is not in the list: the output with the best score among those of least loss.
  Codes target() override {
    const Codes truth = corpus().gold_of(sentence_);
    if (find(truth) != nullptr) return truth;
    return best_where([&](const ListedOutput& output) { return is_least(output); })->codes;
  }
  bool rival(double margin, std::span<std::int32_t> away) override {
    if (find(corpus().gold_of(sentence_)) != nullptr) return Structure<Real>::rival(margin, away);
    const ListedOutput* other = best_where([&](const ListedOutput& output) { return !is_least(output); });
    if (other == nullptr) return false;
    std::ranges::copy(other->codes, away.begin());
    return value(*other) >= value(*find(target())) - margin;
  }

  double best(std::span<std::int32_t> out) override {
    const ListedOutput* found = best_where([](const ListedOutput&) { return true; });
    std::ranges::copy(found->codes, out.begin());
    return value(*found);
  }

  void open_list(std::int64_t most) override {
    ranked_.clear();
    for (const ListedOutput& output : outputs()) ranked_.push_back(&output);
    std::ranges::stable_sort(ranked_, [&](const auto* a, const auto* b) { return value(*a) > value(*b); });
    for (auto last = static_cast<std::size_t>(most > 1 ? most - 1 : most); closest_ != nullptr && last <= static_cast<std::size_t>(most);
         ++last) {
      if (last < ranked_.size()) *closest_ = std::min(*closest_, value(*ranked_[last - 1]) - value(*ranked_[last]));
    }
    ranked_.resize(std::min(ranked_.size(), static_cast<std::size_t>(most)));
    returned_ = 0;
  }
  std::optional<double> next(std::span<std::int32_t> out) override {
    if (returned_ == ranked_.size()) return std::nullopt;
    std::ranges::copy(ranked_[returned_]->codes, out.begin());
    return value(*ranked_[returned_++]);
  }

  void augment(double times) override { times_ += times; }
  double loss(Codes output) override { return find(output)->loss; }
  double least_loss() override {
    double least = std::numeric_limits<double>::infinity();
    for (const ListedOutput& output : outputs()) least = std::min(least, output.loss);
    return least;
  }

  double sums(double sharpness) override {
    probabilities_.clear();
    double highest = -std::numeric_limits<double>::infinity();
    for (const ListedOutput& output : outputs()) highest = std::max(highest, sharpness * value(output));
    for (const ListedOutput& output : outputs()) probabilities_.push_back(std::exp(sharpness * value(output) - highest));
    const double sum = std::accumulate(probabilities_.begin(), probabilities_.end(), 0.0);
    for (double& p : probabilities_) p /= sum;
    return highest + std::log(sum);
  }
  double expected_loss() override {
    double sum = 0;
    for (std::size_t i = 0; i < outputs().size(); ++i) sum += probabilities_[i] * outputs()[i].loss;
    return sum;
  }
  void take_expected(Difference& out) override {
    for (std::size_t i = 0; i < outputs().size(); ++i) add(outputs()[i], -probabilities_[i], out);
    sum_up(out);
  }

  void difference(Codes towards, Codes away, bool, Difference& out) override {
    add(*find(towards), 1, out);
    add(*find(away), -1, out);
    sum_up(out);
  }
  void features(Codes output, Difference& out) override { add(*find(output), 1, out); }
  double score(Codes output) override {
    const ListedOutput* found = find(output);
    return found == nullptr ? -std::numeric_limits<double>::infinity() : weights_.dot(found->features);
  }

 private:
  using Structure<Real>::corpus;

  const std::vector<ListedOutput>& outputs() const { return listing_[static_cast<std::size_t>(sentence_)]; }
  const ListedOutput* find(Codes codes) const {
    const auto found = std::ranges::find_if(outputs(), [&](const ListedOutput& output) { return std::ranges::equal(output.codes, codes); });
    return found == outputs().end() ? nullptr : &*found;
  }
  bool is_least(const ListedOutput& output) { return output.loss <= least_loss() + 1e-9; }
  double value(const ListedOutput& output) const { return weights_.dot(output.features) + times_ * output.loss; }
  template <class Condition>
  const ListedOutput* best_where(Condition condition) {
    const ListedOutput* best = nullptr;
    for (const ListedOutput& output : outputs()) {
      if (condition(output) && (best == nullptr || value(output) > value(*best))) best = &output;
    }
    return best;
  }
  static void add(const ListedOutput& output, double times, Difference& out) {
    for (const auto& [place, value] : output.features) out.push_back({place, times * value});
  }

  const Listing& listing_;
  Vector<Real>& weights_;
  double* closest_;  // null, or the least distance of the last outputs of a list from the next ones, which others may take in their place
  std::int64_t sentence_ = 0;
  double times_ = 0;                         // factor of the loss in scores
  std::vector<const ListedOutput*> ranked_;  // best first
  std::size_t returned_ = 0;                 // how many of ranked_ have been returned
  std::vector<double> probabilities_;        // [outputs], after sums
};

// The listing must outlive the model.
template <class Real>
class ListedModel : public Model<Real> {
 public:
  ListedModel(const Listing& listing, Numbers<Real> weights) : listing_(&listing), weights_(std::move(weights)) {}

  // Notes in `closest`, which must outlive the model, how far lists of the best are from other lists.
  void watch(double& closest) noexcept { closest_ = &closest; }

  std::unique_ptr<Model<Real>> copy() const override { return std::make_unique<ListedModel>(*this); }
  void take_features(const Model<Real>& other) override { *this = dynamic_cast<const ListedModel&>(other); }
  Numbers<Real>& flat() noexcept override { return weights_; }
  void check(const Corpus& corpus, std::size_t) const override {
    if (corpus.sentences() != static_cast<std::int64_t>(listing_->size())) throw Error("RiataError", "the listing is of another corpus");
  }
  void grow(const Corpus&, Vector<Real>&) override {}
  using Model<Real>::over;
  std::unique_ptr<Structure<Real>> over(const Corpus& corpus, Vector<Real>& weights, bool) override {
    return std::make_unique<ListedStructure<Real>>(*listing_, corpus, weights, closest_);
  }
  void match(Model<Real>&, const typename Model<Real>::Matched& visit) const override {
    visit(0, 0, static_cast<std::int64_t>(weights_.size()));
  }
  std::int32_t work() const noexcept override { return 1; }

 private:
  const Listing* listing_;
  Numbers<Real> weights_;
  double* closest_ = nullptr;
};

}  // namespace riata
