#include "inference/structures/chain_structure.hpp"

#include <algorithm>

#include "inference/exact/hamming.hpp"
#include "inference/offered.hpp"
#include "inference/structures/chain_potentials.hpp"
#include "inference/structures/chain_single_weights.hpp"
#include "inference/structures/chain_space.hpp"
#include "inference/structures/history_difference.hpp"
#include "inference/structures/second_order_potentials.hpp"
#include "inference/structures/truncated.hpp"

namespace riata {

template <class Real>
void ChainModel<Real>::check(const Corpus& corpus, std::size_t size) const {
  check_fit(corpus.index, weights.layout, weights.history, size, corpus.instances);
  bool ok = corpus.gold.empty() || static_cast<std::int64_t>(corpus.gold.size()) == corpus.instances.tokens();
  for (const std::int32_t label : corpus.gold) ok = ok && label >= 0 && label < weights.labels;
  if (!ok) throw Error("RiataError", "the labels do not fit the instances");
}

template <class Real>
void ChainModel<Real>::grow(const Corpus& corpus, Vector<Real>& vector) {
  const Layout now(corpus.index, weights.labels, std::max(weights.named_size(), corpus.instances.named_size));
  if (now.size < weights.layout.size) throw Error("RiataError", "the instances were made with another feature index than the weights");
  if (now.size > weights.layout.size || now.families() != weights.layout.families())
    vector.rearrange([&](const Numbers<Real>& old) { return now.moved(old, weights.layout); });
  weights.layout = now;
  if (weights.history.slots().empty()) weights.history = HistoryIndex(corpus.index.history_slots(), corpus.index.table(weights.labels));
  vector.grow(weights.room());
}

template <class Real>
std::unique_ptr<Structure<Real>> ChainModel<Real>::over(const Corpus& corpus, Vector<Real>& vector, bool grows) {
  return std::make_unique<ChainStructure<Real>>(*this, corpus, vector, grows);
}

template <class Real>
void ChainModel<Real>::match(Model<Real>& other, const typename Model<Real>::Matched& visit) const {
  Weights<Real>& to = dynamic_cast<ChainModel&>(other).weights;
  if (weights.labels != to.labels || weights.layout.size != to.layout.size)
    throw Error("RiataError", "the weights belong to different models");
  visit(0, 0, weights.layout.size);
  std::vector<std::int32_t> before(static_cast<std::size_t>(weights.history.order()), HistoryIndex::outside);
  for (RowId r(0); r.number() < weights.history.rows(); ++r) {
    const auto [slot, ngram, labels] = weights.history.entry(r);
    const std::vector<std::int32_t>& back = weights.history[slot].back;
    for (std::size_t b = 0; b < back.size(); ++b) before[static_cast<std::size_t>(back[b]) - 1] = labels[b];
    visit(weights.layout.history_row(r), to.layout.history_row(to.history.add(slot, ngram, before)), weights.stride);
  }
}

template <class Real>
ChainScores<Real>& ChainStructure<Real>::scores() {
  if (!exact_) exact_.emplace(corpus().index, view(), model_.constraint, corpus().instances);
  if (opened_ == nullptr) opened_ = &exact_->open(sentence_);
  return *opened_;
}

template <class Real>
std::int64_t ChainStructure<Real>::wrong(Codes output) const {
  const Codes gold = corpus().gold_of(sentence_);
  std::int64_t wrong = 0;
  for (std::size_t t = 0; t < gold.size(); ++t) wrong += gold[t] != output[t];
  return wrong;
}

template <class Real>
std::optional<double> ChainStructure<Real>::next(std::span<std::int32_t> out) {
  const std::optional<Real> score = exact_->next(out.data());
  return score ? std::optional<double>(*score) : std::nullopt;
}

template <class Real>
void ChainStructure<Real>::augment(double times) {
  const Codes gold = target();
  if (costs_.empty())
    return add_hamming_by_token(scores(), gold.data(),
                                [&](std::int32_t t) { return times * class_weight(gold[static_cast<std::size_t>(t)]); });
  ChainScores<Real>& chain = scores();
  for (std::int32_t t = 0; t < chain.length; ++t) {
    Real* row = chain.node.data() + std::size_t(t) * chain.stride;
    for (std::int32_t j = 0; j < chain.labels; ++j) row[j] += static_cast<Real>(times * cost(gold[static_cast<std::size_t>(t)], j));
  }
}

template <class Real>
void ChainStructure<Real>::cost_labels(std::span<const double> costs) {
  const auto labels = static_cast<std::size_t>(model_.weights.labels);
  if (costs.size() != labels * labels) throw Error("RiataError", "the costs do not fit the labels");
  costs_.assign(costs.begin(), costs.end());
}

template <class Real>
double ChainStructure<Real>::loss(Codes output) {
  const Codes gold = target();
  double sum = 0;
  for (std::size_t t = 0; t < gold.size(); ++t) sum += cost(gold[t], output[t]);
  return sum;
}

template <class Real>
double ChainStructure<Real>::best_by_slack(std::span<std::int32_t> out) {
  if (!costs_.empty() || !class_weights_.empty()) throw Error("UnsupportedError", "rescaled slack counts wrong labels, and all alike.");
  const ChainScores<Real>& chain = scores();
  if (exact_->two_back())
    throw Error("UnsupportedError", "the search for the largest rescaled slack looks one label back; the templates read label[-2].",
                "Leave out these templates, or use the recipe svmstruct-margin.");
  return slack_search_(chain, target().data(), out.data());
}

template <class Real>
double ChainStructure<Real>::sums(double sharpness) {
  const ChainScores<Real>& chain = scores();
  if (!expectations_) expectations_.emplace(model_.weights.labels);
  return expectations_->open(chain, exact_->two_back(), sharpness);
}

template <class Real>
double ChainStructure<Real>::expected_loss() {
  const Codes gold = target();
  double sum = 0;
  for (std::size_t t = 0; t < gold.size(); ++t) {
    for (std::int32_t j = 0; j < model_.weights.labels; ++j)
      if (j != gold[t]) sum += expectations_->of(t, static_cast<std::size_t>(j)) * cost(gold[t], j);
  }
  return sum;
}

template <class Real>
void ChainStructure<Real>::take_expected(Difference& out) {
  const std::int64_t stride = model_.weights.stride;
  const std::int32_t labels = model_.weights.labels;
  const bool looks_back = model_.weights.history.order() > 0;
  for (std::int32_t t = 0; t < corpus().length(sentence_); ++t) {
    const auto at = static_cast<std::size_t>(t);
    rows_.nodes(sentence_, t, [&](std::int64_t row, float value) {
      for (std::int32_t j = 0; j < labels; ++j) out.push_back({row + j, -value * expectations_->of(at, static_cast<std::size_t>(j))});
    });
    if (t > 0) expectations_->look_back(at);
    rows_.edges(sentence_, t, [&](std::int64_t row, float value) {
      for (std::int32_t i = 0; i < labels; ++i) {
        const double* near = expectations_->near(static_cast<std::size_t>(i));
        for (std::int32_t j = 0; j < labels; ++j) out.push_back({row + i * stride + j, -value * near[j]});
      }
    });
    if (looks_back) take_expected_history(t, out);
  }
  make_room();
}

// Subtracts the expected features of token t that read earlier labels.
template <class Real>
void ChainStructure<Real>::take_expected_history(std::int32_t t, Difference& out) {
  HistoryIndex& history = model_.weights.history;
  const std::int32_t labels = model_.weights.labels;
  std::vector<double> own(static_cast<std::size_t>(labels));
  for (std::size_t j = 0; j < own.size(); ++j) own[j] = expectations_->of(static_cast<std::size_t>(t), j);
  std::vector<std::int32_t> before(static_cast<std::size_t>(history.order()), HistoryIndex::outside);
  for (SlotId slot(0); slot.place() < history.slots().size(); ++slot) {
    const NgramId ngram = history_ngram(history[slot], corpus().instances, sentence_, t);
    if (ngram == unseen) continue;
    const std::vector<std::int32_t>& back = history[slot].back;
    const bool reads_near = back.front() == 1 && t > 0, reads_far = back.back() == 2 && t > 1;
    for (std::int32_t h = 0; h < (reads_far ? labels : 1); ++h) {
      for (std::int32_t i = 0; i < (reads_near ? labels : 1); ++i) {
        before[0] = reads_near ? i + 1 : HistoryIndex::outside;
        if (before.size() > 1) before[1] = reads_far ? h + 1 : HistoryIndex::outside;
        const RowId row = grows_ ? history.add(slot, ngram, before) : history.find(slot, ngram, before);
        if (!row) continue;
        const auto far = static_cast<std::size_t>(h), near = static_cast<std::size_t>(i);
        const double* expected = own.data();
        if (reads_near || reads_far)
          expected = !reads_far ? expectations_->near(near) : reads_near ? expectations_->both(far, near) : expectations_->far(far);
        for (std::int32_t j = 0; j < labels; ++j) out.push_back({model_.weights.layout.history_row(row) + j, -expected[j]});
      }
    }
  }
}

template <class Real>
void ChainStructure<Real>::difference(Codes towards, Codes away, bool by_class, Difference& out) {
  const std::int64_t stride = model_.weights.stride;
  const auto weight = [&](std::size_t t) { return by_class ? class_weight(towards[t]) : 1.0; };
  const auto add = [&](std::int64_t right, std::int64_t wrong, double value) {
    out.push_back({right, value});
    out.push_back({wrong, -value});
  };
  for (std::size_t t = 0; t < towards.size(); ++t) {
    const bool differs = towards[t] != away[t];
    if (differs)
      rows_.nodes(sentence_, static_cast<std::int64_t>(t),
                  [&](std::int64_t row, float value) { add(row + towards[t], row + away[t], weight(t) * value); });
    if (t == 0 || (!differs && towards[t - 1] == away[t - 1])) continue;
    rows_.edges(sentence_, static_cast<std::int64_t>(t), [&](std::int64_t row, float value) {
      add(row + towards[t - 1] * stride + towards[t], row + away[t - 1] * stride + away[t], weight(t) * value);
    });
  }
  each_history_difference(model_.weights.history, corpus().instances, sentence_, towards.data(), away.data(),
                          [&](std::int64_t t, RowId right, RowId wrong) {
                            const auto at = static_cast<std::size_t>(t);
                            const Layout& layout = model_.weights.layout;
                            add(layout.history_row(right) + towards[at], layout.history_row(wrong) + away[at], weight(at));
                          });
  make_room();
}

template <class Real>
void ChainStructure<Real>::make_room() {
  if (grows_ && !model_.weights.history.hashed()) vector_.grow(model_.weights.room());
}

template <class Real>
void ChainStructure<Real>::features(Codes output, Difference& out) {
  HistoryIndex& history = model_.weights.history;
  std::vector<std::int32_t> before(static_cast<std::size_t>(history.order()), HistoryIndex::outside);
  for (std::int32_t t = 0; t < static_cast<std::int32_t>(output.size()); ++t) {
    const std::int32_t label = output[static_cast<std::size_t>(t)];
    rows_.nodes(sentence_, t, [&](std::int64_t row, float value) { out.push_back({row + label, value}); });
    rows_.edges(sentence_, t, [&](std::int64_t row, float value) {
      out.push_back({row + std::int64_t{output[static_cast<std::size_t>(t) - 1]} * model_.weights.stride + label, value});
    });
    for (std::int32_t k = 1; k <= std::min(history.order(), t); ++k)
      before[static_cast<std::size_t>(k) - 1] = output[static_cast<std::size_t>(t - k)] + 1;
    for (SlotId slot(0); slot.place() < history.slots().size(); ++slot) {
      const NgramId ngram = history_ngram(history[slot], corpus().instances, sentence_, t);
      if (ngram == unseen) continue;
      const RowId row = grows_ ? history.add(slot, ngram, before) : history.find(slot, ngram, before);
      if (row) out.push_back({model_.weights.layout.history_row(row) + label, 1.0});
    }
  }
  make_room();
}

// The score of the label of token t from the features of earlier labels.
template <class Real>
double ChainStructure<Real>::history_score(std::int32_t t, Codes output) const {
  const HistoryIndex& history = model_.weights.history;
  std::vector<std::int32_t> before(static_cast<std::size_t>(history.order()), HistoryIndex::outside);
  for (std::int32_t k = 1; k <= std::min(history.order(), t); ++k) before[k - 1] = output[t - k] + 1;
  double score = 0;
  for (SlotId slot(0); slot.place() < history.slots().size(); ++slot) {
    const NgramId ngram = history_ngram(history[slot], corpus().instances, sentence_, t);
    const RowId row = ngram == unseen ? RowId() : history.find(slot, ngram, before);
    if (row) score += view().history_row(row)[output[t]];
  }
  return score * vector_.scale();
}

template <class Real>
double ChainStructure<Real>::score(Codes output) {
  if (!scorer_) scorer_.emplace(corpus().index, view(), model_.constraint, corpus().instances);
  (*scorer_)(sentence_, scored_);
  double score = 0;
  for (std::int32_t t = 0; t < scored_.length; ++t) {
    double step = scored_.node[std::size_t(t) * scored_.stride + output[t]];
    if (t > 0) step += scored_.edge_into(t)[std::size_t(output[t - 1]) * scored_.stride + output[t]];
    step += history_score(t, output);
    score += model_.weights.truncated ? truncated(step) : step;
  }
  return score;
}

template <class Real>
std::unique_ptr<SingleWeights> ChainStructure<Real>::single_weights(std::span<const double> sentence_weights) {
  if (!corpus().index.history_slots().empty())
    throw Error("UnsupportedError",
                "single weights are learnt from sums over pairs of neighbouring labels, and templates read earlier labels.");
  if (corpus().index.hashed()) throw Error("UnsupportedError", "single weights are of one feature each, and hashed features share them.");
  Numbers<double> flat(static_cast<std::size_t>(model_.weights.layout.size));
  const Real* from = vector_.data();
  for (std::size_t k = 0; k < flat.size(); ++k) flat[k] = double(from[k]) * vector_.scale();
  return std::make_unique<ChainSingleWeights<Real>>(corpus(), model_.weights.layout, std::move(flat), sentence_weights);
}

template <class Real>
std::unique_ptr<CorpusSpace> ChainStructure<Real>::space(const QueueSpec& queue) {
  return std::make_unique<ChainSpace<Real>>(corpus(), model_, vector_, grows_, queue);
}

template class ChainModel<float>;
template class ChainModel<double>;
template class ChainStructure<float>;
template class ChainStructure<double>;

namespace {
const RegisteredStructure entered("chain", operations_of<ChainStructure<float>, ChainPotentials<float>, SecondOrderPotentials<float>>());
}

}  // namespace riata
