#include "learning/online/trainer.hpp"

#include "core/error.hpp"
#include "inference/rules/constrained_structure.hpp"
#include "learning/truncate.hpp"

namespace riata {

template <class Real>
OnlineTrainer<Real>::OnlineTrainer(const Model<Real>& initial, std::unique_ptr<OnlineLearner<Real>> learner, double truncate)
    : model_(initial.copy()),
      learner_(std::move(learner)),
      weights_(std::exchange(model_->flat(), {}), learner_->p(), learner_->keeps()),
      truncate_(truncate) {}

template <class Real>
EpochResult OnlineTrainer<Real>::epoch(const Corpus& corpus, std::span<const std::int64_t> order, std::span<const double> sentence_weights,
                                       std::span<const double> class_weights, const Poll& poll, const Rules* rules) {
  bool ok = !corpus.gold.empty() || corpus.instances.tokens() == 0;
  ok = ok && (sentence_weights.empty() || static_cast<std::int64_t>(sentence_weights.size()) == corpus.sentences());
  for (const std::int64_t s : order) ok = ok && s >= 0 && s < corpus.sentences();
  if (!ok) throw Error("RiataError", "order, outputs and weights do not fit the sentences");
  const std::size_t before = weights_.size();
  model_->grow(corpus, weights_);
  if (weights_.size() != before && !kept_.empty()) keep(keeps_average_);  // weights may have moved, so that what was kept has other places
  model_->check(corpus, weights_.size());
  std::unique_ptr<Structure<Real>> structure = model_->over(corpus, weights_, true);
  if (rules != nullptr) structure = std::make_unique<ConstrainedStructure<Real>>(*model_, std::move(structure), *rules);
  structure->weigh_classes(class_weights);
  structure->expect(order);
  EpochResult result;
  learner_->begin(*structure, weights_, [&] { poll(result.sentences); });
  for (const std::int64_t s : order) learner_->check(s);
  PollClock clock(model_->work());
  for (const std::int64_t s : order) {
    if (clock.due(corpus.length(s)) && !poll(result.sentences)) break;
    ++result.sentences;
    if (corpus.length(s) > 0) {
      const auto seen = learner_->visit(s, sentence_weights.empty() ? 1.0 : sentence_weights[static_cast<std::size_t>(s)]);
      structure->settle();
      result.tokens += corpus.length(s);
      result.updates += seen.updated;
      result.wrong_tokens = seen.wrong < 0 || result.wrong_tokens < 0 ? -1 : result.wrong_tokens + seen.wrong;
    }
    learner_->end(weights_);
  }
  return result;
}

template <class Real>
std::unique_ptr<Model<Real>> OnlineTrainer<Real>::made(Numbers<Real> flat) {
  std::unique_ptr<Model<Real>> out = model_->copy();
  dropped_ = truncate(flat, truncate_);
  out->flat() = std::move(flat);
  return out;
}

template <class Real>
void OnlineTrainer<Real>::keep(bool average) {
  keeps_average_ = average;
  if (average)
    weights_.average_into(kept_);
  else
    kept_ = weights_.last();
  dropped_ = truncate(kept_, truncate_);
}

template <class Real>
std::unique_ptr<Model<Real>> OnlineTrainer<Real>::kept() {
  if (kept_.empty()) keep(keeps_average_);
  if (kept_.size() < weights_.size()) kept_.resize(weights_.size(), Real{0});
  std::unique_ptr<Model<Real>> out = model_->copy();
  out->flat() = std::exchange(kept_, {});
  return out;
}

template <class Real>
std::unique_ptr<Model<Real>> OnlineTrainer<Real>::finish(bool and_last) {
  finished_ = true;
  if (!and_last) {
    if (!kept_.empty()) kept_.resize(weights_.size(), Real{0});
    return made(weights_.take_average());
  }
  keep(true);
  return kept();
}

template <class Real>
std::unique_ptr<Model<Real>> OnlineTrainer<Real>::untruncated() {
  std::unique_ptr<Model<Real>> out = model_->copy();
  out->flat() = finished_ ? weights_.take_last() : weights_.last();
  return out;
}

template class OnlineTrainer<float>;
template class OnlineTrainer<double>;

}  // namespace riata
