#include "learning/chain_likelihood.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "core/tasks.hpp"
#include "inference/exact/chain_log_sums.hpp"

namespace riata {

template <class Real>
ChainLikelihood<Real>::ChainLikelihood(const FeatureIndex& index, const Instances& instances, std::int32_t labels, std::int32_t given_size,
                                       const Constraint<Real>& constraint, std::span<const double> weights, Pairs pairs,
                                       Normalised normalised, std::span<const std::int32_t> heads)
    : index_(index),
      instances_(instances),
      layout_(index, labels, given_size),
      constraint_(constraint),
      weights_(weights.begin(), weights.end()),
      given_size_(given_size),
      there_(index, layout_, instances, pairs),
      contexts_(index, layout_, instances) {
  layout_.local = normalised == Normalised::locally;
  count_gold_edges();
  cut_batches();
  RowColumns columns(index_, layout_, instances_, heads);
  rows_.emplace(std::move(columns.all), layout_, instances_, there_);
  other_starts_ = std::move(columns.other_starts);
  other_ids_ = std::move(columns.other_ids);
  other_values_ = std::move(columns.other_values);
}

template <class Real>
void ChainLikelihood<Real>::count_gold_edges() {
  const std::size_t square = static_cast<std::size_t>(layout_.labels) * static_cast<std::size_t>(layout_.stride);
  gold_edges_.assign(contexts_.rows.size() * square, 0);
  for (std::int64_t s = 0; s < instances_.sentences(); ++s) {
    if (instances_.partly_labelled(s)) continue;
    for (std::int64_t n = instances_.starts[s] + 1; n < instances_.starts[s + 1]; ++n) {
      const std::size_t at = static_cast<std::size_t>(contexts_.of[static_cast<std::size_t>(n)]) * square;
      gold_edges_[at + static_cast<std::size_t>(instances_.labels[n - 1]) * layout_.stride + instances_.labels[n]] += weight(s);
    }
  }
  for (auto* table : {&scores_, &forward_, &backward_}) table->assign(contexts_.rows.size() * square, Real{0});
  highest_.assign(contexts_.rows.size(), 0);
  expected_.assign(contexts_.rows.size() * square, 0);
}

template <class Real>
void ChainLikelihood<Real>::cut_batches() {
  std::int64_t longest = 0;
  known_rows_.assign(static_cast<std::size_t>(instances_.sentences()), -1);
  for (std::int64_t s = 0; s < instances_.sentences();) {
    Batch batch{s, s, {}, {}};
    const std::int64_t base = instances_.starts[s];
    while (batch.end < instances_.sentences() && (batch.end == s || instances_.starts[batch.end + 1] - base <= batch_tokens)) ++batch.end;
    const std::int64_t tokens = instances_.starts[batch.end] - base;
    std::vector<std::int32_t> row_contexts(contexts_.of.begin() + base, contexts_.of.begin() + base + tokens);
    for (std::int64_t k = s; k < batch.end; ++k) {
      if (!instances_.partly_labelled(k)) continue;
      known_rows_[static_cast<std::size_t>(k)] = static_cast<std::int64_t>(row_contexts.size());
      row_contexts.insert(row_contexts.end(), contexts_.of.begin() + instances_.starts[k], contexts_.of.begin() + instances_.starts[k + 1]);
    }
    longest = std::max(longest, static_cast<std::int64_t>(row_contexts.size()));
    std::vector<std::int32_t>& order = batch.order;
    for (std::int32_t n = 0; n < static_cast<std::int32_t>(row_contexts.size()); ++n) {
      if (row_contexts[static_cast<std::size_t>(n)] >= 0) order.push_back(n);
    }
    const auto context = [&](std::int32_t n) { return row_contexts[static_cast<std::size_t>(n)]; };
    std::stable_sort(order.begin(), order.end(), [&](std::int32_t a, std::int32_t b) { return context(a) < context(b); });
    for (std::size_t from = 0; from < order.size();) {
      std::size_t to = from;
      while (to < order.size() && to - from < chunk_tokens && context(order[to]) == context(order[from])) ++to;
      batch.chunks.push_back({context(order[from]), {static_cast<std::int32_t>(from), static_cast<std::int32_t>(to)}});
      from = to;
    }
    s = batch.end;
    batches_.push_back(std::move(batch));
  }
  for (auto* rows : {&alpha_, &into_, &difference_}) rows->assign(static_cast<std::size_t>(longest) * layout_.stride, Real{0});
}

template <class Real>
double ChainLikelihood<Real>::operator()(std::span<const double> at, std::span<double> gradient, std::int64_t threads, const Poll& poll) {
  std::fill(expected_.begin(), expected_.end(), 0);
  slow_expected_.clear();
  std::fill(gradient.begin(), gradient.end(), 0);
  rows_->sum(at, threads);
  rows_->clear(threads);
  make_factors();
  double value = 0;
  for (std::size_t i = 0; i < gold_edges_.size(); ++i) {
    if (gold_edges_[i] != 0) value -= gold_edges_[i] * double(scores_[i]);
  }
  for (const Batch& batch : batches_) {
    if (!poll(batch.first)) return std::numeric_limits<double>::quiet_NaN();
    const std::int64_t base = instances_.starts[batch.first], count = batch.end - batch.first;
    values_.assign(static_cast<std::size_t>(count), 0);
    hand_out(
        count, threads, [&] { return Scratch(*this); },
        [&](std::int64_t k, Scratch& scratch) {
          values_[static_cast<std::size_t>(k)] =
              layout_.local ? visit_locally(batch.first + k, base, scratch) : visit(batch.first + k, base, scratch);
        });
    for (std::int64_t k = 0; k < count; ++k) {
      double& here = values_[static_cast<std::size_t>(k)];
      if (std::isnan(here) && !layout_.local) here = visit_in_logarithms(batch.first + k, base);  // one at a time, in order
      value += here;
    }
    rows_->write(batch.first, batch.end, difference_.data(), threads);
    write_others(batch, gradient);
    if (layout_.local)
      sum_local_edges(batch);
    else
      sum_edges(batch, threads);
  }
  rows_->finish(gradient, threads);
  finish_edges(gradient);
  return value;
}

template <class Real>
void ChainLikelihood<Real>::make_factors() {
  const std::size_t square = static_cast<std::size_t>(layout_.labels) * static_cast<std::size_t>(layout_.stride);
  std::vector<Real> allowed(square);
  for (std::size_t c = 0; c < contexts_.rows.size(); ++c) {
    Real* scores = scores_.data() + c * square;
    std::fill_n(scores, square, Real{0});
    for (const std::int64_t row : contexts_.rows[c]) {
      for (std::int32_t i = 0; i < layout_.labels; ++i)
        rows_->add(row + std::int64_t{i} * layout_.stride, Real{1}, scores + std::int64_t{i} * layout_.stride);
    }
    for (std::size_t k = 0; k < square; ++k) allowed[k] = scores[k] + constraint_.follow[k];
    highest_[c] =
        make_edge_factors(allowed.data(), layout_.labels, layout_.stride, forward_.data() + c * square, backward_.data() + c * square);
  }
}

// The scores of the labels of every token: [length][stride], minus infinity where not allowed.
template <class Real>
void ChainLikelihood<Real>::score(std::int64_t s, Real* node) const {
  const std::int64_t length = instances_.length(s), stride = layout_.stride;
  rows_->read(s, node);
  each_other_row(s, [&](std::int64_t t, std::int64_t row, float value) { rows_->add(row, Real(value), node + t * stride); });
  for (std::int64_t t = 0; t < length; ++t) std::fill(node + t * stride + layout_.labels, node + (t + 1) * stride, Constraint<Real>::never);
  for (std::int32_t j = 0; j < layout_.labels; ++j) {
    node[j] += constraint_.start[static_cast<std::size_t>(j)];
    node[(length - 1) * stride + j] += constraint_.end[static_cast<std::size_t>(j)];
  }
}

// visit(token, row, value) for rows that are in no column: some of the features that users name, and all of a hashed index.
template <class Real>
template <class Visit>
void ChainLikelihood<Real>::each_other_row(std::int64_t s, Visit visit) const {
  const bool hashed = index_.hashed();
  if (!hashed && other_ids_.empty()) return;
  const auto& starts = hashed ? instances_.given_starts : other_starts_;
  const auto& ids = hashed ? instances_.given_ids : other_ids_;
  const auto& values = hashed ? instances_.given_values : other_values_;
  const HashTable table = index_.table(layout_.labels, layout_.stride);
  for (std::int64_t t = 0; t < instances_.length(s); ++t) {
    for (const Slot& slot : index_.node_slots()) {
      if (!hashed) break;
      const std::int32_t id = instances_.ngrams[slot.family][static_cast<std::size_t>(instances_.origin(s) + t + slot.offset)];
      if (id >= 0) visit(t, layout_.given_row(table.row(id, Reader::node, slot.slot)), 1.0f);
    }
    if (starts.empty()) continue;
    const auto token = static_cast<std::size_t>(instances_.starts[s] + t);
    for (auto k = static_cast<std::size_t>(starts[token]); k < static_cast<std::size_t>(starts[token + 1]); ++k) {
      visit(t, layout_.given_row(hashed ? table.row(ids[k], Reader::given) : static_cast<std::size_t>(ids[k])), values[k]);
    }
  }
}

// What a sentence adds to the value, apart from the truth's pairs; NaN where logarithms are needed.
template <class Real>
double ChainLikelihood<Real>::visit(std::int64_t s, std::int64_t base, Scratch& scratch) {
  const auto length = static_cast<std::int32_t>(instances_.length(s));
  if (length == 0) return 0;
  const std::int32_t stride = layout_.stride;
  const std::int32_t* gold = instances_.labels.data() + instances_.starts[s];
  const std::int64_t first = (instances_.starts[s] - base) * stride;
  scratch.node.resize(static_cast<std::size_t>(length) * stride);
  Real* node = scratch.node.data();
  score(s, node);
  const bool known = known_rows_[static_cast<std::size_t>(s)] < 0;
  double truth = 0;
  for (std::int32_t t = 0; known && t < length; ++t) truth += double(node[std::int64_t{t} * stride + gold[t]]);
  Real *into = into_.data() + first, *difference = difference_.data() + first;
  const double log_z = scratch.sums(length, node, edges(s), alpha_.data() + first, into, difference);
  if (!known && std::isfinite(log_z)) truth = visit_known(s, base, scratch);
  if (!std::isfinite(log_z) || !std::isfinite(truth)) return std::numeric_limits<double>::quiet_NaN();
  for (std::int32_t t = 0; known && t < length; ++t) difference[std::int64_t{t} * stride + gold[t]] -= 1;
  const double times = weight(s);
  if (times != 1) {
    for (std::int64_t k = 0; k < std::int64_t{length} * stride; ++k) {
      difference[k] *= static_cast<Real>(times);
      into[k] *= static_cast<Real>(times);
    }
  }
  return times * (log_z - truth);
}

// The same for the labellings of a sentence that have its known labels: takes their posteriors off the difference, and returns log Z.
template <class Real>
double ChainLikelihood<Real>::visit_known(std::int64_t s, std::int64_t base, Scratch& scratch) {
  const std::int64_t length = instances_.length(s), cells = length * layout_.stride,
                     own = known_rows_[static_cast<std::size_t>(s)] * layout_.stride;
  Real *node = scratch.node.data(), *into = into_.data() + own,
       *difference = difference_.data() + (instances_.starts[s] - base) * layout_.stride;
  score(s, node);
  keep_known(s, node);
  scratch.posterior.resize(static_cast<std::size_t>(cells));
  const double log_z = scratch.sums(static_cast<std::int32_t>(length), node, edges(s), alpha_.data() + own, into, scratch.posterior.data());
  if (!std::isfinite(log_z)) return log_z;
  const Real times = static_cast<Real>(-weight(s));
  for (std::int64_t k = 0; k < cells; ++k) {
    difference[k] -= scratch.posterior[static_cast<std::size_t>(k)];
    into[k] *= times;
  }
  return log_z;
}

// Labels other than the known ones are not allowed.
template <class Real>
void ChainLikelihood<Real>::keep_known(std::int64_t s, Real* node) const {
  const std::int32_t* gold = instances_.labels.data() + instances_.starts[s];
  for (std::int64_t t = 0; t < instances_.length(s); ++t, node += layout_.stride) {
    for (std::int32_t j = 0; gold[t] != unknown_label && j < layout_.labels; ++j)
      node[j] = j == gold[t] ? node[j] : Constraint<Real>::never;
  }
}

// The same by logarithms and in double precision, for scores beyond what factors can hold.
template <class Real>
double ChainLikelihood<Real>::visit_in_logarithms(std::int64_t s, std::int64_t base) {
  const std::int64_t length = instances_.length(s), stride = layout_.stride, first = (instances_.starts[s] - base) * stride,
                     known = known_rows_[static_cast<std::size_t>(s)];
  const std::int32_t* gold = instances_.labels.data() + instances_.starts[s];
  const double times = weight(s);
  std::vector<Real> node(static_cast<std::size_t>(length * stride));
  score(s, node.data());
  if (slow_expected_.empty()) slow_expected_.assign(expected_.size(), 0);
  Real* difference = difference_.data() + first;
  std::fill_n(difference, length * stride, Real{0});
  clear_pairs(first / stride, length);
  const double log_z = add_in_logarithms(s, node.data(), times, difference);
  if (known >= 0) {
    clear_pairs(known, length);
    keep_known(s, node.data());
    return times * (log_z - add_in_logarithms(s, node.data(), -times, difference));
  }
  double truth = 0;
  for (std::int64_t t = 0; t < length; ++t) {
    truth += double(node[static_cast<std::size_t>(t * stride + gold[t])]);
    difference[t * stride + gold[t]] -= static_cast<Real>(times);
  }
  return times * (log_z - truth);
}

// Adds so many times the posteriors of labels to the difference, and those of pairs to slow_expected_; returns log Z.
template <class Real>
double ChainLikelihood<Real>::add_in_logarithms(std::int64_t s, const Real* node, double times, Real* difference) {
  const auto length = static_cast<std::size_t>(instances_.length(s)), labels = static_cast<std::size_t>(layout_.labels),
             stride = static_cast<std::size_t>(layout_.stride);
  const std::int32_t* contexts = contexts_.of.data() + instances_.starts[s];
  const std::size_t square = labels * stride;
  const auto pair = [&](std::size_t t, std::size_t i, std::size_t j) {
    return double(scores_[static_cast<std::size_t>(contexts[t]) * square + i * stride + j]) + double(constraint_.follow[i * stride + j]);
  };
  const auto own = [&](std::size_t t, std::size_t j) { return double(node[t * stride + j]); };
  ChainLogSums sums;
  const double log_z = sums(length, labels, own, pair);
  for (std::size_t t = 0; t < length; ++t) {
    for (std::size_t j = 0; j < labels; ++j) difference[t * stride + j] += static_cast<Real>(times * sums.posterior(t, j));
    for (std::size_t i = 0; t > 0 && i < labels; ++i) {
      for (std::size_t j = 0; j < labels; ++j) {
        slow_expected_[static_cast<std::size_t>(contexts[t]) * square + i * stride + j] +=
            times * sums.posterior(t, i, j, pair(t, i, j) + own(t, j));
      }
    }
  }
  return log_z;
}

// Rows of the batch that expect no pairs.
template <class Real>
void ChainLikelihood<Real>::clear_pairs(std::int64_t row, std::int64_t count) {
  std::fill_n(alpha_.begin() + row * layout_.stride, count * layout_.stride, Real{0});
  std::fill_n(into_.begin() + row * layout_.stride, count * layout_.stride, Real{0});
}

// The same where every step is normalised by itself, after the true label before it.
template <class Real>
double ChainLikelihood<Real>::visit_locally(std::int64_t s, std::int64_t base, Scratch& scratch) {
  const std::int64_t length = instances_.length(s), stride = layout_.stride, square = std::int64_t{layout_.labels} * stride;
  const std::int32_t* gold = instances_.labels.data() + instances_.starts[s];
  const std::int32_t* contexts = contexts_.of.data() + instances_.starts[s];
  const std::int64_t first = (instances_.starts[s] - base) * stride;
  const double times = weight(s);
  scratch.node.resize(static_cast<std::size_t>((length + 1) * stride));
  Real *node = scratch.node.data(), *pairs = node + length * stride;
  if (length > 0) score(s, node);
  double value = 0;
  for (std::int64_t t = 0; t < length; ++t) {
    Real *own = node + t * stride, *into = into_.data() + first + t * stride, *difference = difference_.data() + first + t * stride;
    double sum = 0;
    if (t == 0) {
      sum = scratch.local(own);
    } else {
      const std::int64_t from = std::int64_t{gold[t - 1]} * stride;
      for (std::int64_t j = 0; j < layout_.labels; ++j) {
        pairs[j] =
            scores_[static_cast<std::size_t>(contexts[t] * square + from + j)] + constraint_.follow[static_cast<std::size_t>(from + j)];
      }
      sum = scratch.local(own, pairs);
    }
    value += sum - double(own[gold[t]]);
    scratch.local.probabilities(into);
    for (std::int64_t j = 0; j < stride; ++j) into[j] *= static_cast<Real>(times);
    std::copy_n(into, stride, difference);
    difference[gold[t]] -= static_cast<Real>(times);
  }
  return times * value;
}

template <class Real>
void ChainLikelihood<Real>::write_others(const Batch& batch, std::span<double> gradient) {
  const std::int64_t base = instances_.starts[batch.first], stride = layout_.stride;
  for (std::int64_t s = batch.first; s < batch.end; ++s) {
    const Real* from = difference_.data() + (instances_.starts[s] - base) * stride;
    each_other_row(s, [&](std::int64_t t, std::int64_t row, float value) { there_.add(row, from + t * stride, double(value), gradient); });
  }
}

template <class Real>
void ChainLikelihood<Real>::sum_edges(const Batch& batch, std::int64_t threads) {
  const std::size_t square = static_cast<std::size_t>(layout_.labels) * static_cast<std::size_t>(layout_.stride);
  const std::int32_t stride = layout_.stride;
  // So many chunks at a time: their sums take memory.
  constexpr std::size_t at_once = 64;
  std::vector<Real> sums(std::min(at_once, batch.chunks.size()) * square);
  for (std::size_t from = 0; from < batch.chunks.size(); from += at_once) {
    const std::size_t to = std::min(from + at_once, batch.chunks.size());
    std::fill(sums.begin(), sums.end(), Real{0});
    Tasks parts;
    for (std::size_t c = from; c < to; ++c) {
      parts.add([&, c] {
        const auto [low, high] = batch.chunks[c].second;
        add_outer(batch.order.data() + low, high - low, alpha_.data(), into_.data(), layout_.labels, stride,
                  sums.data() + (c - from) * square);
      });
    }
    parts.run(threads);
    for (std::size_t c = from; c < to; ++c) {
      double* total = expected_.data() + static_cast<std::size_t>(batch.chunks[c].first) * square;
      for (std::size_t k = 0; k < square; ++k) total[k] += double(sums[(c - from) * square + k]);
    }
  }
}

// One after the other: of a step, only the pairs with the true label before it are expected.
template <class Real>
void ChainLikelihood<Real>::sum_local_edges(const Batch& batch) {
  const std::int64_t stride = layout_.stride, square = std::int64_t{layout_.labels} * stride, base = instances_.starts[batch.first];
  if (slow_expected_.empty()) slow_expected_.assign(expected_.size(), 0);
  for (const std::int32_t n : batch.order) {
    const std::int64_t before = instances_.labels[static_cast<std::size_t>(base + n - 1)];
    double* total = slow_expected_.data() + contexts_.of[static_cast<std::size_t>(base + n)] * square + before * stride;
    const Real* row = into_.data() + n * stride;
    for (std::int64_t j = 0; j < layout_.labels; ++j) total[j] += double(row[j]);
  }
}

// From sums of alpha x into to expected pairs, less those of the truth, into the rows of every context.
template <class Real>
void ChainLikelihood<Real>::finish_edges(std::span<double> gradient) {
  const std::size_t square = static_cast<std::size_t>(layout_.labels) * static_cast<std::size_t>(layout_.stride);
  std::vector<double> total(square);
  for (std::size_t c = 0; c < contexts_.rows.size(); ++c) {
    for (std::size_t k = 0; k < square; ++k) {
      const std::size_t at = c * square + k;
      total[k] = expected_[at] * double(forward_[at]) + (slow_expected_.empty() ? 0 : slow_expected_[at]) - gold_edges_[at];
    }
    for (const std::int64_t row : contexts_.rows[c]) {
      for (std::int64_t from = 0; from < static_cast<std::int64_t>(square); from += layout_.stride)
        there_.add(row + from, total.data() + from, 1, gradient);
    }
  }
}

template <class Real>
template <class Out>
Weights<Out> ChainLikelihood<Real>::model_in(std::span<const double> at) const {
  Weights<Out> out(layout_.labels);
  out.local = layout_.local;
  out.grow(index_, given_size_);
  each_cell(out, [&](std::int32_t i, Out& cell) { cell = static_cast<Out>(at[static_cast<std::size_t>(i)]); });
  return out;
}

template <class Real>
std::vector<double> ChainLikelihood<Real>::point(const Weights<Real>& weights) const {
  std::vector<double> out(static_cast<std::size_t>(size()), 0);
  Weights<Real> grown = weights;
  if (!weights.node.empty() || !weights.given.empty()) {
    grown.grow(index_, given_size_);
    each_cell(grown, [&](std::int32_t i, Real& cell) { out[static_cast<std::size_t>(i)] = double(cell); });
  }
  return out;
}

// visit(weight, where a model has it)
template <class Real>
template <class Out, class Visit>
void ChainLikelihood<Real>::each_cell(Weights<Out>& weights, Visit visit) const {
  std::vector<std::pair<std::int64_t, Numbers<Out>*>> blocks;  // with their ends
  std::int64_t from = 0;
  layout_.each(weights, [&](Numbers<Out>& block, std::int64_t start) {
    blocks.push_back({start + static_cast<std::int64_t>(block.size()), &block});
  });
  std::size_t b = 0;
  there_.each([&](std::int32_t i, std::int64_t place) {
    while (place >= blocks[b].first) from = blocks[b++].first;
    visit(i, (*blocks[b].second)[static_cast<std::size_t>(place - from)]);
  });
}

template class ChainLikelihood<float>;
template class ChainLikelihood<double>;
template Weights<float> ChainLikelihood<float>::model_in(std::span<const double>) const;
template Weights<float> ChainLikelihood<double>::model_in(std::span<const double>) const;
template Weights<double> ChainLikelihood<double>::model_in(std::span<const double>) const;

}  // namespace riata
