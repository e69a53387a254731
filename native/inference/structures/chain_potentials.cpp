#include "inference/structures/chain_potentials.hpp"

#include <algorithm>

#include "core/error.hpp"
#include "core/tasks.hpp"
#include "inference/structures/chain_gradient.hpp"
#include "inference/structures/chain_label_visitor.hpp"
#include "inference/structures/chain_visitor.hpp"
#include "inference/structures/local_visitor.hpp"

namespace riata {
namespace {

constexpr std::int64_t batch_tokens = 1 << 15;

}  // namespace

template <class Real>
ChainPotentials<Real>::ChainPotentials(const FeatureIndex& index, const Instances& instances, std::int32_t labels, std::int32_t named_size,
                                       const Constraint<Real>& constraint, FeatureLabels which, Normalised normalised,
                                       std::span<const std::int32_t> heads)
    : BatchedPotentials(instances, batches_of_tokens(instances, batch_tokens, labels)),
      local_(normalised == Normalised::locally),
      by_label_(normalised == Normalised::by_label),
      layout_(index, labels, named_size),
      constraint_(constraint),
      there_(chain_weights(index, layout_, instances, which)),
      contexts_(index, layout_, instances),
      tokens_(index, layout_, instances, constraint_, there_, heads),
      points_(index, layout_, no_history_, there_, named_size, local_) {
  make_chunks();
  if (local_) return;  // steps read the rows of one label before, and have no tables
  const std::size_t cells = contexts_.rows.size() * static_cast<std::size_t>(square());
  for (auto* table : {&scores_, &forward_, &backward_}) table->assign(cells, Real{0});
  for (auto* table : {&gold_, &expected_}) table->assign(cells, 0);
  highest_.assign(contexts_.rows.size(), 0);
}

template <class Real>
void ChainPotentials<Real>::make_chunks() {
  std::size_t longest = 0;
  known_rows_.assign(static_cast<std::size_t>(instances_.sentences()), -1);
  for (const SentenceRange& batch : batches_) {
    const auto of = contexts_.of.begin();
    std::vector<std::int32_t> contexts(of + instances_.starts[batch.first], of + instances_.starts[batch.end]);
    for (std::int64_t s = batch.first; s < batch.end; ++s) {
      if (!by_label_ && !instances_.partly_labelled(s)) continue;
      known_rows_[static_cast<std::size_t>(s)] = static_cast<std::int64_t>(contexts.size());
      contexts.insert(contexts.end(), of + instances_.starts[s], of + instances_.starts[s + 1]);
    }
    longest = std::max(longest, contexts.size());
    chunks_.emplace_back(contexts);
  }
  for (auto* rows : {&alpha_, &into_, &difference_}) rows->assign(longest * static_cast<std::size_t>(layout_.stride), Real{0});
}

template <class Real>
void ChainPotentials<Real>::count_truth(std::span<const double> weights) {
  std::ranges::fill(gold_, 0);
  for (std::int64_t s = 0; s < static_cast<std::int64_t>(weights.size()); ++s)
    each_true_pair(s, [&](std::size_t place) { gold_[place] += weights[static_cast<std::size_t>(s)]; });
}

template <class Real>
double ChainPotentials<Real>::begin(std::span<const double> at, std::int64_t threads) {
  std::ranges::fill(expected_, 0);
  slow_expected_.clear();
  tokens_.begin(at, threads);
  if (local_) return 0;
  make_factors();
  double truth = 0;
  for (std::size_t i = 0; i < gold_.size(); ++i) {
    if (gold_[i] != 0) truth += gold_[i] * double(scores_[i]);
  }
  return truth;
}

template <class Real>
void ChainPotentials<Real>::make_factors() {
  const auto cells = static_cast<std::size_t>(square());
  std::vector<Real> allowed(cells);
  for (std::size_t c = 0; c < contexts_.rows.size(); ++c) {
    Real* scores = scores_.data() + c * cells;
    std::fill_n(scores, cells, Real{0});
    for (const std::int64_t row : contexts_.rows[c]) {
      for (std::int64_t from = 0; from < square(); from += layout_.stride) tokens_.add(row + from, scores + from);
    }
    for (std::size_t k = 0; k < cells; ++k) allowed[k] = scores[k] + constraint_.follow[k];
    highest_[c] = make_edge_factors(allowed.data(), layout_.labels, forward_.data() + c * cells, backward_.data() + c * cells);
  }
}

template <class Real>
std::unique_ptr<Visitor> ChainPotentials<Real>::visitor() {
  if (local_) return std::make_unique<LocalVisitor<Real>>(*this);
  return std::make_unique<ChainVisitor<Real>>(*this);
}

template <class Real>
std::unique_ptr<LabelVisitor> ChainPotentials<Real>::label_visitor() {
  if (!by_label_) return nullptr;
  return std::make_unique<ChainLabelVisitor<Real>>(*this);
}

template <class Real>
void ChainPotentials<Real>::gather(std::span<double> gradient, std::int64_t threads) {
  tokens_.gather(batch(), difference_.data(), gradient, threads);
  if (local_)
    gather_local_pairs(gradient);
  else
    sum_edges(threads);
}

template <class Real>
void ChainPotentials<Real>::sum_edges(std::int64_t threads) {
  const auto cells = static_cast<std::size_t>(square());
  const StepChunks& steps = chunks_[batch_];
  // This number of chunks is processed at a time, since each needs a matrix of memory.
  constexpr std::size_t at_once = 64;
  std::vector<Real> products(std::min(at_once, steps.chunks.size()) * cells);
  for (std::size_t from = 0; from < steps.chunks.size(); from += at_once) {
    const std::size_t to = std::min(from + at_once, steps.chunks.size());
    std::fill(products.begin(), products.end(), Real{0});
    Tasks parts;
    for (std::size_t c = from; c < to; ++c) {
      parts.add([&, c] {
        const StepChunks::Chunk& chunk = steps.chunks[c];
        add_pairs(steps.order.data() + chunk.low, chunk.high - chunk.low, alpha_.data(), into_.data(),
                  products.data() + (c - from) * cells);
      });
    }
    parts.run(threads);
    for (std::size_t c = from; c < to; ++c) {
      double* total = expected_.data() + static_cast<std::size_t>(steps.chunks[c].context) * cells;
      for (std::size_t k = 0; k < cells; ++k) total[k] += double(products[(c - from) * cells + k]);
    }
  }
}

template <class Real>
std::vector<double>& ChainPotentials<Real>::slow_expected() {
  if (slow_expected_.empty()) slow_expected_.assign(expected_.size(), 0);
  return slow_expected_;
}

// Adds the local posteriors minus the truth to the rows of label pairs. A step has posteriors only for pairs that start with the true label
// before it.
template <class Real>
void ChainPotentials<Real>::gather_local_pairs(std::span<double> gradient) {
  std::vector<double> values(static_cast<std::size_t>(layout_.stride));
  for (const std::int32_t n : chunks_[batch_].order) {
    const std::int64_t from = std::int64_t{instances_.labels[static_cast<std::size_t>(base() + n - 1)]} * layout_.stride;
    const Real* row = difference_.data() + std::int64_t{n} * layout_.stride;
    for (std::size_t j = 0; j < values.size(); ++j) values[j] = double(row[j]);
    for (const std::int64_t place : contexts_.rows[static_cast<std::size_t>(context(base() + n))])
      there_.add(place + from, values.data(), 1, gradient);
  }
}

template <class Real>
void ChainPotentials<Real>::finish(std::span<double> gradient, std::int64_t threads) {
  tokens_.finish(gradient, threads);
  if (!local_) finish_edges(gradient);
}

// Turns sums of alpha x into into expected pairs, subtracts the counts of true pairs, and adds the result to the rows of every context.
template <class Real>
void ChainPotentials<Real>::finish_edges(std::span<double> gradient) {
  const auto cells = static_cast<std::size_t>(square());
  std::vector<double> total(cells);
  for (std::size_t c = 0; c < contexts_.rows.size(); ++c) {
    for (std::size_t k = 0; k < cells; ++k) {
      const std::size_t at = c * cells + k;
      total[k] = expected_[at] * double(forward_[at]) + (slow_expected_.empty() ? 0 : slow_expected_[at]) - gold_[at];
    }
    for (const std::int64_t row : contexts_.rows[c]) {
      for (std::int64_t from = 0; from < square(); from += layout_.stride) there_.add(row + from, total.data() + from, 1, gradient);
    }
  }
}

template <class Real>
double ChainPotentials<Real>::shared_score(std::int64_t s) const {
  double score = 0;
  each_true_pair(s, [&](std::size_t place) { score += double(scores_[place]); });
  return score;
}

template <class Real>
void ChainPotentials<Real>::take_truth(std::int64_t s, double times) {
  std::vector<double>& totals = slow_expected();
  each_true_pair(s, [&](std::size_t place) { totals[place] -= times; });
}

template <class Real>
std::unique_ptr<SentenceGradient<Real>> ChainPotentials<Real>::gradient() {
  if (local_ || by_label_) throw Error("UnsupportedError", "labels that are scored one by one are not learnt sentence by sentence.");
  return std::make_unique<ChainGradient<Real>>(*this);
}

template class ChainPotentials<float>;
template class ChainPotentials<double>;

}  // namespace riata
