#include "learning/boosting/booster.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <numeric>

#include "core/error.hpp"
#include "core/log_sum.hpp"
#include "core/tasks.hpp"

namespace riata {
namespace {

constexpr double never = -std::numeric_limits<double>::infinity();
constexpr double least_gain = 1e-12;      // part of the loss; rounds that gain less are not worth their rounding errors
constexpr double end_of_loss = 1e-9;      // loss per sentence at which all probabilities are 1 but for rounding
constexpr double fall = 10;               // how far log F may fall below the scale
constexpr double small = 45;              // -log of the part of the loss below which a sentence is left out
constexpr double at_once = 1e8;           // operations between two questions whether to go on
constexpr std::int64_t share_of_all = 4;  // if more than this share of all tokens is evaluated again, sums are made anew

// log(exp(a) - 1), for a >= 0.
double log_expm1(double a) { return a > 30 ? a : a > 0 ? std::log(std::expm1(a)) : never; }

}  // namespace

template <class Real>
Booster<Real>::Booster(const Model<Real>& initial, const Corpus& corpus, std::span<const double> sentence_weights, Settings settings)
    : corpus_(corpus),
      settings_(settings),
      model_(initial.copy()),
      initial_(std::exchange(model_->flat(), {}), 2, Vector<Real>::Keeps::average),
      touched_(0) {
  const auto sentences = static_cast<std::size_t>(corpus.sentences());
  bool ok = static_cast<std::int64_t>(corpus.gold.size()) == corpus.instances.tokens();
  ok = ok && (sentence_weights.empty() || sentence_weights.size() == sentences);
  for (const double weight : sentence_weights) ok = ok && weight >= 0;
  if (!ok) throw Error("RiataError", "outputs and weights do not fit the sentences");
  model_->grow(corpus_, initial_);
  model_->check(corpus_, initial_.size());
  structure_ = model_->over(corpus_, initial_, false);
  weights_ = structure_->single_weights(sentence_weights);
  evaluator_ = weights_->evaluator();
  const Numbers<Real> flat = initial_.take_last();  // it is not needed any more
  flat_.assign(flat.begin(), flat.end());
  used_ = std::ranges::count_if(flat_, [](double weight) { return weight != 0; });
  log_weights_.assign(sentences, 0);
  for (std::size_t s = 0; s < sentence_weights.size(); ++s)
    log_weights_[s] = sentence_weights[s] > 0 ? std::log(sentence_weights[s]) : never;
  log_end_ = log_sum(log_weights_) + std::log(end_of_loss);
  surprise_.assign(sentences, 0);
  shares_.assign(sentences, {});
  touched_ = BundleSet(weights_->bundles().size() - 1);
  std::map<std::pair<double, double>, std::int32_t> numbers;
  for (std::int64_t k = 0; k < weights_->size(); ++k) {
    const FeatureRange range = weights_->range(k);
    groups_.push_back(numbers.emplace(std::pair(range.low, range.high), static_cast<std::int32_t>(numbers.size())).first->second);
  }
  exact_.assign(groups_.size(), 0);
  largest_.emplace(groups_.size(), settings_.over == BoundOver::corpus ? 2 * numbers.size() : 1);
}

template <class Real>
void Booster<Real>::start(std::int64_t threads, const Poll& poll) {
  std::vector<std::int32_t> all;
  for (std::size_t s = 0; s < surprise_.size(); ++s) {
    if (log_weights_[s] > never) all.push_back(static_cast<std::int32_t>(s));
  }
  evaluate(all, threads, poll);
  for (const double a : surprise_) {
    if (!std::isfinite(a))
      throw Error("DataError", "the probability of the training data is not a number: scores overflow.",
                  "Scale feature values down to about 1; the largest count most.");
  }
  rescale(threads);
  started_ = true;
}

// The mass of a sentence, and what its features count in the gradient.
template <class Real>
SentenceShare Booster<Real>::share(std::size_t s) const {
  const double log_times = log_weights_[s] + surprise_[s] - scale_;
  if (!(log_times > -small)) return {};
  return {std::exp(log_times), std::exp(log_weights_[s] + log_expm1(surprise_[s]) - scale_)};
}

template <class Real>
void Booster<Real>::share_all() {
  total_ = 0;
  for (std::size_t s = 0; s < shares_.size(); ++s) {
    shares_[s] = share(s);
    total_ += shares_[s].mass;
  }
}

// Sets the scale to log F, and adds up everything anew.
template <class Real>
void Booster<Real>::rescale(std::int64_t threads) {
  std::vector<double> masses;
  for (std::size_t s = 0; s < surprise_.size(); ++s) masses.push_back(log_weights_[s] + log_expm1(surprise_[s]));
  const double log_loss = log_sum(masses);
  finished_ = !(log_loss > log_end_);
  if (finished_) {
    total_ = std::exp(log_loss - scale_);
    return;
  }
  scale_ = log_loss;
  share_all();
  gather(threads);
}

template <class Real>
void Booster<Real>::gather(std::int64_t threads) {
  weights_->gather(shares_, totals_, threads);
  rank_all();
}

template <class Real>
void Booster<Real>::rank_all() {
  for (std::int32_t bundle = 0; bundle < static_cast<std::int32_t>(totals_.mass.size()); ++bundle) rank(bundle);
}

template <class Real>
void Booster<Real>::rank(std::int32_t bundle) {
  const auto bundles = weights_->bundles();
  for (std::int32_t k = bundles[static_cast<std::size_t>(bundle)]; k < bundles[static_cast<std::size_t>(bundle) + 1]; ++k) {
    if (settings_.over == BoundOver::corpus) {
      const double slope = totals_.gradient[static_cast<std::size_t>(k)];
      largest_->set(k, 2 * groups_[static_cast<std::size_t>(k)] + (slope > 0), std::abs(slope));
    } else {  // an upper bound will do, unless it is among the largest
      const double mass = totals_.mass[static_cast<std::size_t>(bundle)];
      const double slope = totals_.gradient[static_cast<std::size_t>(k)];
      largest_->set(k, 0, mass > 0 ? mass * most_gain(weights_->range(k), slope / mass, settings_.cap) : 0);
      exact_[static_cast<std::size_t>(k)] = 0;
    }
  }
}

template <class Real>
BoundStep Booster<Real>::step(std::int32_t k) const {
  const double mass = settings_.over == BoundOver::corpus ? total_ : totals_.mass[static_cast<std::size_t>(weights_->bundle(k))];
  if (!(mass > 0)) return {};
  return best_step(weights_->range(k), totals_.gradient[static_cast<std::size_t>(k)] / mass, settings_.cap);
}

// Makes keys that are upper bounds exact until the largest one is.
template <class Real>
void Booster<Real>::make_exact() {
  const auto exact = [&](std::int32_t k) { return exact_[static_cast<std::size_t>(k)] != 0; };
  const auto make = [&](std::int32_t k) {
    largest_->set(k, 0, totals_.mass[static_cast<std::size_t>(weights_->bundle(k))] * std::max(step(k).gain, 0.0));
    exact_[static_cast<std::size_t>(k)] = 1;
  };
  std::vector<std::int32_t> items;
  while (true) {
    largest_->highest(0, items);
    if (items.empty()) return;
    if (std::ranges::all_of(items, exact)) {
      const std::int32_t top = largest_->top(0);
      if (exact(top)) return;
      make(top);
    }
    for (const std::int32_t k : items) {
      if (!exact(k)) make(k);
    }
  }
}

template <class Real>
std::optional<typename Booster<Real>::Choice> Booster<Real>::choose() {
  if (settings_.over == BoundOver::sentences) make_exact();
  std::optional<Choice> best;
  for (std::size_t group = 0; group < largest_->groups(); ++group) {
    const std::int32_t k = largest_->top(group);
    if (k < 0) continue;
    const BoundStep found = step(k);
    const double gain = settings_.over == BoundOver::corpus ? found.gain : largest_->key(k) / total_;
    const bool more = !best || gain > best->gain * (1 + Largest::rounding);
    if (more || (gain >= best->gain * (1 - Largest::rounding) && k < best->feature)) best = Choice{k, found, gain};
  }
  return best && best->gain > least_gain ? best : std::nullopt;
}

template <class Real>
void Booster<Real>::evaluate(std::span<const std::int32_t> sentences, std::int64_t threads, const Poll& poll) {
  const double per_token = double(model_->work()) * model_->work() + 500;
  for (std::size_t from = 0, to = 0; from < sentences.size(); from = to) {
    for (double work = 0; to < sentences.size() && work < at_once; ++to) work += per_token * double(length(sentences[to]));
    hand_out(
        static_cast<std::int64_t>(to - from), threads, [&] { return weights_->evaluator(); },
        [&](std::int64_t k, const std::unique_ptr<SentenceEvaluator>& own) {
          const auto s = static_cast<std::size_t>(sentences[from + static_cast<std::size_t>(k)]);
          surprise_[s] = own->open(static_cast<std::int64_t>(s));
          own->keep();
        });
    poll(-1);
  }
}

template <class Real>
void Booster<Real>::evaluate_few(std::span<const std::int32_t> sentences) {
  touched_.clear();
  for (const std::int32_t sentence : sentences) {
    const auto s = static_cast<std::size_t>(sentence);
    surprise_[s] = evaluator_->open(sentence);
    const SentenceShare before = shares_[s];
    shares_[s] = share(s);
    total_ += shares_[s].mass - before.mass;
    if (before.times == 0 && shares_[s].times == 0)
      evaluator_->keep();
    else
      evaluator_->replace(before, shares_[s], totals_, touched_);
  }
  for (const std::int32_t bundle : touched_.list) rank(bundle);
}

template <class Real>
typename Booster<Real>::Round Booster<Real>::take(const Choice& choice, std::int64_t threads, const Poll& poll) {
  Round out;
  out.place = weights_->place(choice.feature);
  out.step = choice.step.by;
  out.bound = objective() + std::log1p(-choice.gain);
  std::vector<std::int32_t> sentences;
  weights_->sentences(weights_->bundle(choice.feature), sentences);
  out.sentences = static_cast<std::int64_t>(sentences.size());
  for (const std::int32_t s : sentences) out.tokens += length(s);
  double& weight = flat_[static_cast<std::size_t>(out.place)];
  undo_.emplace_back(out.place, weight);
  used_ -= weight != 0;
  weight += out.step;
  used_ += weight != 0;
  weights_->change(choice.feature, out.step);
  if (out.tokens * share_of_all > corpus_.instances.tokens()) {
    evaluate(sentences, threads, poll);
    share_all();
    if (total_ > std::exp(-fall)) gather(threads);
  } else {
    evaluate_few(sentences);
  }
  if (!(total_ > std::exp(-fall)) || !(objective() > log_end_)) rescale(threads);
  out.objective = objective();
  return out;
}

template <class Real>
std::vector<typename Booster<Real>::Round> Booster<Real>::run(std::int64_t rounds, std::int64_t threads, const Poll& poll) {
  if (broken_) throw Error("RiataError", "learning was broken off");
  broken_ = true;
  undo_.clear();
  std::int64_t done = 0;
  const Poll tell = [&](std::int64_t) { return poll(done); };
  if (!started_) start(threads, tell);
  std::vector<Round> out;
  PollClock clock(model_->work());
  for (; done < rounds && !finished_; ++done) {
    const std::optional<Choice> choice = choose();
    finished_ = !choice;
    if (finished_) break;
    out.push_back(take(*choice, threads, tell));
    if (clock.due(out.back().tokens)) poll(done);
  }
  undo_.clear();
  broken_ = false;
  return out;
}

template <class Real>
double Booster<Real>::objective() const {
  return scale_ + std::log(total_);
}

template <class Real>
std::vector<std::int64_t> Booster<Real>::places() const {
  std::vector<std::int64_t> out;
  for (std::int64_t k = 0; k < features(); ++k) out.push_back(weights_->place(k));
  return out;
}

template <class Real>
std::unique_ptr<Model<Real>> Booster<Real>::model() const {
  std::unique_ptr<Model<Real>> out = model_->copy();
  out->flat().assign(flat_.begin(), flat_.end());
  for (auto change = undo_.rbegin(); change != undo_.rend(); ++change)
    out->flat()[static_cast<std::size_t>(change->first)] = static_cast<Real>(change->second);
  return out;
}

template class Booster<float>;
template class Booster<double>;

}  // namespace riata
