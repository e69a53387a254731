#include "learning/margin/trainer.hpp"

#include <algorithm>
#include <utility>

#include "core/error.hpp"
#include "learning/margin/sums_solver.hpp"

namespace riata {

template <class Real>
MarginTrainer<Real>::MarginTrainer(const Model<Real>& initial, std::unique_ptr<MarginSolver<Real>> solver, ChosenLoss loss,
                                   bool scales_slack, double c)
    : model_(initial.copy()),
      solver_(std::move(solver)),
      loss_(std::move(loss)),
      scales_slack_(scales_slack),
      c_(c),
      weights_(std::exchange(model_->flat(), {}), 2, Vector<Real>::Keeps::average),
      marginals_(loss_) {
  if (weights_.squared_length() != 0) throw Error("RiataError", "solvers of max-margin problems start from weights of 0");
}

template <class Real>
std::vector<double> MarginTrainer<Real>::caps(const Data& data) const {
  const auto sentences = static_cast<std::size_t>(data.corpus.sentences());
  bool ok = !data.corpus.gold.empty() || data.corpus.instances.tokens() == 0;
  ok = ok && (data.sentence_weights.empty() || data.sentence_weights.size() == sentences);
  if (!ok) throw Error("RiataError", "outputs and weights do not fit the sentences");
  std::vector<double> out(sentences, c_);
  for (std::size_t s = 0; s < data.sentence_weights.size(); ++s) out[s] *= data.sentence_weights[s];
  return out;
}

template <class Real>
typename MarginSolver<Real>::Pass MarginTrainer<Real>::epoch(const Data& data, std::span<const std::int64_t> order, const Poll& poll) {
  std::vector<std::int64_t> sorted(order.begin(), order.end());
  std::ranges::sort(sorted);
  bool ok = static_cast<std::int64_t>(sorted.size()) == data.corpus.sentences();
  for (std::size_t s = 0; ok && s < sorted.size(); ++s) ok = sorted[s] == static_cast<std::int64_t>(s);
  if (!ok) throw Error("RiataError", "the order does not fit the sentences");
  const std::vector<double> of_sentences = caps(data);
  model_->grow(data.corpus, weights_);
  model_->check(data.corpus, weights_.size());
  PollClock clock(model_->work());
  std::size_t done = 0;
  const auto tell = [&] {
    if (clock.due(data.corpus.length(order[done])) && !poll(static_cast<std::int64_t>(done))) throw Error("RiataError", "stopped");
    done = (done + 1) % order.size();  // a pass may visit sentences more than once
  };
  if (auto* by_sums = dynamic_cast<SumsSolver<Real>*>(solver_.get())) {
    marginals_.begin(*model_, data.corpus, data.class_weights, weights_);
    const auto out = by_sums->pass(marginals_, weights_, order, of_sentences, tell);
    marginals_.end();
    return out;
  }
  const std::unique_ptr<Structure<Real>> structure = model_->over(data.corpus, weights_, true);
  structure->weigh_classes(data.class_weights);
  structure->expect(order);
  Hinge<Real> hinge(loss_, scales_slack_);
  hinge.begin(*structure, weights_);
  return solver_->pass(hinge, weights_, order, of_sentences, tell);
}

template <class Real>
Certificate MarginTrainer<Real>::certify(const Data& data, bool average, const Poll& poll) {
  const std::vector<double> of_sentences = caps(data);
  // Outputs may have features that are new; their weights are 0 here and in the weights that are learnt.
  Vector<Real> fixed(average ? weights_.average() : weights_.last(), 2, Vector<Real>::Keeps::nothing);
  const std::unique_ptr<Structure<Real>> structure = model_->over(data.corpus, fixed, true);
  structure->weigh_classes(data.class_weights);
  Hinge<Real> hinge(loss_, scales_slack_);
  hinge.begin(*structure, fixed);
  PollClock clock(model_->work());
  double hinges = 0;
  for (std::int64_t s = 0; s < data.corpus.sentences(); ++s) {
    if (clock.due(data.corpus.length(s)) && !poll(s)) throw Error("RiataError", "stopped");
    const double cap = of_sentences[static_cast<std::size_t>(s)];
    if (cap > 0 && data.corpus.length(s) > 0) hinges += cap * hinge.open(s);
  }
  weights_.grow(fixed.size());
  const double half = fixed.squared_length() / 2;
  return {half + hinges, solver_->dual_offset(average) - half};
}

template <class Real>
void MarginTrainer<Real>::set_c(double c) {
  solver_->rescale(c / c_, weights_);
  c_ = c;
}

template <class Real>
std::unique_ptr<Model<Real>> MarginTrainer<Real>::made(Numbers<Real> flat) const {
  std::unique_ptr<Model<Real>> out = model_->copy();
  out->flat() = std::move(flat);
  return out;
}

template class MarginTrainer<float>;
template class MarginTrainer<double>;

}  // namespace riata
