#include "learning/second_order_likelihood.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <numeric>
#include <string>

#include "core/error.hpp"
#include "core/tasks.hpp"
#include "inference/exact/second_order_log_sums.hpp"
#include "models/exact_chain.hpp"

namespace riata {
namespace {

constexpr std::int64_t few_at_once = std::int64_t{1} << 20;  // bytes for each context
constexpr double given_up = std::numeric_limits<double>::quiet_NaN();

HistoryIndex empty_history(const FeatureIndex& index, std::int32_t labels) {
  check_exact(index, labels);
  if (index.hashed())
    throw Error("UnsupportedError", "the likelihood does not read earlier labels whose features are hashed.", "Leave out bits.");
  return HistoryIndex(index.history_slots());
}

}  // namespace

template <class Real>
SecondOrderLikelihood<Real>::SecondOrderLikelihood(const FeatureIndex& index, const Instances& instances, std::int32_t labels,
                                                   std::int32_t given_size, const Constraint<Real>& constraint,
                                                   std::span<const double> weights, Pairs pairs, std::int64_t kept, std::int64_t at_once,
                                                   double often_read)
    : index_(index),
      instances_(instances),
      layout_(index, labels, given_size),
      constraint_(constraint),
      weights_(weights.begin(), weights.end()),
      given_size_(given_size),
      at_once_(at_once),
      history_(empty_history(index, labels)),
      there_(index, layout_, instances, pairs, enter_history(history_, layout_, instances, pairs, sizeof(Real))),
      steps_(index, layout_, history_, instances, constraint, there_, often_read),
      rows_(RowColumns(index, layout_, instances, {}).all, layout_, instances, there_) {
  for (std::int64_t s = 0; s < instances.sentences(); ++s) complete_.push_back(!instances.partly_labelled(s));
  if (at_once_ == 0) at_once_ = std::clamp<std::int64_t>(steps_.contexts() * few_at_once, 2 * few_at_once, most_at_once);
  cut_batches();
  keep_cubes(kept);
  count_gold();
  table_.assign(gold_.size(), Real{0});
}

template <class Real>
void SecondOrderLikelihood<Real>::check_length(std::int64_t s) const {
  constexpr double most = 4.0 * (1 << 30);  // bytes
  const double need =
      2.0 * double(layout_.labels) * double(layout_.stride) * sizeof(Real) * double(instances_.length(s)) * (complete(s) ? 1 : 2);
  if (need <= most) return;
  throw Error("UnsupportedError",
              "sentence " + std::to_string(s) + " (from 0) has " + std::to_string(instances_.length(s)) +
                  " tokens: too many for sums two labels back with " + std::to_string(layout_.labels) + " labels.",
              "Split it, or leave out templates that read label[-2].");
}

template <class Real>
void SecondOrderLikelihood<Real>::cut_batches() {
  const std::int64_t per_row = 2 * square() * static_cast<std::int64_t>(sizeof(Real));
  std::int64_t longest = 0, most_tokens = 0, most_sparse = 0;
  for (std::int64_t s = 0; s < instances_.sentences();) {
    Batch batch{s, s, {}, {}};
    std::int64_t rows = 0;
    for (; batch.end < instances_.sentences(); ++batch.end) {
      check_length(batch.end);
      const std::int64_t more = instances_.length(batch.end) * (complete(batch.end) ? 1 : 2);
      if (batch.end > s && (rows + more) * per_row > at_once_) break;
      rows_of_.push_back(rows);
      rows += more;
    }
    std::vector<std::int32_t> context_of(static_cast<std::size_t>(rows), -1);
    for (; s < batch.end; ++s) {
      for (const bool given : {false, true}) {
        for (std::int64_t t = 1; t < instances_.length(s) && !(given && complete(s)); ++t) {
          batch.order.push_back(static_cast<std::int32_t>(row(s, given) + t));
          context_of[static_cast<std::size_t>(batch.order.back())] = steps_.context(instances_.starts[s] + t);
        }
      }
    }
    const auto context = [&](std::int64_t k) { return context_of[static_cast<std::size_t>(batch.order[static_cast<std::size_t>(k)])]; };
    std::stable_sort(batch.order.begin(), batch.order.end(), [&](std::int32_t a, std::int32_t b) {
      return context_of[static_cast<std::size_t>(a)] < context_of[static_cast<std::size_t>(b)];
    });
    const auto count = static_cast<std::int64_t>(batch.order.size());
    for (std::int64_t low = 0, high = 0; low < count; low = high) {
      while (high < count && high - low < chunk_tokens && context(high) == context(low)) ++high;
      batch.chunks.push_back({context(low), low, high});
    }
    longest = std::max(longest, rows);
    most_tokens = std::max(most_tokens, instances_.starts[batch.end] - instances_.starts[batch.first]);
    most_sparse = std::max(most_sparse,
                           steps_.sparse().before(instances_.starts[batch.end]) - steps_.sparse().before(instances_.starts[batch.first]));
    batches_.push_back(std::move(batch));
  }
  for (auto* table : {&from_, &into_}) table->assign(static_cast<std::size_t>(longest * square()), Real{0});
  sparse_.assign(static_cast<std::size_t>(most_sparse), Real{0});
  difference_.assign(static_cast<std::size_t>(most_tokens * layout_.stride), Real{0});
}

template <class Real>
void SecondOrderLikelihood<Real>::keep_cubes(std::int64_t bytes) {
  std::vector<std::int32_t> order(static_cast<std::size_t>(steps_.contexts()));
  std::iota(order.begin(), order.end(), 0);
  std::stable_sort(order.begin(), order.end(), [&](std::int32_t a, std::int32_t b) { return steps_.tokens(a) > steps_.tokens(b); });
  kept_.assign(order.size(), -1);
  highest_.assign(order.size(), 0);
  std::int64_t next = 0;
  for (const std::int32_t context : order) {
    const std::int64_t end = next + steps_.rows(context) * layout_.stride;
    if (end * static_cast<std::int64_t>(sizeof(Real)) > bytes) break;
    kept_[static_cast<std::size_t>(context)] = next;
    next = end;
  }
  cubes_.assign(static_cast<std::size_t>(next), Real{0});
}

// Of pairs and triples of labels; single ones are taken off posteriors, and so is what a first token reads of labels before it.
template <class Real>
void SecondOrderLikelihood<Real>::count_gold() {
  gold_.assign(static_cast<std::size_t>(steps_.table_size()), 0);
  for (std::int64_t s = 0; s < instances_.sentences(); ++s) {
    const std::int32_t* gold = instances_.labels.data() + instances_.starts[s];
    for (std::int64_t t = 1; t < instances_.length(s) && complete(s); ++t) {
      steps_.each(steps_.context(instances_.starts[s] + t), t == 1 ? 0 : gold[t - 2], gold[t - 1], gold[t],
                  [&](std::int64_t place) { gold_[static_cast<std::size_t>(place)] += weight(s); });
      steps_.sparse().count(instances_.starts[s] + t, gold[t - 1] * layout_.stride + gold[t], weight(s));
    }
  }
}

template <class Real>
double SecondOrderLikelihood<Real>::operator()(std::span<const double> at, std::span<double> gradient, std::int64_t threads,
                                               const Poll& poll) {
  std::fill(gradient.begin(), gradient.end(), 0);
  steps_.read(there_, at, table_.data());
  double value = -steps_.sparse().read(at);
  totals_.resize(gold_.size());
  for (std::size_t k = 0; k < gold_.size(); ++k) {
    totals_[k] = -gold_[k];
    if (gold_[k] != 0) value -= gold_[k] * double(table_[k]);
  }
  make_cubes(threads);
  rows_.sum(at, threads);
  rows_.clear(threads);
  for (const Batch& batch : batches_) {
    if (!poll(batch.first)) return given_up;
    const std::int64_t base = instances_.starts[batch.first], count = batch.end - batch.first;
    values_.assign(static_cast<std::size_t>(count), 0);
    hand_out(
        count, threads, [&] { return Scratch(*this); },
        [&](std::int64_t k, Scratch& scratch) { values_[static_cast<std::size_t>(k)] = visit(batch.first + k, base, scratch); });
    for (std::int64_t k = 0; k < count; ++k) {
      const double here = values_[static_cast<std::size_t>(k)];
      value += std::isnan(here) ? visit_in_logarithms(batch.first + k, base) : here;  // one at a time, in order
    }
    rows_.write(batch.first, batch.end, difference_.data(), threads);
    write_others(batch, gradient);
    write_first(batch);
    sum_steps(batch, threads);
    steps_.sparse().gather(base, instances_.starts[batch.end], sparse_.data());
  }
  rows_.finish(gradient, threads);
  steps_.sparse().add(gradient);
  steps_.add(totals_.data(), there_, gradient);
  return value;
}

template <class Real>
void SecondOrderLikelihood<Real>::make_cubes(std::int64_t threads) {
  hand_out(
      steps_.contexts(), threads, [] { return std::vector<Real>(); },
      [&](std::int64_t context, std::vector<Real>& rows) {
        const std::int64_t place = kept_[static_cast<std::size_t>(context)];
        if (place >= 0)
          highest_[static_cast<std::size_t>(context)] = make_cube(static_cast<std::int32_t>(context), cubes_.data() + place, rows);
      });
}

template <class Real>
double SecondOrderLikelihood<Real>::make_cube(std::int32_t context, Real* cube, std::vector<Real>& rows) const {
  steps_.score(context, table_.data(), cube);
  return make_factors(cube, steps_.rows(context), layout_.stride, rows);
}

template <class Real>
TripleFactors<Real> SecondOrderLikelihood<Real>::cube(std::int32_t context, Cube& made) const {
  const std::int64_t place = kept_[static_cast<std::size_t>(context)];
  if (place >= 0) return {cubes_.data() + place, highest_[static_cast<std::size_t>(context)]};
  made.factors.resize(static_cast<std::size_t>(cube_size()));
  const double highest = make_cube(context, made.factors.data(), made.rows);
  return {made.factors.data(), highest};
}

// The scores of the labels of every token: [length][stride], minus infinity where not allowed. given: those that were not given are not
// allowed.
template <class Real>
void SecondOrderLikelihood<Real>::score(std::int64_t s, bool given, Real* node) const {
  const std::int64_t length = instances_.length(s), stride = layout_.stride, start = instances_.starts[s];
  rows_.read(s, node);
  for (std::int64_t t = 0; t < length && !instances_.given_starts.empty(); ++t) {
    for (std::int64_t k = instances_.given_starts[start + t]; k < instances_.given_starts[start + t + 1]; ++k) {
      rows_.add(layout_.given_row(static_cast<std::size_t>(instances_.given_ids[k])), Real(instances_.given_values[k]), node + t * stride);
    }
  }
  steps_.each_first(s, [&](std::int64_t row) {
    for (std::int64_t j = 0; j < stride; ++j) node[j] += table_[static_cast<std::size_t>(row + j)];
  });
  for (std::int64_t t = 0; t < length; ++t) std::fill(node + t * stride + layout_.labels, node + (t + 1) * stride, Constraint<Real>::never);
  for (std::int32_t j = 0; j < layout_.labels; ++j) {
    node[j] += constraint_.start[static_cast<std::size_t>(j)];
    node[(length - 1) * stride + j] += constraint_.end[static_cast<std::size_t>(j)];
  }
  for (std::int64_t t = 0; t < length && given; ++t) {
    const std::int32_t label = instances_.labels[static_cast<std::size_t>(start + t)];
    for (std::int32_t j = 0; j < layout_.labels && label != unknown_label; ++j) {
      if (j != label) node[t * stride + j] = Constraint<Real>::never;
    }
  }
}

// log Z, with the tables filled in and posteriors in the scratch; NaN where logarithms are needed.
template <class Real>
double SecondOrderLikelihood<Real>::run(std::int64_t s, std::int64_t base, bool given, Scratch& scratch) {
  const std::int64_t at = row(s, given) * square(), start = instances_.starts[s], stride = layout_.stride;
  const SparsePairs<Real>& sparse_pairs = steps_.sparse();
  const auto step = [&](std::int32_t t) { return cube(steps_.context(start + t), scratch.cube); };
  std::int32_t made = 0;  // tokens whose pairs have their factors
  const auto own = [&](std::int32_t t) -> PairFactors<Real> {
    const Real* node = scratch.node.data() + t * stride;
    if (!sparse_pairs.any(start + t)) return {node, 0, 0};
    Real* rows = scratch.own.data() + t * square();
    if (t > made) scratch.highest[static_cast<std::size_t>(t)] = sparse_pairs.factors(start + t, node, rows);
    made = std::max(made, t);
    return {rows, layout_.stride, scratch.highest[static_cast<std::size_t>(t)]};
  };
  const Real times = static_cast<Real>(given ? -weight(s) : weight(s));
  const auto pairs = [&](std::int32_t t, const Real* back, Real share) {
    const Real* from = from_.data() + at + t * square();
    Real* out = sparse(start + t, base);
    sparse_pairs.each_weight(start + t, [&](std::int64_t, std::int32_t cell, Real) {
      const Real expected = from[cell] * back[cell] * (share * times);
      *out = given ? *out + expected : expected;
      ++out;
    });
  };
  return scratch.sums(static_cast<std::int32_t>(instances_.length(s)), scratch.node.data(), step, own, from_.data() + at, into_.data() + at,
                      scratch.posterior.data(), pairs);
}

// What a sentence adds to the value, apart from the truth's pairs and triples; NaN where logarithms are needed.
template <class Real>
double SecondOrderLikelihood<Real>::visit(std::int64_t s, std::int64_t base, Scratch& scratch) {
  const std::int64_t length = instances_.length(s), stride = layout_.stride;
  if (length == 0) return 0;
  const std::int32_t* gold = instances_.labels.data() + instances_.starts[s];
  Real* difference = difference_.data() + (instances_.starts[s] - base) * stride;
  for (auto* rows : {&scratch.node, &scratch.posterior}) rows->resize(static_cast<std::size_t>(length * stride));
  scratch.own.resize(static_cast<std::size_t>(length * square()));
  scratch.highest.resize(static_cast<std::size_t>(length));
  score(s, false, scratch.node.data());
  double truth = 0;
  for (std::int64_t t = 0; t < length && complete(s); ++t) truth += double(scratch.node[static_cast<std::size_t>(t * stride + gold[t])]);
  const double log_z = run(s, base, false, scratch), times = weight(s);
  if (!std::isfinite(log_z)) return given_up;
  for (std::int64_t k = 0; k < length * stride; ++k)
    difference[k] = scratch.posterior[static_cast<std::size_t>(k)] * static_cast<Real>(times);
  if (complete(s)) {
    for (std::int64_t t = 0; t < length; ++t) difference[t * stride + gold[t]] -= static_cast<Real>(times);
  } else {
    score(s, true, scratch.node.data());
    truth = run(s, base, true, scratch);
    for (std::int64_t k = 0; k < length * stride; ++k)
      difference[k] -= scratch.posterior[static_cast<std::size_t>(k)] * static_cast<Real>(times);
  }
  if (!std::isfinite(truth)) return given_up;
  for (const bool given : {false, true}) {
    const Real factor = static_cast<Real>(given ? -times : times);
    Real* into = into_.data() + row(s, given) * square();
    for (std::int64_t k = square(); k < length * square() && factor != 1 && !(given && complete(s)); ++k) into[k] *= factor;
  }
  return times * (log_z - truth);
}

// The same by logarithms and in double precision, for scores beyond what factors can hold; what steps expect is handed on at once.
template <class Real>
double SecondOrderLikelihood<Real>::visit_in_logarithms(std::int64_t s, std::int64_t base) {
  const std::int64_t length = instances_.length(s), stride = layout_.stride, rows = length * (complete(s) ? 1 : 2);
  for (auto* table : {&from_, &into_}) std::fill_n(table->begin() + row(s, false) * square(), rows * square(), Real{0});
  std::fill(sparse(instances_.starts[s], base), sparse(instances_.starts[s + 1], base), Real{0});
  Real* difference = difference_.data() + (instances_.starts[s] - base) * stride;
  std::fill_n(difference, length * stride, Real{0});
  const double log_z = run_in_logarithms(s, base, false, difference), times = weight(s);
  if (!complete(s)) return times * (log_z - run_in_logarithms(s, base, true, difference));
  const std::int32_t* gold = instances_.labels.data() + instances_.starts[s];
  std::vector<Real> node(static_cast<std::size_t>(length * stride));
  score(s, false, node.data());
  double truth = 0;
  for (std::int64_t t = 0; t < length; ++t) {
    truth += double(node[static_cast<std::size_t>(t * stride + gold[t])]);
    difference[t * stride + gold[t]] -= static_cast<Real>(times);
  }
  return times * (log_z - truth);
}

template <class Real>
double SecondOrderLikelihood<Real>::run_in_logarithms(std::int64_t s, std::int64_t base, bool given, Real* difference) {
  const auto length = static_cast<std::size_t>(instances_.length(s)), labels = static_cast<std::size_t>(layout_.labels),
             stride = static_cast<std::size_t>(layout_.stride);
  std::vector<Real> node(length * stride), scores(static_cast<std::size_t>(cube_size()));
  score(s, given, node.data());
  std::size_t scored = 0;  // the token whose scores are at hand
  const auto context = [&](std::size_t t) { return steps_.context(instances_.starts[s] + static_cast<std::int64_t>(t)); };
  const auto place = [&](std::size_t t, std::size_t h, std::size_t i) {
    return (i * static_cast<std::size_t>(steps_.height(context(t))) + h) * stride;
  };
  const auto own = [&](std::size_t t, std::size_t j) { return double(node[t * stride + j]); };
  // visit(number among those of the token, cell of the cube, weight)
  const auto each_sparse = [&](std::size_t t, auto visit) {
    std::size_t number = 0;
    steps_.sparse().each_weight(instances_.starts[s] + static_cast<std::int64_t>(t), [&](std::int64_t, std::int32_t cell, Real weight) {
      const auto i = static_cast<std::size_t>(cell) / stride, j = static_cast<std::size_t>(cell) % stride;
      for (std::size_t h = 0; h < static_cast<std::size_t>(steps_.height(context(t))); ++h) visit(number, place(t, h, i) + j, weight);
      ++number;
    });
  };
  const auto triple = [&](std::size_t t, std::size_t h, std::size_t i, std::size_t j) {
    if (t != scored) {
      steps_.score(context(t), table_.data(), scores.data());
      each_sparse(t, [&](std::size_t, std::size_t cell, Real weight) { scores[cell] += weight; });
    }
    scored = t;
    return double(scores[place(t, h, i) + j]);
  };
  SecondOrderLogSums sums;
  const double log_z = sums(length, labels, own, triple), times = given ? -weight(s) : weight(s);
  if (!std::isfinite(log_z)) return log_z;
  std::vector<Real> expected(scores.size());
  for (std::size_t t = 0; t < length; ++t) {
    for (std::size_t j = 0; j < labels; ++j) difference[t * stride + j] += static_cast<Real>(times * sums.posterior(t, j));
    if (t == 0) continue;
    std::fill(expected.begin(), expected.end(), Real{0});
    for (std::size_t i = 0; i < labels; ++i) {
      for (std::size_t h = 0; h < static_cast<std::size_t>(steps_.height(context(t))); ++h) {
        for (std::size_t j = 0; j < labels; ++j)
          expected[place(t, h, i) + j] = static_cast<Real>(times * sums.posterior(t, h, i, j, triple(t, h, i, j) + own(t, j)));
      }
    }
    steps_.hand_on(context(t), expected.data(), totals_.data());
    Real* out = sparse(instances_.starts[s] + static_cast<std::int64_t>(t), base);
    each_sparse(t, [&](std::size_t number, std::size_t cell, Real) { out[number] += expected[cell]; });
  }
  return log_z;
}

// What the steps of a batch expect: of a context, products of both tables, added up, times the factors.
template <class Real>
void SecondOrderLikelihood<Real>::sum_steps(const Batch& batch, std::int64_t threads) {
  const std::int64_t stride = layout_.stride;
  // So many chunks at a time: their sums take memory.
  const auto together = std::clamp<std::int64_t>(at_once_ / (cube_size() * static_cast<std::int64_t>(sizeof(Real))), 1, 256);
  const auto count = static_cast<std::int64_t>(batch.chunks.size());
  std::vector<Real> sums(static_cast<std::size_t>(std::min(together, count) * cube_size()));
  for (std::int64_t from = 0; from < count; from += together) {
    const std::int64_t to = std::min(from + together, count);
    Tasks parts;
    for (std::int64_t c = from; c < to; ++c) {
      const Chunk& chunk = batch.chunks[static_cast<std::size_t>(c)];
      const std::int64_t tall = steps_.height(chunk.context), slab = tall * stride;
      // A cube that is not kept is made by one thread; others are done in parts, where there is enough to do.
      const std::int64_t work = (chunk.high - chunk.low) * cube_size() >> 20, labels = layout_.labels;
      const std::int64_t pieces = kept_[static_cast<std::size_t>(chunk.context)] < 0 ? 1 : std::clamp<std::int64_t>(work, 1, labels);
      for (std::int64_t piece = 0; piece < pieces; ++piece) {
        parts.add([this, &batch, &chunk, &sums, c, from, tall, slab, stride, piece, pieces, labels] {
          Cube made;
          const Real* factors = cube(chunk.context, made).factors;
          Real* sum = sums.data() + (c - from) * cube_size();
          const std::int64_t low = labels * piece / pieces, high = labels * (piece + 1) / pieces;
          std::fill(sum + low * slab, sum + high * slab, Real{0});
          add_triples(batch.order.data() + chunk.low, chunk.high - chunk.low, from_.data(), into_.data(), layout_.labels,
                      static_cast<std::int32_t>(tall), layout_.stride, static_cast<std::int32_t>(low), static_cast<std::int32_t>(high),
                      sum);
          for (std::int64_t k = low * slab; k < high * slab; ++k) sum[k] *= factors[k];
        });
      }
    }
    parts.run(threads);
    for (std::int64_t c = from; c < to; ++c)
      steps_.hand_on(batch.chunks[static_cast<std::size_t>(c)].context, sums.data() + (c - from) * cube_size(), totals_.data());
  }
}

// Rows of features that users name.
template <class Real>
void SecondOrderLikelihood<Real>::write_others(const Batch& batch, std::span<double> gradient) {
  const std::int64_t base = instances_.starts[batch.first], stride = layout_.stride;
  for (std::int64_t n = base; n < instances_.starts[batch.end] && !instances_.given_starts.empty(); ++n) {
    const Real* from = difference_.data() + (n - base) * stride;
    for (std::int64_t k = instances_.given_starts[n]; k < instances_.given_starts[n + 1]; ++k) {
      there_.add(layout_.given_row(static_cast<std::size_t>(instances_.given_ids[k])), from, double(instances_.given_values[k]), gradient);
    }
  }
}

// What first tokens read of labels before them.
template <class Real>
void SecondOrderLikelihood<Real>::write_first(const Batch& batch) {
  const std::int64_t base = instances_.starts[batch.first], stride = layout_.stride;
  for (std::int64_t s = batch.first; s < batch.end; ++s) {
    if (instances_.length(s) == 0) continue;
    const Real* from = difference_.data() + (instances_.starts[s] - base) * stride;
    steps_.each_first(s, [&](std::int64_t row) {
      for (std::int64_t j = 0; j < stride; ++j) totals_[static_cast<std::size_t>(row + j)] += double(from[j]);
    });
  }
}

template <class Real>
Weights<Real> SecondOrderLikelihood<Real>::model(std::span<const double> at) const {
  Numbers<Real> flat(static_cast<std::size_t>(layout_.history_row(history_.rows())), Real{0});
  there_.each([&](std::int32_t i, std::int64_t place) {
    flat[static_cast<std::size_t>(place)] = static_cast<Real>(at[static_cast<std::size_t>(i)]);
  });
  return layout_.blocks(flat, index_, history_, given_size_);
}

template <class Real>
std::vector<double> SecondOrderLikelihood<Real>::point(const Weights<Real>& weights) const {
  Weights<Real> grown = weights;
  grown.grow(index_, given_size_);
  Numbers<Real> flat = layout_.flat(grown);
  flat.resize(static_cast<std::size_t>(layout_.size));
  flat.resize(static_cast<std::size_t>(layout_.history_row(history_.rows())), Real{0});
  for (std::int32_t row = 0; row < history_.rows(); ++row) {
    const HistoryIndex::Entry entry = history_.entry(row);
    const std::vector<std::int32_t>& back = history_.slots()[static_cast<std::size_t>(entry.slot)].back;
    std::array<std::int32_t, exact_order> before{};
    for (std::size_t k = 0; k < back.size(); ++k) before[static_cast<std::size_t>(back[k]) - 1] = entry.labels[k];
    const std::int32_t known = grown.history.find(entry.slot, entry.ngram, before);
    if (known >= 0)
      std::copy_n(grown.history_row(static_cast<std::size_t>(known)), layout_.stride, flat.begin() + layout_.history_row(row));
  }
  std::vector<double> out(static_cast<std::size_t>(size()));
  there_.each(
      [&](std::int32_t i, std::int64_t place) { out[static_cast<std::size_t>(i)] = double(flat[static_cast<std::size_t>(place)]); });
  return out;
}

template class SecondOrderLikelihood<float>;
template class SecondOrderLikelihood<double>;

}  // namespace riata
